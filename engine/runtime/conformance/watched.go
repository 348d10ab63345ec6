package conformance

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/scenario-run/scenario/engine/runtime"
)

var logRules = map[string]func(*lab){
	"both outputs are there, each line with its time": func(l *lab) {
		before := time.Now().Add(-time.Second)
		id, _ := l.start("a", Greet)
		var lines []string
		l.eventually("two lines", func() bool {
			lines = l.log(id, time.Time{})
			return len(lines) == 2
		})
		var texts []string
		for _, line := range lines {
			stamp, text, _ := strings.Cut(line, " ")
			at, err := time.Parse(time.RFC3339Nano, stamp)
			if err != nil || at.Before(before) || at.After(time.Now().Add(time.Second)) {
				l.Errorf("line %q: its time is %s, %v", line, at, err)
			}
			texts = append(texts, text)
		}
		if slices.Sort(texts); !slices.Equal(texts, []string{"err", "out"}) {
			l.Errorf("got %q", texts)
		}
	},
	"a log since a start has nothing of the one before": func(l *lab) {
		id, first := l.start("a", Greet)
		l.eventually("two lines", func() bool { return len(l.log(id, first.StartedAt)) == 2 })
		l.must(l.SignalNode(l.ctx, id, "SIGKILL"))
		_, err := l.WaitExit(l.ctx, id)
		l.must(err)
		second, err := l.StartNode(l.ctx, id)
		l.must(err)
		l.eventually("four lines in all", func() bool { return len(l.log(id, time.Time{})) == 4 })
		if lines := l.log(id, second.StartedAt); len(lines) != 2 {
			l.Errorf("since the second start: %q", lines)
		}
	},
	"following ends when the node exits": func(l *lab) {
		id, _ := l.start("a", Greet)
		stream, err := l.Logs(l.ctx, id, time.Time{}, true)
		l.must(err)
		lines := bufio.NewScanner(stream)
		for range 2 {
			if !lines.Scan() {
				l.Fatal(lines.Err())
			}
		}
		l.must(l.SignalNode(l.ctx, id, "SIGKILL"))
		if lines.Scan() || lines.Err() != nil {
			l.Errorf("then came %q, %v", lines.Text(), lines.Err())
		}
		l.must(stream.Close())
	},
	"following ends with the context": func(l *lab) {
		id, _ := l.start("a", Sleep)
		ctx, cancel := context.WithCancel(l.ctx)
		stream, err := l.Logs(ctx, id, time.Time{}, true)
		l.must(err)
		cancel()
		_, err = io.ReadAll(stream)
		l.must(err)
		l.must(stream.Close())
	},
}

func (l *lab) log(id runtime.NodeID, since time.Time) []string {
	l.Helper()
	stream, err := l.Logs(l.ctx, id, since, false)
	l.must(err)
	text, err := io.ReadAll(stream)
	l.must(err)
	l.must(stream.Close())
	return slices.DeleteFunc(strings.Split(string(text), "\n"), func(s string) bool { return s == "" })
}

var networkRules = map[string]func(*lab){
	"networks of runs side by side do not meet": func(l *lab) {
		places := []runtime.Runtime{l.Runtime, l.Runtime}
		if l.opts.Beside != nil {
			places[1] = l.opts.Beside(l.T, l.Runtime)
			defer func() { l.must(places[1].Close()) }()
		}
		networks := make([]runtime.Network, 8)
		var side sync.WaitGroup
		for i := range networks {
			side.Go(func() {
				scope := l.scope
				scope.Variant = string(rune('a' + i))
				var err error
				networks[i], err = places[i%2].CreateNetwork(l.ctx, scope, runtime.NetworkSpec{Name: "default"})
				if err != nil {
					l.Error(err)
				}
			})
		}
		side.Wait()
		for i, a := range networks {
			for _, b := range networks[i+1:] {
				if a.Subnet.Overlaps(b.Subnet) {
					l.Errorf("%s and %s overlap", a.Subnet, b.Subnet)
				}
			}
		}
	},
	"addresses for nodes are in the upper half": func(l *lab) {
		n := l.network()
		if !n.Subnet.Contains(n.FirstHost) || n.FirstHost.As4()[3] < 128 && n.Subnet.Bits() == 24 {
			l.Errorf("subnet %s, first host %s", n.Subnet, n.FirstHost)
		}
	},
	"a subnet that is taken is a conflict": func(l *lab) {
		n := l.network()
		_, err := l.CreateNetwork(l.ctx, l.scope, runtime.NetworkSpec{Name: "other", Subnet: n.Subnet})
		l.wantKind(err, runtime.Conflict)
	},
}

var eventRules = map[string]func(*lab){
	"what happens to a node is told in order": func(l *lab) {
		l.needs(func(c runtime.Capabilities) bool { return c.Pause })
		ctx, cancel := context.WithCancel(l.ctx)
		defer cancel()
		events, err := l.Watch(ctx, l.scope)
		l.must(err)
		id, _ := l.start("a", Sleep)
		l.must(l.PauseNode(l.ctx, id))
		l.must(l.UnpauseNode(l.ctx, id))
		l.must(l.SignalNode(l.ctx, id, "SIGKILL"))
		for i, want := range []string{"start", "pause", "unpause", "exit"} {
			e := l.next(events)
			// A place may need more than one try to freeze a node.
			for ; i > 1 && e.Kind == "pause"; e = l.next(events) {
				if again := l.next(events); again.Kind != "unpause" {
					l.Fatalf("got %+v after another pause", again)
				}
			}
			if e.Kind != want || e.Node != id || e.Address != "node.a" || e.At.IsZero() {
				l.Fatalf("got %+v, want %s", e, want)
			}
			if want == "exit" && e.ExitCode != 137 {
				l.Errorf("exit code %d", e.ExitCode)
			}
		}
		cancel()
		for range events { // is closed
		}
	},
	"other runs are not heard": func(l *lab) {
		ctx, cancel := context.WithCancel(l.ctx)
		defer cancel()
		other := l.scope
		other.Variant = "other"
		events, err := l.Watch(ctx, other)
		l.must(err)
		l.start("a", ExitThree)
		mine := l.scope
		l.scope = other
		id, _ := l.start("b", Sleep)
		l.scope = mine
		if e := l.next(events); e.Node != id || e.Kind != "start" {
			l.Errorf("got %+v", e)
		}
	},
}

func (l *lab) next(events <-chan runtime.NodeEvent) runtime.NodeEvent {
	l.Helper()
	select {
	case e, ok := <-events:
		if !ok {
			l.Fatal("the events ended")
		}
		l.must(e.Err)
		return e
	case <-l.ctx.Done():
		l.Fatal("no event")
	}
	panic("not reached")
}
