# Needs Python 3.11 or newer, make and pip. `make demo` and `make test` install what they need.
# One environment per Python: .venv for the first one, .venv-3.13 for PYTHON=python3.13.
PYTHON ?= python3
# pyenv's python3.13 fails if that version is not activated.
path    = $(or $(shell $(1) -c 'import sys; print(sys.executable)' 2>/dev/null),$(lastword \
  $(wildcard $(HOME)/.pyenv/versions/$(1:python%=%).*/bin/python)),$(1))
INTERPRETER := $(call path,$(PYTHON))
ASKED  := $(shell $(INTERPRETER) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
FOUND  := $(shell sed -n 's/^version *= *\([0-9]*\.[0-9]*\).*/\1/p' .venv/pyvenv.cfg 2>/dev/null)
FIRST  := $(or $(FOUND),$(if $(filter python3,$(PYTHON)),$(ASKED)))
VENV   := .venv$(if $(filter $(FIRST),$(ASKED)),,-$(ASKED))
BIN    := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
STAMP  := $(VENV)/.installed
DOCS   := $(VENV)/.installed-docs
TRUST  := $(VENV)/.installed-trust

.PHONY: help install demo docs test quick contract attack soak pythons data-tests faults wheels lint format screenshots tables encoders transcripts reproductions study-training bench bench-topology system-deps dist lowest newest systems versions trust mutants branches clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

install: $(STAMP)  ## create or update the environment .venv

$(STAMP): pyproject.toml lab/pyproject.toml constraints.txt
	@$(INTERPRETER) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "similitude needs Python 3.11 or newer: make PYTHON=python3.11 ..." >&2; exit 1; }
	@echo "installing into $(VENV), once: about 80 s, 2.1 GB"
	@$(INTERPRETER) -m venv $(VENV)
	@$(BIN)/pip install -qq --disable-pip-version-check -c constraints.txt -e ".[all,dev]" -e lab
	@touch $@

demo: $(STAMP)  ## train, extract, compare and stitch six small networks, with a report: a minute
	@$(BIN)/python examples/demo

$(DOCS): $(STAMP)
	@$(BIN)/pip install -qq --disable-pip-version-check -c constraints.txt -e ".[all,dev,docs]" -e lab
	@touch $@

docs: $(DOCS)  ## build the documentation site in docs/_build/html, offline, and test it: two minutes
	@rm -rf docs/_build docs/generated docs/gallery
	OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m site tests/documentation/test_site.py
	@echo "documentation: docs/_build/html/index.html"

# Tests start many processes. Where PYTHONDONTWRITEBYTECODE is set, each would compile the
# package again, which is a third of its time. In a new clone, each worker of pytest would
# compile all kernels.
COMPILE = $(BIN)/python -m compileall -q -j 0 src lab/src tests lab/tests
KERNELS = find src -path '*_kernels*.py' ! -name __init__.py | sed 's,src/,,; s,/,.,g; s,.py$$,,' | \
  xargs -P 2 -n 5 $(BIN)/python -c 'import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]'

versions: $(STAMP)  ## print the Python, numpy, scipy and BLAS of the environment
	@PYTHONPATH=tests $(BIN)/python -m repository.versions

pythons:  ## print the versions of Python that pyproject.toml claims, for the workflow
	@PYTHONPATH=tests $(INTERPRETER) -m repository.versions pythons

test: export PYTHONDONTWRITEBYTECODE =
test: versions  ## run all tests that need no data set; without Chromium, those of the report are skipped
	$(COMPILE)
	$(KERNELS)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -rs -n auto --dist worksteal -m "not data and not site and not types"

quick: versions  ## unit tests and examples in docstrings, without processes: two minutes
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal -m "quick and not data" tests src

contract: $(STAMP)  ## check one measure: make contract NAME=cka [ALL=1 for all variants]
	PYTHONPATH=$(CURDIR)/tests OMP_NUM_THREADS=1 $(BIN)/python -m contract "$(NAME)" $(ALL)

