# Every target explains itself: `make help`. Only Python 3.11 or newer and make are needed.

SHELL := /bin/sh
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
export UV_PYTHON_DOWNLOADS := never
# Where the machine keeps certificates of its own (a proxy's, say), uv trusts them as pip does.
ifneq ($(wildcard /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem),)
export UV_SYSTEM_CERTS ?= true
endif

BIN := .venv/bin
UV := $(BIN)/uv
LOCK_TOOL := PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tools/lock.py
REALWEB := $(BIN)/python -m nephila_testkit.realweb
REALWEB_DIR := run/realweb
SERVERS := $(BIN)/python -m nephila_testkit.servers
SERVERS_DIR := run/servers
SOURCES := libs services tests tools
MEMBERS := $(patsubst %/pyproject.toml,%,$(wildcard libs/*/pyproject.toml services/*/pyproject.toml))
# Only the members that the command needs: all but the test kit.
PRODUCT := $(filter-out libs/testkit,$(MEMBERS))
PYPROJECTS := $(MEMBERS:%=%/pyproject.toml)
PROTOS := $(wildcard proto/nephila_contracts/v1/*.proto)
# A word of the shell's that stands for the text as it is, whatever it holds.
quoted = '$(subst ','\'',$(1))'

.PHONY: help
help: ## Prints this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Use --------------------------------------------------------------------------------------------

.PHONY: setup
setup: .venv/.product ## Installs the command at .venv/bin/nephila.
	@echo "Ready: $(BIN)/nephila"

.PHONY: crawl
crawl: ## Crawls a site: make crawl URL=https://example.org [ARGS="--into DIR --pages 100"].
	@test -n $(call quoted,$(strip $(value URL))) || { \
	  echo 'Say what to crawl: make crawl URL=https://example.org' >&2; exit 2; }
	@$(MAKE) -s .venv/.product
	@$(BIN)/nephila crawl $(foreach url,$(value URL),$(call quoted,$(url))) $(value ARGS)

# A Python that is gone, or a checkout that was moved, leaves an environment that does not work.
STALE := $(shell test -d .venv && { test -x .venv/bin/python && \
  test "$$(cat .venv/.home 2>/dev/null || pwd -P)" = "$$(pwd -P)" || echo stale; })
.PHONY: stale
.venv/bin/uv: requirements-uv.lock tools/venv.sh $(STALE)
	@echo 'Making .venv' >&2
	@PYTHON="$(PYTHON)" sh tools/venv.sh
	@touch $@

.venv/.product: $(UV) requirements-run.lock $(PYPROJECTS)
	@echo 'Installing nephila' >&2
	@$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements-run.lock
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps $(PRODUCT:%=-e ./%)
	@touch $@

# Work on it --------------------------------------------------------------------------------------

.PHONY: setup-dev
setup-dev: .venv/.development ## Installs what tests and checks need beside it.

.venv/.development: .venv/.product requirements.lock
	@echo 'Installing the tools of development' >&2
	@$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps $(MEMBERS:%=-e ./%)
	@touch $@

.PHONY: test
test: setup-dev ## Runs every test but those of real servers, the real web and the faults that last.
	@$(BIN)/pytest -q -n 2 -m 'not servers and not realweb and not long' $(value ARGS)

.PHONY: servers-test
servers-test: setup-dev ## Installs Kafka, Cassandra, Redis, S3 and OpenSearch, and runs the tests on them.
	@$(SERVERS) install $(SERVERS_DIR)
	@$(BIN)/pytest -q -n 2 -m servers $(value ARGS)

.PHONY: test-quick
test-quick: setup-dev ## Runs the unit tests: no socket, no sleep.
	@$(BIN)/pytest -q -n 2 tests/unit $(value ARGS)

CHECKS := check-format check-lint check-protos check-layers check-imports check-shape check-locks \
  check-generated check-types

.PHONY: check
check: setup-dev ## Checks format, lint, types, imports, sizes, links, and that nothing is stale.
	@$(MAKE) --keep-going $(CHECKS)

.PHONY: $(CHECKS)
check-format:
	@$(BIN)/ruff format --check $(SOURCES)
check-lint:
	@$(BIN)/ruff check $(SOURCES)
check-protos:
	@$(BIN)/buf lint proto
check-layers:
	@$(BIN)/lint-imports --no-cache --no-logo
check-imports:
	@$(BIN)/python tools/imports.py
check-shape:
	@$(BIN)/python tools/shape.py
check-locks:
	@$(BIN)/python tools/lock.py --check
check-generated:
	@$(BIN)/python tools/generate.py --check
check-types:
	@$(BIN)/pyright

.PHONY: format
format: setup-dev ## Formats the code and mends what the linter can mend.
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

.PHONY: lock
lock: $(UV) ## Takes changed dependencies into the lock files; every other pin stays.
	$(LOCK_TOOL)

.PHONY: lock-upgrade
lock-upgrade: $(UV) ## Moves every pin to the newest release that the members allow.
	$(LOCK_TOOL) --upgrade

.PHONY: generate
generate: setup-dev ## Writes what is generated: message classes, docs/data-flow.md, reasons.md, settings.md.
	$(BIN)/python tools/generate.py

.PHONY: servers
servers: setup-dev ## Starts Kafka, Cassandra, Redis, S3 and OpenSearch on loopback, to be used by hand.
	@$(SERVERS) start $(SERVERS_DIR)

.PHONY: servers-down
servers-down: setup-dev ## Stops them; their data stays in run/servers.
	@$(SERVERS) stop $(SERVERS_DIR)

.PHONY: realweb
realweb: setup-dev ## Serves thousands of real pages on loopback (Debian packages: root, the first time).
	@$(REALWEB) install $(REALWEB_DIR)
	@$(REALWEB) start $(REALWEB_DIR)
	@$(REALWEB) wait $(REALWEB_DIR)

.PHONY: realweb-down
realweb-down: setup-dev ## Stops them.
	@$(REALWEB) stop $(REALWEB_DIR)

.PHONY: realweb-test
realweb-test: setup-dev ## Crawls them and compares with what a separate program reaches.
	@$(REALWEB) install $(REALWEB_DIR)
	@$(BIN)/pytest -q -m realweb $(value ARGS)

.PHONY: simulate-faults
simulate-faults: setup-dev ## Crawls on a virtual clock through seeded faults: [SEEDS=1000] [FIRST=1].
	@SIMULATE_SEEDS=$(or $(SEEDS),1000) SIMULATE_FIRST=$(or $(FIRST),1) \
	  $(BIN)/pytest -q -n 2 tests/fault/test_simulated_faults.py $(value ARGS)

.PHONY: faults
faults: setup-dev ## Runs every test of faults, also those that last: full, failing and slow disks, clocks, stops.
	@$(BIN)/pytest -q -n 2 tests/fault $(value ARGS)

.PHONY: chaos
chaos: setup-dev ## Kills crawls with SIGKILL, and ends with one line: [KILLS=150].
	@PYTHONPATH=tests/support $(BIN)/python tests/fault/chaos.py --kills $(or $(KILLS),150) $(value ARGS)

.PHONY: mutants
mutants: setup-dev ## Breaks a copy of the product in ways that the checks must notice: [ARGS="--only lease"].
	@$(BIN)/python tests/fault/mutants $(value ARGS)

.PHONY: bench-micro
bench-micro: setup-dev ## Measures our own hot functions: CPU milliseconds a page, as JSON.
	@$(BIN)/python tests/bench/micro.py $(value ARGS)

.PHONY: bench
bench: setup-dev ## Measures CPU seconds for 1,000 pages beside Scrapy and colly (go; ten minutes).
	@$(BIN)/python tests/bench/peers/compare.py $(value ARGS)

.PHONY: bench-long
bench-long: setup-dev ## Crawls 300,000 generated pages: does it slow down? Plot in run/ (half an hour).
	@$(BIN)/python tests/bench/long_crawl/long_crawl.py $(value ARGS)

.PHONY: ci
ci: ## Runs what a change must pass: check, test, servers-test, realweb-test.
	@$(MAKE) check
	@$(MAKE) test
	@$(MAKE) servers-test
	@$(MAKE) realweb-test

.PHONY: wheels
wheels: $(UV) ## Builds a wheel of every member into dist/: `pip install dist/*.whl` gives the command.
	@rm -rf dist
	@for member in $(PRODUCT); do $(UV) build --quiet --wheel --out-dir dist $$member || exit 1; done
	@ls dist

.PHONY: clean
clean: ## Removes .venv and everything else that these targets make; never a crawl.
	rm -rf .venv dist build .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find $(SOURCES) -name __pycache__ -prune -exec rm -rf {} +
	find libs services -name '*.egg-info' -prune -exec rm -rf {} +
