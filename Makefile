# Two commands for a fresh machine with git, make and Python 3.11 or newer: `make selfplay` and `make test`.
# Everything is installed into .venv, with the versions of constraints.txt.

PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed

.PHONY: selfplay test lint types tests integrations bench docs golden playthrough clean

selfplay: $(INSTALLED)
	$(BIN)/python training/selfplay.py --config configs/ppo.yaml

test: lint types tests

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(INSTALLED)
	$(BIN)/mypy

# The processes of the tests share two cores: compile once before them, and let torch take one core in each.
tests: $(INSTALLED)
	$(BIN)/python tests/warm_up.py
	OMP_NUM_THREADS=1 $(BIN)/pytest -n auto

# With each library that Samurai works with, in an environment of its own (some eight gigabytes below .nox).
integrations: $(INSTALLED)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[integrations]'
	$(BIN)/nox

bench: $(INSTALLED)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[bench]'
	$(BIN)/samurai bench --write benchmarks/results.md

docs: $(INSTALLED)
	$(BIN)/python docs/tables.py

golden: $(INSTALLED)
	$(BIN)/python tests/golden_records.py

playthrough: $(INSTALLED)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[openspiel]'
	$(BIN)/python tests/integrations/playthrough.py

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("Python %d.%d: 3.11 or newer is needed; try make PYTHON=python3.11" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test]'
	touch $@

clean:
	rm -rf .venv .nox runs .pytest_cache .mypy_cache .ruff_cache .hypothesis
