# Works on a machine that has only Python 3.11+ and make.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: run test format clean

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "conlinucb needs Python 3.11 or newer; say which: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]'
	@touch $@

run: $(READY)  ## play six algorithms on a small synthetic catalogue
	$(BIN)/python examples/six_algorithms.py

test: $(READY)  ## all checks and tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -c 'import conlinucb'
	$(BIN)/pytest -q -n 2

format: $(READY)  ## put the code into the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:  ## remove the virtual environment and all caches
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
