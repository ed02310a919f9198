# `make run` shows Porthole at work, `make check` is for each commit, `make test` checks everything. They install
# what they need (see `setup`).

CARGO ?= cargo
TARGET = $(or $(CARGO_TARGET_DIR),target)
PORTHOLE = $(TARGET)/debug/porthole
# Most end-to-end tests wait for a browser or a clock most of their time.
export RUST_TEST_THREADS ?= $(shell echo $$(($$(nproc) + 3)))

# One thing after the other, with `-j` too: Cargo uses all processors, and tests measure time.
.NOTPARALLEL:
.PHONY: help setup setup-tests build build-tests run check test test-one alerts prometheus format format-check \
	lint doc golden deny emulator-sdk mcp-conformance editors-check web-check soak deploy-check deploy-prove \
	bench-round-trips bench-overload bench bench-settled bench-neighbours bench-live bench-parts bench-agents \
	bench-agents-beside bench-idle-sessions names-check

help:
	@echo 'make run [URL=https://example.com] [ONCE=1]  start Porthole, take a picture of URL and read it'
	@echo 'make check                                   before each commit: format, lints, unit tests; no browser'
	@echo 'make test-one NAME=part-of-a-name            the tests whose names contain NAME, with what they need'
	@echo 'make test                                    all of it: make check, doc, deploy-check, end-to-end tests'
	@echo 'make alerts                                  each alert fires by its cause; part of make test'
	@echo 'make emulator-sdk                            the emulator with the SDKs of Browserbase: needs node, python'
	@echo 'make mcp-conformance                         the suite and the clients of MCP: needs npm, python'
	@echo 'make editors-check [EDITORS=quill]           an agent types into nine editors: needs node, npm'
	@echo 'make names-check                             roles and names beside Chromium'"'"'s: needs node, npm, apt-get, git'
	@echo 'make web-check                               web/ by TypeScript, axe and in React: needs node, npm'
	@echo 'make bench-round-trips [RUNS=5]              round trips of a screenshot, beside others: needs node, npm'
	@echo 'make soak [SECONDS=3600] [SEED=n]            mixed traffic and faults; make test has half a minute of it'
	@echo 'make deploy-check                            the files of deploy/ against their schemas; part of make test'
	@echo 'make deploy-prove                            the images under runc, as root'
	@echo 'make deny                                    dependencies: licences, sources, advisories: needs cargo-deny'
	@echo 'make bench-overload [SECONDS=60] [FACTOR=10] a minute at ten times capacity: goodput, refusals, recovery'
	@echo 'make bench [BENCH="--shots 30 …"]             how fast, at what cost, beside others: needs node, npm'
	@echo 'make bench-neighbours                        how long a second sandbox waits beside each kind of hostile page'
	@echo 'make bench-live                              the live view: frames, cost, input to frame: needs node, npm'
	@echo 'make bench-idle-sessions                     what 200 idle sessions cost, and pictures beside them'
	@echo 'make bench-settled                           how often a picture shows the page as it will be'
	@echo 'make bench-agents [SEEDS=a,b,c] [TASK=name,…]  tasks of MiniWoB++ for a scripted agent: needs python, pip'
	@echo 'make bench-agents-beside [SEEDS=e] [ONLY=…]  the same beside three other browsers: needs node, npm, too'
	@echo 'make bench-parts                             what inner parts take: the guard, JSON, the size cap'"'"'s ladder'
	@echo 'make lint | format | doc | golden            one thing of it: see the Makefile'
	@echo 'What needs npm or python installs packages from their registries into a temp folder or target/.'

setup:
	@./setup

setup-tests:
	@./setup tests

# All selections below resolve the same features, so that nothing is compiled twice: always the whole workspace, and
# always a test or an example among the targets, since those bring the features of the dev-dependencies. The file
# tells the end-to-end tests that the executables are as new as the manifests (tests/src/executable.rs).

# What docs/examples has in other languages, too; a test runs all of them.
CLIENT_EXAMPLES = --example screenshot --example extract --example mint_token --example session

