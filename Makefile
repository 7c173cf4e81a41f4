# Security Sieve. `make` lists what can be done; every target first sets up what it needs.
# Asked of you: git, make and python3 >= 3.11 with venv. All else comes from the package registries, by lock file.

.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory

UV_VERSION := 0.13.8
PYTHON ?= python3
TOOLS := .tools
UV := $(TOOLS)/bin/uv
VENV := backend/.venv
BIN := $(VENV)/bin
# uv must use the python it is given, and never fetch one.
export UV_PYTHON_DOWNLOADS := never
export VIRTUAL_ENV := $(CURDIR)/$(VENV)

.PHONY: help setup run demo test check format soak certs lock clean

help: ## list what can be done
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

$(UV):
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) is missing: install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make: $(PYTHON) is older than 3.11: name a newer one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -m venv $(TOOLS) || { echo "make: $(PYTHON) cannot make a virtual environment: install its venv module (Debian: apt-get install python3-venv)" >&2; exit 1; }
	@$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

# The stamp carries what the environment was made from, so that a changed lock file makes it anew.
$(VENV)/.ready: $(UV) backend/requirements.lock backend/requirements-dev.lock backend/pyproject.toml
	@test -x $(BIN)/python || $(UV) venv --quiet --python $(TOOLS)/bin/python $(VENV)
	@$(UV) pip sync --quiet --require-hashes backend/requirements-dev.lock
	@$(UV) pip install --quiet --no-deps --no-build-isolation --editable backend
	@touch $@

setup: $(VENV)/.ready ## set up everything that the other targets need

run: setup ## start the gateways alpha and bravo with demo people and a sample document
	@$(BIN)/python -m sieve.demo run

demo: setup ## send one document from alpha to bravo and check it (DEMO_FILE=path DEMO_ARGS="--mode ...")
	@$(BIN)/python -m sieve.demo once $(if $(DEMO_FILE),--file "$(DEMO_FILE)") -- $(DEMO_ARGS)

check: setup ## formatters, linters, types, arrows, compose file
	@$(BIN)/ruff format --check backend certs
	@$(BIN)/ruff check backend certs
	@cd backend && .venv/bin/mypy
	@cd backend && .venv/bin/lint-imports
	@$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml

test: check ## everything: check, then all tests
	@cd backend && .venv/bin/pytest -n 2 --dist worksteal

soak: setup ## the long trials
	@cd backend && SIEVE_TRIALS=5000 .venv/bin/pytest -n 0 -s tests/stories/test_hostile_network.py

certs: setup ## a development CA, an identity and a receipt key for each gateway, in certs/out
	@$(BIN)/python certs/make.py --out certs/out alpha bravo

format: setup ## format and mend what can be mended
	@$(BIN)/ruff format backend certs
	@$(BIN)/ruff check --fix backend certs

lock: $(UV) ## resolve the dependencies anew
	@cd backend && ../$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header pyproject.toml -o requirements.lock
	@cd backend && ../$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --group dev -c requirements.lock pyproject.toml -o requirements-dev.lock

clean: ## remove what was set up and made
	rm -rf $(TOOLS) $(VENV) certs/out data backend/.mypy_cache backend/.ruff_cache backend/.pytest_cache backend/.hypothesis