attack: $(STAMP)  ## damaged and hostile files, hard arrays, kills, full disks: some minutes
	PYTHONPATH=$(CURDIR)/tests $(BIN)/python -m attack --seed $(or $(SEED),0)

soak: $(STAMP)  ## 10,000 comparisons in one process: memory, files and processes stay flat
	PYTHONPATH=$(CURDIR)/tests OMP_NUM_THREADS=1 $(BIN)/python -m attack.soak

data-tests: $(STAMP)  ## check data sets and encoders in the cache: some minutes; missing ones are skipped
	$(BIN)/python -m pytest -m data -rs tests lab/tests

faults: $(STAMP)  ## kill runs of compare, stitch, closeness, store and extract at twenty moments
	SIMILITUDE_KILLS=20 $(BIN)/python -m pytest tests/engine/interruptions/test_kill.py \
	  tests/latent/stitching/test_kill.py lab/tests/closeness/training/test_kill.py lab/tests/training/images/test_kill.py tests/store/test_faults.py tests/cli/test_stopping.py tests/engine/interruptions/test_stopped.py \
	  tests/networks/extraction/test_kill.py
	SIMILITUDE_KILLS=20 SIMILITUDE_WORKERS=2 $(BIN)/python -m pytest tests/engine/interruptions/test_kill.py

wheels: $(STAMP)  ## install the wheels in new environments, and use them: some minutes; CORE=1: without extras
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/wheels.py $(if $(PACKAGES),--packages $(PACKAGES)) $(if $(CORE),--core)

