"""What makes and checks data: triplets, SABER, renderer, screening, audit, verification."""

__version__ = "0.4.0"
