// Package obs is how the operator sees the server: the log and the metrics.
//
// The log is JSON, a line an event, made by [NewLogger]. The metrics are Prometheus's, in a registry of their own,
// behind typed methods of [Metrics]: other packages say what happened and never name a metric or a label. What they
// say must not come from outside: labels are route patterns and kinds from our own lists, so neither a tested URL nor a
// client can be found in a metric, and their number is bounded.
package obs

import (
	"io"
	"log/slog"
)

// NewLogger makes the logger of the server: JSON lines from level info on, times in UTC.
func NewLogger(w io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey && a.Value.Kind() == slog.KindTime {
				a.Value = slog.TimeValue(a.Value.Time().UTC())
			}
			return a
		},
	}))
}
