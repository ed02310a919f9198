# `make run` shows Porthole at work, `make test` checks everything. Both install what they need (see `setup`).

CARGO ?= cargo
PORTHOLE = target/debug/porthole

.PHONY: help setup build run test format lint golden deny emulator-sdk bench-round-trips soak deploy-check deploy-prove bench-overload bench bench-settled bench-parts

help:
	@echo 'make run [URL=https://example.com] [ONCE=1]  start Porthole, take a picture of URL and read it'
	@echo 'make test                                    format, lints, unit and end-to-end tests'
	@echo 'make emulator-sdk                            the emulator with Browserbase'"'"'s own SDKs: needs node, python, their registries'
	@echo 'make bench-round-trips [RUNS=5]              round trips of a screenshot, beside Playwright and Puppeteer: needs node, npm, its registry'
	@echo 'make soak [SECONDS=3600] [SEED=n]            mixed traffic and faults at random; prints what came of it'
	@echo 'make deploy-check | deploy-prove                the files of deploy/ held against their schemas; the images run under runc'
	@echo 'make bench-overload [SECONDS=60] [FACTOR=10]  a minute at ten times capacity: goodput, refusals, recovery'
	@echo 'make bench [BENCH="--shots 30 --browserless …"]  how fast, at what cost, beside Playwright and browserless: needs node, npm'
	@echo 'make bench-settled                           how often a picture shows the page as it will be, beside other waits'
	@echo 'make bench-parts                             what inner parts take: the guard, JSON, the size cap'"'"'s ladder'
	@echo 'make lint | format | golden | deny           one thing of it: see the Makefile'

setup:
	@./setup

# One profile and one feature set for everything, so that nothing is built twice.
build: setup
	$(CARGO) build --workspace --all-targets

run: build
	@$(PORTHOLE) demo $(if $(ONCE),--once) $(if $(URL),'$(URL)')

# The runner's closing lines come last.
test: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) build --workspace --all-targets
	@$(MAKE) --no-print-directory deploy-check
	@deploy/tools prometheus
	$(CARGO) test --workspace

lint:
	$(CARGO) clippy --workspace --all-targets -- -D warnings

format:
	$(CARGO) fmt --all

# After a change of the API that is meant: writes contract/openapi.json anew.
golden:
	UPDATE_GOLDEN=1 $(CARGO) test -p porthole-contract

# Advisories, licences, sources of all dependencies; needs `cargo install cargo-deny` and the advisory database.
deny:
	$(CARGO) deny check

# Browserbase's SDKs and Playwright, installed from npm and PyPI into a temp folder, against the emulator.
emulator-sdk: build
	emulator/sdk/check

# Counts round trips to a remote browser and prints a table: Porthole beside Playwright and Puppeteer, which npm installs
# into a temp folder. Takes some minutes; the machine should have nothing else to do.
bench-round-trips: build
	@target/debug/examples/round_trips $(RUNS)

# Mixed traffic at twice the capacity while browsers are killed, Browserbase fails and the service is restarted. Ends
# with 1 where something is left behind or answered wrongly; `make test` has a minute of it.
soak: build
	@target/debug/examples/soak $(or $(SECONDS),3600) $(SEED)

# Manifests, units, rules and the Dockerfile, by checkers that it brings itself; says what it could not check.
deploy-check:
	@deploy/check

# The images' insides under runc, with the seccomp profile and Chromium's sandbox on: as root, takes some minutes.
deploy-prove: build
	@deploy/container/prove

# Asks a stack for ten times what it can do, for a minute, and prints a table. The machine should have nothing else to do.
bench-overload: setup
	$(CARGO) build --release -p porthole-service -p porthole-worker -p porthole-tests --bins --example overload
	@target/release/examples/overload $(or $(SECONDS),60) $(or $(FACTOR),10)

# Prints Markdown; all arguments stand at the head of tests/examples/bench/main.rs. Playwright (and, with --browserless,
# browserless and Node 24) are installed by npm into a temp folder; the pages come from a local site. Takes some 25 minutes,
# 40 with browserless; the machine should have nothing else to do.
bench: setup
	$(CARGO) build --release -p porthole-service -p porthole-worker -p porthole-tests --bins --example bench
	@target/release/examples/bench --growth 5000 $(BENCH)

# What `settled` is worth: 59 pages that end in as many ways, and 20 of Debian's python3-doc where that is installed.
bench-settled: setup
	$(CARGO) build --release -p porthole-service -p porthole-worker -p porthole-tests --bins --example bench
	@target/release/examples/bench --settled --bursts 1 $(BENCH)

# Criterion's own numbers, compared with those of the run before; needs no browser. BENCH chooses by name.
bench-parts:
	$(CARGO) bench --workspace --bench parts -- $(BENCH)
