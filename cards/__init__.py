"""How results leave the machine and come back: dataset cards, later publishing and loading."""
