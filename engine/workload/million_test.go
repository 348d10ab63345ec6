package workload

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/scenario-run/scenario/engine/traffic"
)

// sampleFile writes n samples to a file as a run does: a thousand a second, one
// in a hundred failed, three values captured.
func sampleFile(tb testing.TB, n int) string {
	tb.Helper()
	name := filepath.Join(tb.TempDir(), "samples.ndjson")
	f, err := os.Create(name)
	if err != nil {
		tb.Fatal(err)
	}
	out := bufio.NewWriter(f)
	var line []byte
	for i := range n {
		due := zero.UnixNano() + int64(i)*int64(time.Millisecond)
		s := &traffic.Sample{
			Seq: int64(i), Due: due, Start: due + 20_000, End: due + 500_000 + int64(i*7919%100_003)*1000, Outcome: traffic.OK, Code: 200,
			Bytes: 12, Captured: map[string]string{"pid": fmt.Sprint(i % 3)},
		}
		if i%100 == 99 {
			s.Outcome, s.Class, s.Code, s.Captured, s.Error = traffic.Failed, traffic.Refused, 0, nil, "dial tcp 172.29.0.130:8000: connect: connection refused"
		}
		line = append(traffic.Line{Sample: s, Settled: due + int64(time.Millisecond)}.Append(line[:0]), '\n')
		if _, err := out.Write(line); err != nil {
			tb.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		tb.Fatal(err)
	}
	if err := f.Close(); err != nil {
		tb.Fatal(err)
	}
	return name
}

// evaluate reads a file of samples and computes the statistics of all of them.
func evaluate(tb testing.TB, name string) Stats {
	f, err := os.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	s := NewStore([]string{"pid"}, 0)
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if err := s.Feed(lines.Bytes()); err != nil {
			tb.Fatal(err)
		}
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return s.Stats(Window{}, zero.Add(time.Hour))
}

// A run of hours has a million samples; on a machine that does nothing else
// this takes some 0.6 s and 100 MB. Time is CPU time, of which others on the
// machine take nothing.
func TestAMillionSamplesAreEvaluatedInTwoSecondsAndTwoHundredMegabytes(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 200 MB")
	}
	name := sampleFile(t, 1_000_000)
	runtime.GC()
	before, began := usage(t), cpuTime(t)
	got := evaluate(t, name)
	took, grown := cpuTime(t)-began, usage(t)-before
	t.Logf("%s of CPU, %d MB", took, grown>>20)
	if got.Total != 1_000_000 || got.Failed != 10_000 || len(got.Captured["pid"]) != 3 || got.P99 == nil {
		t.Errorf("got %+v", got)
	}
	if took > 2*time.Second {
		t.Errorf("took %s of CPU time", took)
	}
	if grown > 200<<20 {
		t.Errorf("took %d MB of memory from the system", grown>>20)
	}
}

// usage is what the Go runtime has from the system; it gives next to nothing
// back within seconds.
func usage(t *testing.T) int64 {
	t.Helper()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys - m.HeapReleased)
}

func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkAMillionSamples(b *testing.B) {
	name := sampleFile(b, 1_000_000)
	b.ReportAllocs()
	for b.Loop() {
		evaluate(b, name)
	}
}
