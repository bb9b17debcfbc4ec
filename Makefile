# Thin names for what the tools do. `make` alone lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= $(shell command -v python3.11 || command -v python3)
PY := .venv/bin/python

# The tools that make the locks need a newer Python than everything else. A name on PATH may lead nowhere, so each is tried.
PYTHON_LOCK ?= $(shell for python in python3.14 python3.13 python3.12 python3; do \
  $$python -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && echo $$python && break; done)
UV_VERSION := 0.13.9
LOCK_TOOLS := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["lock"], sep="\n")

# A stamp holds the hash of the lock it was made from, so a fresh checkout time alone installs nothing.
VENV_STAMP := .venv/.installed-$(shell sha256sum requirements.lock | cut -c1-16)
NODE_STAMP := node_modules/.installed-$(shell sha256sum package-lock.json | cut -c1-16)

# Debian splits venv off; where we may, we add it.
ADD_VENV := echo "installing python3-venv" && $(if $(filter 0,$(shell id -u)),,sudo -n) apt-get install -qq --yes python3-venv

UNIT := tests/unit tests/arch tests/contract
PYTEST := $(PY) -m pytest
# Two processes: all tests that use a browser go to one, see tests/support/beside.py.
BESIDE := -n 2

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: dist ## build, start a small shop and a browser, and let the agent order something (MODEL=demo, MODEL=URL)
	PYTHONPATH=py $(PY) -m tests.support.run

.PHONY: run-ten
run-ten: dist ## the same ten times over without a retry; prints how many succeeded
	RUNS=10 PYTHONPATH=py $(PY) -m tests.support.run

.PHONY: build
build: deps ## build dist/chrome and dist/firefox and a zip of each
	$(PY) -m build

.PHONY: dist
dist: deps # the same, but only if something changed
	@$(PY) -m build --if-changed

.PHONY: test
test: dist ## build and run every test, those in memory beside those in a browser
	$(PYTEST) $(BESIDE) $(ARGS)

.PHONY: test-all
test-all: dist ## the same with every repetition, all injections and all kills, which takes hours
	ALL_TESTS=1 ALL_INJECTIONS=1 ALL_KILLS=1 $(PYTEST) $(BESIDE) $(ARGS)

.PHONY: test-unit
test-unit: deps ## tests that need neither a build nor a browser
	$(PYTEST) $(UNIT) -m "not dist" $(ARGS)

.PHONY: test-fuzz
test-fuzz: deps ## 10,000 mutated streams for every wire format (MUTATIONS=NUMBER)
	MUTATIONS=$(or $(MUTATIONS),10000) $(PYTEST) tests/contract/test_providers_mutations.py $(ARGS)

.PHONY: test-wasm
test-wasm: dist ## the package as built, in Pyodide on Node
	$(PYTEST) tests/wasm $(ARGS)

.PHONY: test-content
test-content: deps ## the content scripts on real pages, in Chromium
	$(PYTEST) tests/content $(ARGS)

.PHONY: test-e2e
test-e2e: dist ## the built extension, in Chromium and Firefox
	$(PYTEST) tests/e2e tests/cases tests/security $(ARGS)

.PHONY: e2e
e2e: test-e2e ## the same by its short name

.PHONY: test-security
test-security: dist ## every case of the security suites, in memory and in both browsers
	ALL_INJECTIONS=1 $(PYTEST) tests/security $(ARGS)

.PHONY: test-kill
test-kill: dist ## every part killed at every crash point, in both browsers; waits of 45 s and 6 minutes
	ALL_KILLS=1 $(PYTEST) tests/e2e/kill $(ARGS)

.PHONY: check
check: deps ## linters, formatters and type checkers
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	npx --no-install tsc --project tsconfig.json
	npx --no-install biome ci --colors=off

.PHONY: format
format: deps ## rewrite everything the formatters can
	.venv/bin/ruff check --fix-only --quiet .
	.venv/bin/ruff format --quiet .
	npx --no-install biome check --write --log-level=error

.PHONY: lint-ext
lint-ext: dist ## what the add-on stores' linter says about the built trees
	$(PY) -m build.lint

.PHONY: bench
bench: dist ## one table: starts, steps, memory, size, trees (BASE=DIST of an earlier build, ARGS="chromium --only starts")
	PYTHONPATH=py $(PY) -m tests.bench $(ARGS)

