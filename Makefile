# What a contributor needs. `make help` lists it.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# A Go that set-up had to fetch lies in .tools; a hand-installed one is often not on root's PATH.
export PATH := $(CURDIR)/.tools/go/bin:$(PATH):/usr/local/go/bin

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
BUILD := CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)'
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME ?= 30s
# Tests of sheer size, in which nothing runs side by side: the race detector would make minutes of their seconds.
LARGE := ^Fuzz|TestWhatIsWrongIsSaidWhereItMustBeChanged|TestWhatTakesTooMuchToEvaluateIsRefused|TestTooManyAreForeseen|TestWhatWouldBeTooMuchIsRefusedBeforeItIsMade|TestWhatIsLargeIsMade|TestALongListIsConvertedElementByElement|TestWhatIsNestedWithoutEndIsRefused|TestAChainThatIsTooDeepIsAnError|TestWhatPeopleWriteIsNotTooComplex|TestATerminalOfAnySizeThatChangesKeepsWhatIsFinished|TestEveryWidthFromTwentyOnIsKept
TRAFFICTIME ?= 15s
VEGETA := github.com/tsenart/vegeta/v12@v12.13.0
SCENARIO ?= scenarios/ha_serve.hcl

.PHONY: help setup setup-dev build demo test soak unit lint bench bench-blocks bench-faults bench-traffic bench-peer fuzz docs clean

help: ## lists the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

setup: ## makes the machine ready for `make demo`; prints each change first (scripts/setup --check only says)
	@scripts/setup

setup-dev:
	@scripts/setup --dev

build: ## bin/scenario: one static binary
	$(BUILD) -o bin/scenario ./cmd/scenario

demo: setup build ## set-up, build, and the main scenario on real Ray (SCENARIO=FILE for another)
	bin/scenario run $(SCENARIO)

test: setup-dev ## set-up, then every test: race detector, real Docker, real Ray
	go vet ./...
	CGO_ENABLED=1 go test -race -short -timeout 15m -skip '$(LARGE)' ./...
	go test -short -timeout 15m -run '$(LARGE)' ./cmd/scenario ./dsl/... ./engine/report/...
	go test -count=1 ./engine/traffic ./engine/workload # what is measured there, without the race detector
	go test -count=1 -timeout 25m ./e2e

soak: setup-dev ## kills the engine 50 times while fifteen kinds of faults are in effect: takes about ten minutes
	go test -count=1 -timeout 60m ./e2e -run 'TestCrashRounds|KilledInTheMiddle' -crash-rounds 50

unit: ## the quick tests: those on Docker that take seconds, none on Ray
	go test -short ./...

lint: setup-dev ## gofmt, go vet, staticcheck, shellcheck
	scripts/lint $(STATICCHECK)

bench: setup build bench-blocks bench-faults bench-traffic ## the engine's own part: nodes up and down against bare API calls, time per step and per plan, faults, traffic
	go test -run '^$$' -bench 'AThousandNotes|PlanOfHAServe' ./engine ./engine/plan
	go run ./bench/nodes -image "$$(scripts/base-image)"

bench-blocks: build ## validate and plan of large files against what hcl itself needs for them
	go build -o bin/bench-blocks ./bench/blocks
	bin/bench-blocks -scenario bin/scenario

bench-faults: setup build ## how long a fault on links takes to be active
	go run ./bench/faults -image "$$(scripts/base-image)"

bench-traffic: build ## 5,000 requests a second from an agent, TRAFFICTIME (15s) each way: how many are late, and CPU against vegeta's
	GOBIN=$(CURDIR)/bin CGO_ENABLED=0 go install $(VEGETA)
	go build -o bin/bench-traffic ./bench/traffic
	bin/bench-traffic -scenario bin/scenario -vegeta bin/vegeta -duration $(TRAFFICTIME)

bench-peer: setup build ## the main job against the pytest that it replaces, five pairs: takes about ten minutes
	scripts/bench-peer

fuzz: ## every fuzz target for FUZZTIME (30s) each
	scripts/fuzz $(FUZZTIME)

docs: ## what is generated from the code
	go generate ./...

clean: ## removes what builds and runs left here; images and packages stay
	rm -rf bin .scenario
