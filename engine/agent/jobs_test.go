package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/engine/runtime"
)

func TestAJobGetsItsSpecAndItsLinesArriveInOrder(t *testing.T) {
	c := start(t, map[string]Job{"count": func(_ context.Context, spec []byte, out func([]byte) error) error {
		for i := range 1000 {
			if err := out(fmt.Appendf(nil, "%s %d", spec, i)); err != nil {
				return err
			}
		}
		return nil
	}})
	var n int
	err := c.Run(t.Context(), "count", []byte("line"), func(line []byte) error {
		if want := fmt.Sprintf("line %d", n); string(line) != want {
			return fmt.Errorf("got %q, want %q", line, want)
		}
		n++
		return nil
	})
	if err != nil || n != 1000 {
		t.Errorf("%d lines, %v", n, err)
	}
}

func TestAJobThatIsToldToFinishIsHeardOut(t *testing.T) {
	c := start(t, map[string]Job{"wait": func(ctx context.Context, _ []byte, out func([]byte) error) error {
		if err := out([]byte("begun")); err != nil {
			return err
		}
		<-ctx.Done()
		return errors.Join(out([]byte("in flight")), ctx.Err())
	}})
	ctx, cancel := context.WithCancel(t.Context())
	var lines []string
	err := c.Run(ctx, "wait", nil, func(line []byte) error {
		lines = append(lines, string(line))
		cancel()
		return nil
	})
	if got := strings.Join(lines, ", "); err != nil || got != "begun, in flight" {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestAJobsErrorIsTheCallersError(t *testing.T) {
	c := start(t, map[string]Job{"fail": func(context.Context, []byte, func([]byte) error) error {
		return errors.New("no luck")
	}})
	if err := c.Run(t.Context(), "fail", nil, nil); err == nil || err.Error() != "job fail: no luck" {
		t.Errorf("got %v", err)
	}
	if err := c.Run(t.Context(), "unknown", nil, nil); err == nil || !strings.Contains(err.Error(), `no job "unknown"`) {
		t.Errorf("got %v", err)
	}
}

func TestAStreamServesOneJobAfterTheOther(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	c := start(t, map[string]Job{
		"say":  func(_ context.Context, spec []byte, out func([]byte) error) error { return out(spec) },
		"fail": func(context.Context, []byte, func([]byte) error) error { return errors.New("no luck") },
		"wait": func(ctx context.Context, _ []byte, _ func([]byte) error) error {
			close(begun)
			select {
			case <-goOn:
			case <-ctx.Done():
			}
			return nil
		},
	})
	var said []string
	say := func(text string) {
		t.Helper()
		if err := c.Run(t.Context(), "say", []byte(text), func(line []byte) error { said = append(said, string(line)); return nil }); err != nil {
			t.Error(err)
		}
	}
	say("one")
	if err := c.Run(t.Context(), "fail", nil, nil); err == nil {
		t.Error("a failure is lost")
	}
	say("two")
	if n := c.session.NumStreams(); n != 1 {
		t.Errorf("%d streams for jobs one after the other", n)
	}
	waited := make(chan error)
	go func() { waited <- c.Run(t.Context(), "wait", nil, nil) }()
	<-begun
	say("three") // beside it
	close(goOn)
	if err := <-waited; err != nil {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 { // those that were told to finish serve for no other
		if err := c.Run(ended, "say", nil, func([]byte) error { return nil }); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	say("four")
	if got := strings.Join(said, " "); got != "one two three four" {
		t.Errorf("said: %s", got)
	}
}

func TestASeriesIsJobsOneAfterTheOther(t *testing.T) {
	var done []string
	job := func(name string, lines ...string) Job {
		return func(_ context.Context, spec []byte, out func([]byte) error) error {
			done = append(done, name+" "+string(spec))
			for _, l := range lines {
				if err := out([]byte(l)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	c := start(t, map[string]Job{
		"quiet": job("quiet"), "says": job("says", `{"a":1}`), "chats": job("chats", "1", "2"),
		"fails": func(context.Context, []byte, func([]byte) error) error { return errors.New("no luck") },
	})
	for _, test := range []struct{ spec, line, done, err string }{
		{`[{"job":"quiet","spec":[1]},{"job":"says","spec":null}]`, `[null,{"a":1}]`, "quiet [1], says null", ""},
		{`[]`, `[]`, "", ""},
		{`[{"job":"says"},{"job":"fails"},{"job":"quiet"}]`, "", "says ", "job series: fails: no luck"},
		{`[{"job":"chats"}]`, "", "chats ", "the job chats writes one line"},
		{`[{"job":"unknown"}]`, "", "", `the agent has no job "unknown"`},
		{`no list`, "", "", "read the calls of a series"},
	} {
		done = nil
		var line string
		err := c.Run(t.Context(), runtime.SeriesJob, []byte(test.spec), func(l []byte) error { line += string(l); return nil })
		if line != test.line || strings.Join(done, ", ") != test.done || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: wrote %q, done %q, %v", test.spec, line, done, err)
		}
	}
}
