# Everything runs in .venv, which the first target that needs it makes. ARGS are handed on:
#   make crawl ARGS='--seeds my-seeds.txt --depth 3 --agent my-crawler'

PYTHON ?= python3
BIN := .venv/bin
ARGS ?=

.PHONY: crawl airflow test lint docs clean

crawl: .venv/.installed                ## one whole crawl in this process; without seeds: the demo site
	@$(BIN)/python -m crawl_ops.operators.run_dag $(ARGS)

airflow: .venv/.installed              ## Airflow's web page, on loopback, until Ctrl-C
	@$(BIN)/python -m crawl_ops.operators.launcher $(ARGS)

# Two processes, a file of tests at a time: while one waits for an Airflow, the other works. Files
# keep their order, so that the long ones are not left for the end.
AT_ONCE := --numprocesses 2 --dist loadfile --no-loadscope-reorder

test: .venv/.dev                       ## style, types, floors, tests; ARGS: for pytest, in one process
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest $(if $(strip $(ARGS)),$(ARGS),$(AT_ONCE))

lint: .venv/.dev                       ## mend what ruff can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: .venv/.installed                 ## docs/properties.md, from the properties themselves
	$(BIN)/python -m crawl_ops.config.document > docs/properties.md

clean:                                 ## remove all that was made here; crawl/ (the data) stays
	rm -rf .venv .airflow build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# uv, where it is installed, takes a fifth of pip's time.
.venv/bin/python:
	@if command -v uv >/dev/null 2>&1; then uv venv --quiet --python $(PYTHON) .venv; \
	 else $(PYTHON) -m venv .venv; fi

# A .venv that uv made, or that was broken off, has no pip: it gets one.

.venv/.installed: requirements.txt constraints.txt pyproject.toml | .venv/bin/python
	@echo "Installing what crawl_ops needs into .venv: half a minute with uv, some minutes with pip ..."
	@$(call install,-r requirements.txt)
	@$(call install,--no-deps --editable .)
	@touch $@

# httpbin asks for an old greenlet, which it does not use; the rest it needs is in the list.
.venv/.dev: requirements-dev.txt .venv/.installed
	@$(call install,-r requirements-dev.txt)
	@bash tests/tools.sh
	@$(call install,--no-deps -c constraints.txt httpbin)
	@touch $@

install = if command -v uv >/dev/null 2>&1; then uv pip install --quiet --python .venv/bin/python $(1); \
	else .venv/bin/python -m pip --version >/dev/null 2>&1 || .venv/bin/python -m ensurepip >/dev/null; \
	.venv/bin/python -m pip install --quiet --disable-pip-version-check $(1); fi
