# Everything a reader or an author does, one word each. `make` alone lists it.

.DEFAULT_GOAL := help
.PHONY: help env book test methods browser archive pdf lab notebooks chapter missing lists serve experiments realmodel bench mutants \
	oldest newest live lint clean repository

# The first Python that will do. Name another one with `make book PYTHON=python3.12`.
PYTHON ?= $(firstword $(foreach python,python3 python3.13 python3.12 python3.11 python,$(shell \
	$(python) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && echo $(python))))

# Relative paths only, so that a space in the path of this folder does no harm.
RUN := .venv/bin/python
STEP := $(RUN) -m tools.steps
# Two at a time. Without nbval, which takes seconds to start: the tests run the chapters themselves. A test that has
# passed runs again when something it depends on has changed, or with FRESH=1.
TESTS := $(RUN) -m pytest -q -n 2 -p no:nbval --kept
# What is compiled once need not be compiled by every process.
export PYTHONDONTWRITEBYTECODE :=
# A thread for each process: more threads than cores wait for one another, and small tensors take three times as long.
export OMP_NUM_THREADS ?= 1

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile

env:
	@test -n "$(PYTHON)" || { echo "Python 3.11, 3.12 or 3.13 is needed, and none was found. Name one: make PYTHON=/path/to/python"; exit 1; }
	@"$(PYTHON)" -m tools.env

book: env  ## build the site, strictly, and say where it is
	@echo "== build the site"
	@$(RUN) -m tools.site build

test: env  ## check everything but the browser (FRESH=1: also what has passed and has not changed)
	@$(STEP) "lint" $(RUN) -m ruff check . \
		then "format" $(RUN) -m ruff format --check . \
		then "build the site" $(RUN) -m tools.site build \
		then "run the tests" $(TESTS)

methods: env  ## check the methods and the chapters only
	@$(STEP) "fetch a released model" $(RUN) -m bookkit.released_model \
		then "run the tests of methods and chapters" $(TESTS) tests/contract tests/absolute tests/content \
		tests/extension tests/relative tests/rotary tests/shapes tests/site/test_outputs.py

browser: env  ## check the built site in a real browser (Chromium)
	@$(STEP) "build the site" $(RUN) -m tools.site build \
		then "check the site in the browser" $(TESTS) -m browser tests/site

archive: env  ## the site as one zip that opens without a server, with its notebooks
	@$(RUN) -m tools.archive

pdf: env  ## the book on paper, printed by Chromium
	@$(RUN) -m tools.pdf

lab: env  ## open the chapters in JupyterLab, text and notebook kept in step
	@$(RUN) -m tools.notebooks --only-times
	@$(RUN) -m jupyterlab --LabApp.default_url=/lab/tree/book $(FLAGS)

notebooks: env  ## bring text and notebooks together and run what changed (ALL=1: run all)
	@$(STEP) "notebooks" $(RUN) -m tools.notebooks $(if $(ALL),--all) $(if $(KEEP),--keep $(KEEP)) $(FILES)

chapter: env  ## lay out a new chapter, as a draft: make chapter NAME=relative/kerple
	@$(STEP) "new chapter" $(RUN) -m tools.book.new_chapter $(NAME)

missing: env  ## say what a chapter still needs, first things first: make missing NAME=relative/kerple
	@$(RUN) -m tools.book.missing $(NAME)

lists: env  ## write what is made from chapters and modules: tables, lists, what a room exports
	@$(STEP) "what the methods do" $(RUN) -m tests.contract.columns \
		then "lists of chapters" $(RUN) -m tools.book.lists

serve: env  ## build the site and show it on this machine
	@$(RUN) -m tools.site serve

experiments: env  ## train and compare encodings, going on where it was, by experiments/PROTOCOL.md (QUICK=1: the first seed)
	@$(RUN) -m torch.distributed.run --standalone --nproc-per-node 2 -m experiments.comparison \
		$(if $(QUICK),--quick) $(if $(TASK),--task $(TASK))

realmodel: env  ## read a released model to twice its trained length, and break it, going on where it was
	@$(RUN) -m experiments.real_model
	@$(RUN) -m experiments.real_model.faults

bench: env  ## time the library beside others (QUICK=1: does it run? SAVE=1: keep; TABLE=biases; THREADS=2; SIMD=avx2)
	@$(RUN) -m benchmarks $(if $(QUICK),--quick) $(if $(SAVE),--save) $(if $(THREADS),--threads $(THREADS)) \
		$(if $(SIMD),--simd $(SIMD)) $(TABLE)

mutants: env  ## plant errors in a module and say which tests notice: make mutants MODULE=relative/alibi (CHECK=1)
	@$(RUN) -m tools.mutants $(MODULE) $(if $(EACH),--each $(EACH)) $(if $(CHECK),--check)

oldest:  ## the library's tests and all chapters from a wheel, with the oldest versions that pyproject.toml allows
	@"$(or $(PYTHON),python3)" -m tools.versions $@

newest:  ## the same with the newest versions
	@"$(or $(PYTHON),python3)" -m tools.versions $@

live: env  ## run all derivations in the Python that browsers run (needs npm)
	@$(STEP) "derivations in the browser's Python" $(RUN) -m tools.live_cells

lint: env  ## tidy the code
	@$(STEP) "format" $(RUN) -m ruff format .
	@$(STEP) "lint" $(RUN) -m ruff check --fix .

repository: env  ## set the repository's address everywhere: make repository NAME=owner/name
	@$(STEP) "set the address" $(RUN) -m tools.repository $(NAME)

clean:  ## remove what was built, and the environments
	@rm -rf _build build .venv .venv-oldest .venv-newest .pytest_cache .ruff_cache .hypothesis mutants *.egg-info
	@find . -name __pycache__ -prune -exec rm -rf {} +
	@echo "removed the built site, the caches and the environments"
