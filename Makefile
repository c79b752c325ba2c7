# Everything is set up on first use: a virtual environment in .venv, the package in it, the database by its migrations.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
URL ?=
# tests wait a part of their time for the crawls that they start
WORKERS ?= $(shell $(PYTHON) -c "import os; print(2 * (os.cpu_count() or 2))")
FEED ?= feed.jsonl
CHANGES ?= changes.jsonl
ROUNDS ?= 3
SINCE ?= main

.PHONY: help url setup setup-dev crawl demo test changed fuzz badweb drill lint docs format schema train bench figures clean

help:
	@echo "make crawl URL=https://example.org/   crawl a website; $(FEED) has the main content of all its pages, $(CHANGES) what changed"
	@echo "make demo                             crawl a small bundled website; needs no network"
	@echo "make test                             run all tests"
	@echo "make changed [SINCE=main]              lint, types, layers, and the tests of what changed"
	@echo "make fuzz [ROUNDS=3]                   property tests with random examples; make test tries the same ones each time"
	@echo "make badweb                           crawl the bad web: over 270 hostile pages and servers"
	@echo "make drill [ONLY=OP-12] [SOAK=1]       kills, full disks, lost databases and the like, with a table; over half an hour, root"
	@echo "make lint                             ruff, mypy, layer contracts"
	@echo "make docs                             the documentation as a site, in build/docs"
	@echo "make schema                           after a new migration: write anew what makes a new database at once"
	@echo "make bench                            stages beside the parse, crawls, extraction beside other libraries, growth"
	@echo "make figures SITES=FOLDER [NAMES=...] the figures of docs/evaluation.md and docs/papers.md"
	@echo "make train SITES=folder SETS=folder   train the model of combined on gold data (docs/combined.md)"

# one installation for users, one for developers: the second compiles the twins too, so it does not need the first
define venv
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "sitecrawl needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "Setting up $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
endef
SOURCES := pyproject.toml setup.py $(wildcard sitecrawl/*/*.pyx sitecrawl/*/*/*.pyx)

$(BIN)/.installed: $(SOURCES)
	$(venv)
	@PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(BIN)/.installed-dev: $(SOURCES)
	$(venv)
	@PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(BIN)/.installed $@

setup: $(BIN)/.installed

setup-dev: $(BIN)/.installed-dev

url:
	@test -n "$(URL)" || { echo "Say which website: make crawl URL=https://example.org/"; exit 2; }

crawl: url $(BIN)/.installed
	@status=0; $(BIN)/sitecrawl crawl site -a url="$(URL)" -O "$(CHANGES)" || status=$$?; \
		case $$status in 0|3) $(BIN)/sitecrawl export "$(URL)" -O "$(FEED)" || status=$$?;; esac; exit $$status

demo: $(BIN)/.installed
	@$(BIN)/scrapy demo

test: $(BIN)/.installed-dev
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal

changed: $(BIN)/.installed-dev
	@$(BIN)/python -m tests.changed "$(SINCE)"

# without derandomised examples: each round draws new ones, and a failure prints how it is repeated
fuzz: $(BIN)/.installed-dev
	@for round in $$(seq $(ROUNDS)); do \
		$(BIN)/python -m pytest -q -n $(WORKERS) -m hypothesis --hypothesis-profile fuzz || exit 1; \
	done

badweb: $(BIN)/.installed-dev
	@$(BIN)/python -m pytest -q -m badweb -n $(WORKERS) --dist loadfile tests/integration/test_badweb*.py

drill: $(BIN)/.installed-dev
	@$(BIN)/python -m tests.drill $(if $(ONLY),--only $(ONLY)) $(if $(SOAK),--soak)

lint: $(BIN)/.installed-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

docs: $(BIN)/.installed-dev
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs --quiet build --strict

format: $(BIN)/.installed-dev
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

schema: $(BIN)/.installed-dev
	@$(BIN)/python -m tests.migrations.scripts

train: $(BIN)/.installed-dev
	@PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[train]'
	@$(BIN)/python training/train.py "$(SITES)" $(SETS) --write

figures: $(BIN)/.installed
	@$(BIN)/python benchmarks/figures.py $(SITES) $(NAMES)

bench: $(BIN)/.installed
	@$(BIN)/python benchmarks/stages.py --out benchmarks/results
	@$(BIN)/python benchmarks/crawl.py --out benchmarks/results
	@$(BIN)/python benchmarks/extraction.py --out benchmarks/results
	@$(BIN)/python benchmarks/growth.py pages --pages 10000 --out benchmarks/results
	@$(BIN)/python benchmarks/growth.py sites --sites 1000 --out benchmarks/results
	@$(BIN)/python benchmarks/growth.py at-once --out benchmarks/results
	@$(BIN)/python benchmarks/growth.py recrawl --out benchmarks/results

clean:
	rm -rf $(VENV) build dist *.egg-info sitecrawl/*/*.so sitecrawl/*/*/*.so
