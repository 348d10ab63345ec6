package fault

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
)

func TestLifeAllowsOnlyHealAfterAnError(t *testing.T) {
	all := []State{Planned, Injecting, Active, Healing, Healed, Invalid}
	allowed := map[State]string{
		Planned:   "injecting",
		Injecting: "active healing invalid",
		Active:    "healing invalid",
		Healing:   "healed invalid",
		Healed:    "",
		Invalid:   "healing",
	}
	for _, from := range all {
		for _, to := range all {
			l := &Life{Step: "action.x", State: from}
			err := l.To(to, time.Now())
			if want := strings.Contains(" "+allowed[from]+" ", " "+string(to)+" "); (err == nil) != want {
				t.Errorf("%s → %s: %v", from, to, err)
			}
		}
	}
}

func TestLifeKeepsItsTimes(t *testing.T) {
	l := &Life{State: Planned}
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	for i, s := range []State{Injecting, Active, Healing, Invalid, Healing, Healed} {
		if err := l.To(s, at(i)); err != nil {
			t.Fatal(err)
		}
	}
	// A heal that is tried again does not move the end.
	if l.Injected != at(0) || l.Active != at(1) || l.Ended != at(2) || l.Healed != at(5) {
		t.Errorf("%+v", l)
	}
}

func TestConflict(t *testing.T) {
	life := func(state State, node string, takes ...schema.Resource) *Life {
		return &Life{Step: "action.first", State: state, Nodes: []string{node}, Type: schema.Type{Takes: takes}}
	}
	tests := []struct {
		name  string
		first *Life
		takes []schema.Resource
		clash bool
	}{
		{"the same of the same node", life(Active, "node.a", schema.CPU), []schema.Resource{schema.CPU}, true},
		{"the same of another node", life(Active, "node.b", schema.CPU), []schema.Resource{schema.CPU}, false},
		{"another of the same node", life(Active, "node.a", schema.Memory), []schema.Resource{schema.CPU}, false},
		{"links combine", life(Active, "node.a", schema.Links), []schema.Resource{schema.Links}, false},
		{"networks combine", life(Active, "node.a", schema.Attached), []schema.Resource{schema.Attached}, false},
		{"what is healed is free", life(Healed, "node.a", schema.CPU), []schema.Resource{schema.CPU}, false},
		{"paused while it is killed", life(Injecting, "node.a", schema.Down), []schema.Resource{schema.Paused}, true},
		{"killed while it is paused", life(Planned, "node.a", schema.Paused), []schema.Resource{schema.Down}, true},
		{"paused while it is started again", life(Healing, "node.a", schema.Down), []schema.Resource{schema.Paused}, false},
		{"limited while it is paused", life(Active, "node.a", schema.Paused), []schema.Resource{schema.CPU}, false},
		{"what failed may still be in force", life(Invalid, "node.a", schema.CPU), []schema.Resource{schema.CPU}, true},
	}
	for _, tt := range tests {
		why := Conflict(schema.Type{Takes: tt.takes}, []string{"node.a"}, []*Life{tt.first})
		if (why != "") != tt.clash {
			t.Errorf("%s: %q", tt.name, why)
		}
	}
}

func TestEndsWithStart(t *testing.T) {
	for takes, ends := range map[schema.Resource]bool{
		schema.Down: true, schema.Paused: true, schema.Links: false, schema.CPU: false, schema.Memory: false, schema.Disk: false, schema.Attached: false,
	} {
		if l := (&Life{Type: schema.Type{Takes: []schema.Resource{takes}}}); l.EndsWithStart() != ends {
			t.Errorf("%s: %v", takes, !ends)
		}
	}
	if !(&Life{}).EndsWithStart() {
		t.Error("what was done to processes ends with them")
	}
}

func TestOutstandingAreThoseNotHealedLastFirst(t *testing.T) {
	dir := t.TempDir()
	j := NewJournal(dir)
	write := func(r Record) {
		t.Helper()
		if err := j.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	write(Record{Step: "a", Intent: step.Intent{Nodes: []string{"node.a"}}})
	write(Record{Step: "b"})
	write(Record{Step: "c"})
	write(Record{Step: "b", Healed: true})
	write(Record{Variant: "other", Step: "a"})
	write(Record{Variant: "other", Step: "a", Healed: true})
	write(Record{Step: "b"}) // tried again
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	// A crash cuts off the last line.
	f, err := os.OpenFile(filepath.Join(dir, journalName), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"step":"d"`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := Outstanding(dir)
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, r := range left {
		steps = append(steps, r.Step)
	}
	if got := strings.Join(steps, " "); got != "b c a" {
		t.Errorf("%s", got)
	}
	if left[2].Intent.Nodes[0] != "node.a" {
		t.Errorf("%+v", left[2])
	}
}

func TestARunWithoutFaultsHasNothingOutstanding(t *testing.T) {
	if left, err := Outstanding(t.TempDir()); err != nil || left != nil {
		t.Errorf("%v %v", left, err)
	}
}

func TestAJournalThatCanNotBeReadIsAnError(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, journalName), []byte("nonsense\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Outstanding(dir); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
