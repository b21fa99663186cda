# make run    serve http://localhost:8080
# make test   all tests; installs Chromium and Redis where they are missing
# make help   the rest

STATICCHECK := go run honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: run build test race lint generate fuzz bench numbers pictures misbehave chromium redis compiler help

run: ## serve http://localhost:8080
	go run ./cmd/whichrule

build: ## bin/whichrule, a static binary
	CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o bin/whichrule ./cmd/whichrule

test: chromium redis ## all tests, browser tests included
	go test ./...

race: compiler redis ## the tests under the race detector, browser tests excepted
	go test -race $$(go list ./... | grep -v /web/e2e)

lint: ## formatting, vet, staticcheck, generated code
	@test -z "$$(gofmt -l cmd internal static templates web)" || { gofmt -l cmd internal static templates web; echo "gofmt: the files above need formatting"; exit 1; }
	go tool templ fmt -fail .
	go tool templ generate -check
	go mod tidy -diff
	go vet ./...
	$(STATICCHECK) ./...

generate: ## write the Go code of the templates
	go tool templ fmt .
	go tool templ generate

fuzz: ## each fuzz target for FUZZ (default 20s)
	@for p in $$(go list ./...); do \
		for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do \
			go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(or $(FUZZ),20s) -fuzzminimizetime 10x $$p || exit 1; \
		done; \
	done

bench: ## the engine next to another: input, ours and theirs in ns, ratio; in half a minute
	@go test -run '^$$' -bench '^BenchmarkEngine$$' -benchtime 31x -cpu 1 ./internal/robots | grep -P '^\S+\t\d+\t\d+\t[\d.]+$$'

numbers: redis ## the table of numbers in README.md, in half a minute
	go test -run '^$$' -bench Numbers -benchtime 1x ./web

pictures: chromium ## pictures of the pages into DIR (default pictures)
	@mkdir -p $(or $(DIR),pictures)
	go test -count 1 -run TestPictures ./web/e2e -args -pictures $(abspath $(or $(DIR),pictures))

misbehave: ## sites that answer in every bad way, listed at http://localhost:8090 (SITES=host:port)
	go test -v -count 1 -timeout 0 -run TestMisbehave ./internal/testkit -args -serve $(or $(SITES),127.0.0.1:8090)

# The browser of the browser tests, the Redis that tests start, and the C
# compiler that the race detector needs: taken as found, else installed with apt
# as root or through sudo.
chromium:
	@command -v chromium >/dev/null || sh .ci/install chromium fonts-dejavu-core

redis:
	@command -v redis-server >/dev/null || sh .ci/install redis-server

compiler:
	@command -v gcc >/dev/null || sh .ci/install gcc libc6-dev

help:
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1	\2/p' $(MAKEFILE_LIST)