build: setup
	$(CARGO) build --workspace --bins --example soak
	@touch $(TARGET)/debug/.built

build-tests: setup-tests
	$(CARGO) build --workspace --bins --tests $(CLIENT_EXAMPLES)
	@touch $(TARGET)/debug/.built

run: build
	@$(PORTHOLE) demo $(if $(ONCE),--once) $(if $(URL),'$(URL)')

# What to run before each commit: no browser, no network, under a minute when little has changed.
check: setup format-check lint
	$(CARGO) test --quiet --workspace --lib --bins

# The tests whose names contain NAME, wherever they are.
test-one: build-tests
	@tests/one '$(NAME)'

# Everything, compiled once: clippy lints the workspace while it compiles it, with the variables that `cargo clippy`
# sets, and rustdoc writes the documentation of what it tests. The runner's closing lines come last.
test: export RUSTC_WORKSPACE_WRAPPER = $(CURDIR)/.ci/rustc
test: export CLIPPY_ARGS = -D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
test: export RUSTDOC = $(CURDIR)/.ci/rustdoc
# Line numbers in backtraces are a fifth of what the workspace's crates take to compile; a panic tells its place anyway.
test: export CARGO_PROFILE_DEV_DEBUG = 0
test: setup-tests format-check deploy-check prometheus
	$(CARGO) build --workspace --all-targets
	@touch $(TARGET)/debug/.built
	$(CARGO) test --workspace --doc
	@tests/all

# Every alert fires when its cause happens to a real stack.
alerts: build-tests prometheus
	$(CARGO) test --workspace --test alerts

prometheus:
	@deploy/tools prometheus

format-check:
	$(CARGO) fmt --all --check

# Broken links and malformed comments; the flags share clippy's compilation of the dependencies.
doc:
	RUSTDOCFLAGS='-D warnings -A rustdoc::private_intra_doc_links' \
		$(CARGO) doc --workspace --no-deps --lib --bin porthole --example soak

lint:
	$(CARGO) clippy --workspace --all-targets -- -D warnings

format:
	$(CARGO) fmt --all

# After an intended change of the API: writes contract/openapi.json again.
golden:
	UPDATE_GOLDEN=1 $(CARGO) test -p porthole-contract

# Says what it could not check: bans, licences and sources need cargo-deny, advisories RustSec's database, too.
deny:
	@.ci/deny

# Browserbase's SDKs and Playwright, installed from npm and PyPI into a temp folder, against the emulator.
emulator-sdk: build
	emulator/sdk/check

# The Model Context Protocol's conformance suite, official SDKs and inspector, installed from npm and PyPI into a
# temp folder.
mcp-conformance: setup
	$(CARGO) build --workspace --bins --example mcp_fixtures
	@touch $(TARGET)/debug/.built
	tests/mcp/conformance

# Editors from npm (ProseMirror, Lexical, Slate, Draft.js, CodeMirror, Monaco, Quill, Ace), which npm installs into a temp
# folder, in a real browser behind worker and service.
editors-check: build
	tests/editors/check $(EDITORS)

# Roles and names beside Chromium's over four sources of pages, and the accname cases of the Web Platform Tests beside
# Playwright's. FOLDER keeps what npm, apt-get and git bring; WPT is a copy of microsoft/playwright's tests/assets/wpt.
names-check: setup
	@tests/names/check $(or $(FOLDER),$(TARGET)/beside)

# TypeScript reads the modules and their declarations, axe looks at the elements in Chromium, and the example for
# React runs there; npm installs all of it into a temp folder.
web-check: build-tests
	web/check/run

# Counts round trips to a remote browser and prints a table: Porthole beside Playwright and Puppeteer, which npm
# installs into a temp folder. Takes some minutes; the machine should have nothing else to do.
bench-round-trips: setup
	$(CARGO) build --workspace --bins --example round_trips
	@$(TARGET)/debug/examples/round_trips $(RUNS)

