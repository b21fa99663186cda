# check=error=true

# The Go release of go.mod, with the fixes of the day. It builds on the machine's own platform for whichever is asked.
FROM --platform=$BUILDPLATFORM golang:1.26-trixie AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG TARGETOS TARGETARCH
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -ldflags="-s -w" -o /whichrule ./cmd/whichrule

# Not scratch: fetches need the CA roots, and some hosts look the user up in /etc/passwd.
FROM gcr.io/distroless/static-debian13:nonroot
LABEL org.opencontainers.image.title="Whichrule" \
      org.opencontainers.image.description="Which line of this robots.txt decides whether this crawler may fetch this URL, and why?" \
      org.opencontainers.image.source="https://github.com/whichrule/whichrule"
COPY --from=build /whichrule /whichrule
# A scraper comes from outside the container. Profiles are served there too: never publish this port to the world.
ENV WHICHRULE_METRICS_ADDR=:9090
EXPOSE 8080 9090
# As a number, so that a host can see that it is not root.
USER 65532:65532
# Give it 30 s to stop: it drains for up to 21. No HEALTHCHECK: OCI images do not carry it and most hosts ignore it;
# let yours ask /readyz (send traffic?) and /healthz (alive?) on 8080.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/whichrule"]
