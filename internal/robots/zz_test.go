package robots

import "testing"

func BenchmarkFull(b *testing.B) {
	for _, n := range []string{"small", "ecom", "big500k"} {
		b.Run(n, func(b *testing.B) {
			body, path := readBench(b, n)
			b.ReportAllocs()
			for b.Loop() {
				Parse(body, Options{}).Select(benchAgent).Match(path)
			}
		})
	}
}
func BenchmarkMatrixOnly(b *testing.B) {
	f := newMatrix(b)
	for b.Loop() {
		f()
	}
}