# Mixed traffic at twice the capacity while browsers are killed, Browserbase fails and the service is restarted. Ends
# with 1 where something is left behind or answered wrongly; `make test` has half a minute of it.
soak: build
	@$(TARGET)/debug/examples/soak $(or $(SECONDS),3600) $(SEED)

# Manifests, units, rules and the Dockerfile, by checkers that it brings itself; says what it could not check.
deploy-check:
	@deploy/check

# The images' insides under runc, with the seccomp profile and Chromium's sandbox on: as root, takes some minutes.
deploy-prove: build
	@deploy/container/prove

# Asks a stack for ten times what it can do, for a minute, and prints a table. The machine should have nothing else
# to do.
bench-overload: setup
	$(CARGO) build --release --workspace --bins --example overload
	@$(TARGET)/release/examples/overload $(or $(SECONDS),60) $(or $(FACTOR),10)

# Prints Markdown; all arguments stand at the head of tests/examples/bench/main.rs. Playwright (and, with
# --browserless, browserless and Node 24) are installed by npm into a temp folder; the pages come from a local site.
# Takes some 25 minutes, 40 with browserless; the machine should have nothing else to do.
bench: setup
	$(CARGO) build --release --workspace --bins --example bench
	@$(TARGET)/release/examples/bench --growth 5000 $(BENCH)

# What `settled` is worth: 59 pages that end in as many ways, and 20 of Debian's python3-doc where that is installed.
bench-settled: setup
	$(CARGO) build --release --workspace --bins --example bench
	@$(TARGET)/release/examples/bench --settled --bursts 1 $(BENCH)

# MiniWoB++'s tasks by a scripted agent over the session routes. pip installs the tasks' pages into the target folder.
# LOG=1 prints the calls of each task that was not solved.
SEEDS ?= a,b,c
bench-agents: setup
	$(CARGO) build --release --workspace --bins --example soak
	@python3 tests/agents/miniwob.py --service $(TARGET)/release/porthole-service --package $(TARGET)/miniwob \
		--seeds $(SEEDS) $(if $(TASK),--task $(TASK)) $(if $(LOG),--log)

# Clicks, snapshots and tasks beside @playwright/mcp, agent-browser and chrome-devtools-mcp, each over its own
# protocol, in one run; prints Markdown. Takes some 20 minutes, 12 of them the tasks (MINUTES); the machine should have
# nothing else to do. TASK chooses tasks by name.
bench-agents-beside: setup
	$(CARGO) build --release --workspace --bins --example soak
	@tests/agents/beside $(TARGET)/beside $(TARGET)/release/porthole-service --seeds $(SEEDS) $(if $(ONLY),--only $(ONLY)) \
		$(if $(TASK),--tasks $(TASK)) --minutes $(or $(MINUTES),12)

# Criterion's own numbers, compared with those of the run before; needs no browser. BENCH chooses by name.
bench-parts:
	$(CARGO) bench --workspace --bench parts -- $(BENCH)

# The live view: frames to 1, 20 and 100 viewers, memory, processor time, input to frame, a slow line; then
# agent-browser's stream and Playwright's screencast beside it, and the viewer in a second Chromium, which need node
# and npm. Prints Markdown; the machine should have nothing else to do.
bench-live: setup
	$(CARGO) build --release --workspace --bins --example live
	@tests/live/install $(TARGET)/live-beside
	@$(TARGET)/release/examples/live --modules $(TARGET)/live-beside $(BENCH)

# A second sandbox's requests beside pages that flood the browser that both share. Prints Markdown.
bench-neighbours: setup
	$(CARGO) build --release --workspace --bins --example neighbours
	@$(TARGET)/release/examples/neighbours $(BENCH)

# 200 sessions that are left alone: the service's own memory for each, and pictures beside them. Takes 6 GB; prints
# Markdown.
bench-idle-sessions: setup
	$(CARGO) build --release --workspace --bins --example idle_sessions
	@$(TARGET)/release/examples/idle_sessions $(BENCH)
