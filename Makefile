# Works on a machine that has only Python 3.11+ and make.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
READY_TO_TEST := .venv/.ready-to-test
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt
READY_TO_SERVE := .venv/.ready-to-serve
READY_FOR_DOCS := .venv/.ready-for-docs
QUICK := $(BIN)/conlinucb reproduce --quick
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -q

.PHONY: run serve docs test test-more coverage soak format clean

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "conlinucb needs Python 3.11 or newer; say which: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv
	$(INSTALL) -e '.[runner]'
	@touch $@

$(READY_TO_SERVE): $(READY)
	$(INSTALL) -e '.[service]'
	@touch $@

$(READY_TO_TEST): $(READY)
	$(INSTALL) -e '.[test]'
	@touch $@

$(READY_FOR_DOCS): $(READY)
	$(INSTALL) -e '.[docs]'
	@touch $@

run: $(READY)  ## a quick reproduction of the paper on synthetic data; says where the report is
	$(QUICK) 1a 1b 1c 1d theory crossed --protocol authors
	$(QUICK) 1a --protocol paper --protocol fair

serve: $(READY_TO_SERVE)  ## a conversation about the demo films, at http://127.0.0.1:8000
	$(BIN)/conlinucb serve

docs: $(READY_FOR_DOCS)  ## the documentation, as pages in docs/_build/html
	@echo "What the examples show is made first, which takes minutes; later only of those that changed."
	$(BIN)/sphinx-build -W --keep-going -q docs docs/_build/html
	@echo "docs/_build/html/index.html"

soak: $(READY_TO_TEST)  ## the long tests, whole
	CONLINUCB_SOAK=1 CONLINUCB_FUZZ=20 $(PYTEST) \
		tests/service/test_kill.py tests/service/test_outage.py tests/service/test_crowd.py \
		tests/service/http/test_service_fuzz.py tests/service/test_bench_service.py \
		tests/service/populations/test_switching.py tests/service/test_metrics_of_workers.py \
		tests/experiments/test_reproduce.py::test_ray_finds_the_same
	$(BIN)/python -m benchmarks.attacks

test: $(READY_TO_TEST)  ## all checks and the first tier of tests, in a few minutes
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -c 'import conlinucb'
	$(PYTEST) -n 2 --dist worksteal -m "not more"

test-more: $(READY_TO_TEST)  ## the second tier: browsers, killed servers, whole products
	$(PYTEST) -n 3 --dist worksteal -m more tests  # some of them wait for servers and browsers

coverage: $(READY_TO_TEST)  ## how much of each package the first tier runs; fails below the floors of pyproject.toml
	$(PYTEST) -n 2 --dist worksteal -m "not more" --cov --cov-report= --cov-report=json:results/coverage.json
	PYTHONPATH=tests $(BIN)/python -m support.coverage_floors results/coverage.json

format: $(READY_TO_TEST)  ## put the code into the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:  ## remove the virtual environment and all caches
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
