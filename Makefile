# Everything that is done with the source of parley. It needs Go, git, make and,
# for the race detector, a C compiler; what else a test needs, it looks for and
# skips with the reason.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X parley/internal/cli.version=$(VERSION)
FUZZTIME ?= 30s
BENCH ?= .

.PHONY: build
build: ## build the static binary bin/parley
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/parley .

.PHONY: run
run: build ## build parley and start it here
	./bin/parley

.PHONY: test
test: ## run all tests, end-to-end ones included, with the race detector
	go test -race ./...

.PHONY: check
check: ## format, vet, lint, and a tidy go.mod
	@unformatted=$$(go tool gofumpt -l .); if [ -n "$$unformatted" ]; then echo "not formatted (make fmt):"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go vet -tags realagents ./...
	GOOS=darwin CGO_ENABLED=0 go build -o /dev/null .
	GOOS=windows CGO_ENABLED=0 go build -o /dev/null .
	go tool staticcheck ./...
	go mod tidy -diff
	@# govulncheck is left out: it needs its database from the network at each run.

.PHONY: fmt
fmt: ## format the source
	go tool gofumpt -w .

.PHONY: bench
bench: ## run the Go benchmarks (BENCH=regexp chooses)
	go test -short -run '^$$' -bench '$(BENCH)' -benchmem ./...

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME
	@set -e; for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5x $$pkg; \
		done; \
	done

.PHONY: test-agents
test-agents: ## run the tests against real agents from npm, on a fake model server
	go test -tags realagents -count=1 -v ./internal/test/realagents/...

.PHONY: help
help: ## say what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14
