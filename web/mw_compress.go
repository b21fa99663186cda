package web

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

// compress compresses answers of some size for clients that take it. Static
// files come compressed already.
func compress(next http.Handler) http.Handler { return gzhttp.GzipHandler(next) }
