package engine

import (
	"fmt"
	"testing"
	"time"
)

func notes(n int) *scene {
	s := newScene()
	for i := range n {
		s.then(s.action(fmt.Sprintf("n%d", i), nothing))
	}
	return s
}

func TestTheEngineNeedsLessThanAMillisecondAStep(t *testing.T) {
	const steps = 1000
	s := notes(steps)
	began := time.Now()
	p := s.run(t.TempDir())
	if p.ExitCode != 0 {
		t.Fatal(p.text())
	}
	if per := time.Since(began) / steps; per > time.Millisecond {
		t.Errorf("%s per step", per)
	}
}

func BenchmarkAThousandNotes(b *testing.B) {
	for b.Loop() {
		s := notes(1000)
		if p := s.run(b.TempDir()); p.ExitCode != 0 {
			b.Fatal(p.text())
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "µs/step")
}
