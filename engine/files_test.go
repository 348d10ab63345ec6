package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/scenario-run/scenario/engine/step"
)

func TestALogIsReadSinceATimeAndOnlyItsWholeLines(t *testing.T) {
	at := func(s int) string { return time.Date(2026, 1, 2, 3, 4, s, 0, time.UTC).Format(time.RFC3339Nano) }
	log := at(1) + " one\n" + at(2) + " two\n" + at(2) + " \nno time\n" + at(3) + " cut"
	for s, want := range map[int]string{0: "[one two  no time]", 2: "[two  no time]", 3: "[no time]"} {
		var got []string
		err := eachLine(context.Background(), strings.NewReader(log), time.Date(2026, 1, 2, 3, 4, s, 0, time.UTC), func(l string) { got = append(got, l) })
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("since %d: %v, %v; want %s", s, got, err, want)
		}
	}
}

func TestTheLogOfANodeThatIsDownIsAllThere(t *testing.T) {
	s := newLinkScene()
	s.do("first", nothingMore)
	var lines []string
	var since time.Time
	s.do("look", func(ctx context.Context, env *step.Env) error {
		s.placed.Print("node.a", "last words")
		if err := env.Nodes.Kill(ctx, "node.a", "SIGKILL"); err != nil {
			return err
		}
		since = env.Started("action.first")
		return env.Nodes.Log(ctx, "node.a", since, func(l string) { lines = append(lines, l) })
	})
	s.play(t, t.TempDir()).expect(t, 0)
	if fmt.Sprint(lines) != "[last words]" || since.IsZero() {
		t.Errorf("%q since %s", lines, since)
	}
}

func nothingMore(context.Context, *step.Env) error { return nil }
