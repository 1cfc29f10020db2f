# Everything that is done with the source of parley. It needs Go, git, make and,
# for the race detector, a C compiler; what else a test needs, it looks for and
# skips with the reason.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X parley/internal/cli.version=$(VERSION)
FUZZTIME ?= 30s
BENCH ?= .
GORELEASER ?= goreleaser
GORELEASER_VERSION := v2.16.0

# Only release builds embed the commit. Where a checkout belongs to another user, as in many
# containers, git does not say which, and then not even packages could be listed.
# Tests build the program as it is shipped: with the same flags, the checks compile the
# packages for them, too.
export GOFLAGS := $(shell go env GOFLAGS) -buildvcs=false -trimpath

.PHONY: build
build: ## build the static binary bin/parley
	CGO_ENABLED=0 go build -trimpath -buildvcs=auto -ldflags '$(LDFLAGS)' -o bin/parley .

.PHONY: man
man: ## write manual pages and shell completions to bin/extras, from the commands themselves
	@rm -rf bin/extras
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null) go run ./packaging manuals bin/extras

.PHONY: agents
agents: ## before a release: bring the built-in list of agents up to date, from the registry or npm
	go run ./packaging agents internal/registry/snapshot

.PHONY: run
run: build ## build parley and start it here
	./bin/parley

# With one seed, a run of the tests judges what was changed. fuzz looks for new cases.
export RAPID_SEED ?= 1

# Where goroutines start, in the package or in its tests. Those that only drive programs have
# nothing to race with.
RACES = ${shell grep -rlE '(^|[[:space:];])go (func\(|[a-zA-Z.]+\()|\.Go\(|AfterFunc\(' --include='*.go' . | grep -vE '^./(internal/test|packaging)/' | xargs -n1 dirname | sort -u | sed 's|^\./|parley/|'}

.PHONY: test
test: ## run all tests, end-to-end ones included, with the race detector where goroutines are
	@# Check vets them. Without cgo, they use what it has compiled.
	CGO_ENABLED=0 go test -vet=off $$(go list ./... | grep -vxF "$$(printf '%s\n' $(RACES))")
	GORACE="atexit_sleep_ms=0 $(GORACE)" go test -vet=off -race $(RACES)

.PHONY: pictures
pictures: ## regenerate the guide's pictures and the recorded tour from the program itself
	go test -count=1 -run 'TestTour|TestPictures' ./internal/test/e2e -into $(CURDIR)/docs

.PHONY: test-kills
test-kills: ## kill parley, a viewer and a host at 100 moments of a turn, and look for what was shown
	PARLEY_TEST_KILLS=100 go test -count=1 -timeout 30m -run 'WhatTheScreenShowedIsThereAfterAKill|AKilledViewer|AKilledHost' ./internal/test/e2e

SOAK ?= 1

.PHONY: soak
soak: ## live through a long day in a viewer and in a host, and see what grows (SOAK=0.05: a part of it)
	PARLEY_TEST_SOAK=$(SOAK) go test -count=1 -timeout 6h -v -run TestSoak ./internal/test/e2e

# The commit that was checked last. What has changed since may need a check for other systems.
SINCE ?= HEAD~1

.PHONY: elsewhere
elsewhere: export CGO_ENABLED = 0
elsewhere: ## compile for macOS and Windows; check does so when files for them or go.mod have changed
	GOOS=darwin go build -o /dev/null .
	@# Vetting compiles all but the tests' tools for Windows.
	packages=$$(go list ./...) && GOOS=windows go vet $$(echo "$$packages" | grep -v internal/test/)

.PHONY: check
check: export CGO_ENABLED = 0
check: release-check ## format, vet, lint, and a tidy go.mod
	@unformatted=$$(go tool gofumpt -l .) || exit 1; if [ -n "$$unformatted" ]; then echo "not formatted (make fmt):"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go vet -tags realagents $$(grep -rlx --include='*.go' '//go:build realagents' . | xargs -n1 dirname | sort -u)
	@changed=$$(git diff --name-only $(SINCE) 2>/dev/null || echo go.mod); \
	if echo "$$changed" | grep -qE '(_(darwin|windows)[a-z_]*\.go|go\.mod)$$' || grep -qs '^//go:build' $$changed /dev/null; then $(MAKE) elsewhere; fi
	STATICCHECK_CACHE=$${STATICCHECK_CACHE:-$$(go env GOCACHE)/staticcheck} go tool staticcheck ./...
	go mod tidy -diff
	@# govulncheck is left out: it needs its database from the network at each run.

.PHONY: release-check
release-check: ## have GoReleaser check how releases are made, where it is installed
	@if command -v $(GORELEASER) >/dev/null; then $(GORELEASER) check --quiet; \
	else echo "the release's configuration is not checked: there is no $(GORELEASER) (go install github.com/goreleaser/goreleaser/v2@$(GORELEASER_VERSION))"; fi

.PHONY: snapshot
snapshot: ## build all packages of a release in dist, and publish nothing; needs GoReleaser
	$(GORELEASER) release --snapshot --clean $$(command -v syft >/dev/null || { echo "no list of parts (SBOM): there is no syft" >&2; echo --skip=sbom; })
	go run ./packaging npm dist dist/npm

.PHONY: reproducible
reproducible: ## before a release: build twice from nothing and compare; takes some minutes
	PARLEY_TEST_REPRODUCIBLE=1 go test -count=1 -timeout 30m -v -run TestTwoBuilds ./internal/test

.PHONY: fmt
fmt: ## format the source
	go tool gofumpt -w .

.PHONY: bench
bench: ## run the Go benchmarks (BENCH=regexp chooses)
	go test -short -run '^$$' -bench '$(BENCH)' -benchmem ./...

.PHONY: bench-store
bench-store: ## measure 10,000 stored sessions of 1 GB together, which takes some minutes to make
	PARLEY_BENCH_SESSIONS=10000 go test -timeout 60m -run '^$$' -bench Index -benchmem ./internal/store

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME, and the property tests with new seeds
	@set -e; for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5x $$pkg; \
		done; \
	done
	RAPID_SEED=0 go test -count=1 $$(grep -rl pgregory.net/rapid --include='*_test.go' . | xargs -n1 dirname | sort -u)

.PHONY: test-agents
test-agents: ## run the tests against real agents from npm, on a fake model server
	go test -tags realagents -count=1 -timeout 1h -v -run '^TestReal' ./internal/test/e2e

.PHONY: help
help: ## say what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14
