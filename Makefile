# Two commands do everything on a machine with Python 3.11, make and pip:
#   make demo    make test
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: help install demo test faults lint format tables bench bench-topology system-deps clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

install: $(STAMP)  ## the environment, in .venv; again only when its files change

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "similitude needs Python 3.11 or newer: make PYTHON=python3.11 ..." >&2; exit 1; }
	@echo "installing into $(VENV), once: about 80 s, 2.1 GB"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install -qq --disable-pip-version-check -c constraints.txt -e ".[all,dev]"
	@touch $@

demo: $(STAMP)  ## six small networks on digits, compared: about half a minute
	@$(BIN)/python examples/demo

test: $(STAMP)  ## every test that needs no data set and no browser
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal

faults: $(STAMP)  ## kills at twenty moments of a comparison, a stitching table and a writer
	SIMILITUDE_KILLS=20 $(BIN)/python -m pytest tests/engine/test_kill.py \
	  tests/training/test_stitching_kill.py tests/store/test_faults.py tests/cli/test_stopping.py tests/engine/test_stopped.py
	SIMILITUDE_KILLS=20 SIMILITUDE_WORKERS=2 $(BIN)/python -m pytest tests/engine/test_kill.py

lint: $(STAMP)  ## style, house rules and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(STAMP)  ## mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

tables: $(STAMP)  ## docs/measures.md, from what the measures claim
	$(BIN)/similitude measures --markdown > docs/measures.md

bench: $(STAMP)  ## this machine's limits, and the measures against them
	$(BIN)/python benchmarks/limits.py
	$(BIN)/python benchmarks/measures.py
	$(BIN)/python benchmarks/cka_routes.py
	$(BIN)/python benchmarks/cka.py
	$(BIN)/python benchmarks/compare.py
	$(BIN)/python benchmarks/closed_null.py

bench-topology: $(STAMP)  ## barcodes and trees against their peers: some minutes
	$(BIN)/python benchmarks/topology.py
	$(BIN)/python benchmarks/trees.py

system-deps:  ## Chromium, for tests of the report (Debian, as root)
	@command -v chromium >/dev/null || { apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; }

clean:  ## remove what the other targets made
	rm -rf $(VENV) demo .pytest_cache .mypy_cache .ruff_cache