dist: $(STAMP)  ## build wheels and source distributions of library and lab into dist/, and check them
	@$(BIN)/pip install -qq --disable-pip-version-check -c constraints.txt -e ".[release]"
	@rm -rf dist
	$(BIN)/python -m hatchling build -d dist
	cd lab && ../$(BIN)/python -m hatchling build -d ../dist
	$(BIN)/python -m twine check --strict dist/*
	@PYTHONPATH=tests $(BIN)/python -m repository.release dist

mutants: $(STAMP)  ## change five modules in one place at a time, and count the changes that no test notices
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/mutants.py

branches: $(STAMP)  ## measure which branches of six packages their tests take: half an hour; resumes
	@$(BIN)/pip install -qq --disable-pip-version-check -c constraints.txt -e ".[release]"
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/branches.py --page docs/benchmarks.md

lowest: $(STAMP)  ## run the quick tests with the lowest versions that pyproject.toml allows: 3 GB, ten minutes
	@rm -rf .venv-lowest && $(INTERPRETER) -m venv .venv-lowest && .venv-lowest/bin/pip install -qq uv
	.venv-lowest/bin/uv pip compile -q --resolution lowest-direct --extra all --extra dev pyproject.toml -o .venv-lowest/versions.txt
	.venv-lowest/bin/uv pip install -q --python .venv-lowest/bin/python -r .venv-lowest/versions.txt -e . -e lab
	.venv-lowest/bin/similitude doctor
	@# Old packages use names of their dependencies that are deprecated in the newest versions.
	OMP_NUM_THREADS=1 .venv-lowest/bin/python -m pytest -n auto -W ignore::DeprecationWarning -m "quick and not data" tests src

newest:  ## run the quick tests with the newest versions, on Python 3.13; RUN=test runs all tests: 7 GB
	@test -d .venv-newest || $(call path,$(PYTHON:python3=python3.13)) -m venv .venv-newest
	@.venv-newest/bin/pip install -qq --disable-pip-version-check --upgrade --upgrade-strategy eager -e ".[all,dev]" -e lab
	@touch .venv-newest/.installed
	@$(MAKE) --no-print-directory VENV=.venv-newest $(or $(RUN),quick)

systems: versions  ## run the quick tests without what macOS, and then Windows, does not have
	HIDDEN_SYSTEM=macos OMP_NUM_THREADS=1 $(BIN)/python -m pytest -rs -n auto --dist worksteal -m "quick and not data" tests src
	HIDDEN_SYSTEM=windows OMP_NUM_THREADS=1 $(BIN)/python -m pytest -rs -n auto --dist worksteal -m "quick and not data" tests src

lint: $(STAMP)  ## check style, house rules and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -m types tests/test_typing.py

format: $(STAMP)  ## fix style problems that can be fixed automatically
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

screenshots: $(STAMP)  ## draw reports in light, dark, narrow and print, into screenshots/
	PYTHONPATH=$(CURDIR)/tests $(BIN)/python -m report.screenshots

tables: $(STAMP)  ## generate docs/measures.md and the list of measure functions
	PYTHONPATH=$(CURDIR)/tests $(BIN)/python -m repository.measure_tables > docs/measures.md
	PYTHONPATH=$(CURDIR)/tests $(BIN)/python -m repository.measure_functions

encoders: $(STAMP)  ## run the examples with real encoders, and write docs/encoders.md
	PYTHONPATH=$(CURDIR)/tests $(BIN)/python -m repository.encoder_transcripts

transcripts: $(STAMP)  ## generate docs/transcripts.md from the output of the commands
	PYTHONPATH=$(CURDIR)/tests $(BIN)/python -m repository.transcripts

reproductions: $(STAMP)  ## generate docs/reproductions*.md from the committed results of studies
	$(BIN)/similitude study report lab/results --markdown docs

study-training: $(STAMP)  ## train the networks that studies share, in two processes, into the cache: an hour
	$(BIN)/similitude study train --scale small & \
	  $(BIN)/similitude study train --scale small; wait

bench: $(STAMP)  ## time the measures and compare with the limits of this machine
	$(BIN)/python benchmarks/limits.py
	$(BIN)/python benchmarks/measures.py
	$(BIN)/python benchmarks/cka_routes.py
	$(BIN)/python benchmarks/gram_route.py
	$(BIN)/python benchmarks/cka.py
	$(BIN)/python benchmarks/compare.py
	$(BIN)/python benchmarks/closed_null.py

bench-topology: $(STAMP)  ## time barcodes and trees against other packages: some minutes
	$(BIN)/python benchmarks/topology.py
	$(BIN)/python benchmarks/rtd_studies.py
	$(BIN)/python benchmarks/trees.py

$(TRUST): $(STAMP)
	@$(BIN)/pip install -qq --disable-pip-version-check -c constraints.txt -e ".[all,dev,trust]" -e lab
	@touch $@

trust: FOLDER = $(or $(OUT),trust$(if $(QUICK),/quick))
trust: PAGES = $(if $(QUICK),$(FOLDER),docs)
trust: $(TRUST)  ## check scores, p-values, intervals; write docs/conformance.md, calibration.md: an hour or two; QUICK=1: 20 minutes; resumes; KEPT=1 starts from committed lines
	@mkdir -p $(FOLDER)
	$(if $(KEPT),cp -rn benchmarks/trust/results/. $(FOLDER))
	@# Too many small p do not stop the other parts; the last command fails for them.
	-OMP_NUM_THREADS=1 $(BIN)/python benchmarks/trust/p_values.py $(FOLDER) $(if $(QUICK),--draws 200)
	PYTHONPATH=tests OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.trust.conformance \
	  --out $(FOLDER) --page $(PAGES)/conformance.md $(if $(QUICK),--quick)
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.trust.calibration \
	  --out $(FOLDER) --page $(PAGES)/calibration.md $(if $(QUICK),--quick)

system-deps:  ## install Chromium for tests of the report (Debian, as root)
	@command -v chromium >/dev/null || { apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; }

clean:  ## remove the files created by the other targets
	rm -rf .venv .venv-* dist demo screenshots docs/_build docs/generated docs/gallery .pytest_cache .mypy_cache .ruff_cache trust
