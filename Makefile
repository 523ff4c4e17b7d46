# Works on a machine that has only Python 3.11+ and make.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
READY_TO_TEST := .venv/.ready-to-test
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt
QUICK := $(BIN)/conlinucb reproduce --quick

.PHONY: run test format clean

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "conlinucb needs Python 3.11 or newer; say which: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv
	$(INSTALL) -e '.[runner]'
	@touch $@

$(READY_TO_TEST): $(READY)
	$(INSTALL) -e '.[test]'
	@touch $@

run: $(READY)  ## a quick reproduction of the paper on synthetic data; says where the report is
	$(QUICK) 1a 1b 1c 1d theory crossed --protocol authors
	$(QUICK) 1a --protocol paper --protocol fair

test: $(READY_TO_TEST)  ## all checks and tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -c 'import conlinucb'
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -q -n 2  # one worker a core is enough

format: $(READY_TO_TEST)  ## put the code into the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:  ## remove the virtual environment and all caches
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