.PHONY: bench-growth
bench-growth: dist ## a run of 300 steps in Chromium: time per step, length of requests, memory (ARGS=STEPS)
	PYTHONPATH=py $(PY) -m tests.bench.growth $(ARGS)

.PHONY: test-tabs
test-tabs: dist ## runs in 50 tabs at once, in Chromium (TABS=NUMBER); make test takes ten
	TABS=$(or $(TABS),50) $(PYTEST) tests/e2e/test_crowd.py $(ARGS)

.PHONY: test-llm
test-llm: dist ## 20 small tasks with a real small model (MODE=constrained, RUNS=3, TASKS=1-5, SEED=NUMBER)
	PYTHONPATH=py $(PY) -m tests.bench.llm

MINIWOB_ORACLE ?= ../shared/miniwob
MINIWOB := tests/bench/miniwob/requirements.txt
MINIWOB_STAMP := .cache/miniwob/.fetched-$(shell sha256sum $(MINIWOB) | cut -c1-16)

.PHONY: bench-miniwob
bench-miniwob: dist $(MINIWOB_STAMP) ## MiniWoB++ with the built extension (MINIWOB_ORACLE=FOLDER, ARGS="--tasks click-* --seeds 1 -v")
	PYTHONPATH=py $(PY) -m tests.bench.miniwob --oracle "$(MINIWOB_ORACLE)" $(or $(ARGS),--browser both)

$(MINIWOB_STAMP): $(MINIWOB) | deps
	rm -rf .cache/miniwob
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --no-compile --target .cache/miniwob --requirement $<
	touch $@

.PHONY: pictures
pictures: dist ## pictures of the screens in every state
	PYTHONPATH=py $(PY) -m tests.support.pictures

.PHONY: check-reproducible
check-reproducible: deps ## build twice from nothing and compare every byte
	$(PY) -m build --check-reproducible

.PHONY: lock
lock: deps ## maintainers, with Python 3.12: resolve all anew (package-lock.json: npm install --package-lock-only)
	@test -n "$(PYTHON_LOCK)" || { echo "make lock needs Python 3.12 or newer: make lock PYTHON_LOCK=/path/to/python"; exit 1; }
	$(PYTHON_LOCK) -m venv --clear .cache/lock
	.cache/lock/bin/python -c '$(LOCK_TOOLS)' > .cache/lock/tools.txt
	.cache/lock/bin/python -m pip install --quiet uv==$(UV_VERSION) --requirement .cache/lock/tools.txt
	.cache/lock/bin/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-header --quiet --output-file .cache/requirements.lock
	{ echo "# Every Python package that building and testing needs, by hash. Made by \`make lock\` from pyproject.toml."; \
	  cat .cache/requirements.lock; } > requirements.lock
	.cache/lock/bin/python -m build.lock

.PHONY: new-tool
new-tool: deps ## start a new tool: make new-tool NAME=my_tool
	@$(PY) -m build.scaffold tool "$(NAME)"

.PHONY: new-provider
new-provider: deps ## start a new provider: make new-provider NAME=my-service
	@$(PY) -m build.scaffold provider "$(NAME)"

.PHONY: docs
docs: deps ## make the tables in docs/ that come from the code
	@PYTHONPATH=py $(PY) -m build.tool_docs
	@PYTHONPATH=py $(PY) -m webbrain.providers.table docs/providers.md

.PHONY: clean
clean: ## remove what was built; keep what was installed and fetched
	rm -rf dist .cache/build.stamp .cache/bytecode .pytest_cache .mypy_cache .ruff_cache test-results

.PHONY: deps
deps: $(VENV_STAMP) $(NODE_STAMP)

$(VENV_STAMP): requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed") if sys.version_info < (3, 11) else None'
	@test -x $(PY) || $(PYTHON) -m venv .venv || { rm -rf .venv; $(ADD_VENV) && $(PYTHON) -m venv .venv; }
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	rm -f .venv/.installed-* && touch $@

$(NODE_STAMP): package-lock.json
	@node -e 'if (Number(process.versions.node.split(".")[0]) < 20) { console.error("Node 20 or newer is needed"); process.exit(1); }'
	npm ci --no-audit --no-fund --loglevel=error
	rm -f node_modules/.installed-* && touch $@
