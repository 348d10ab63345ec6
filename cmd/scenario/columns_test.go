package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"

	"github.com/scenario-run/scenario/engine/doctor"
)

func TestRowsFitTheTerminal(t *testing.T) {
	rows := [][]string{
		{"SCENARIO", "TAGS", "DESCRIPTION"},
		{"short", "", "of few words"},
		{"with_a_long_name", "slow", "of some more words than a line has"},
	}
	for _, tt := range []struct {
		name  string
		width int
		want  string
	}{
		{"any width", 0, `
SCENARIO          TAGS  DESCRIPTION
short                   of few words
with_a_long_name  slow  of some more words than a line has
`},
		{"room for a narrower column", 50, `
SCENARIO          TAGS  DESCRIPTION
short                   of few words
with_a_long_name  slow  of some more words than a
                        line has
`},
		{"no room beside the others", 30, `
short
    of few words
with_a_long_name
    slow
    of some more words than a
    line has
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want[1:], columns(rows, tt.width)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestFindingsFitTheTerminal(t *testing.T) {
	found := []doctor.Finding{
		{Check: "runtime", Text: "docker"},
		{Check: "rate", State: doctor.Limited, Text: "limits of rate can't be injected: this kernel has no netem", Mend: "sudo modprobe sch_netem, if the kernel has it at all"},
	}
	for width, want := range map[int]string{
		0: `
✓ runtime  docker
! rate     limits of rate can't be injected: this kernel has no netem
           → sudo modprobe sch_netem, if the kernel has it at all
`,
		44: `
✓ runtime  docker
! rate     limits of rate can't be injected:
           this kernel has no netem
           → sudo modprobe sch_netem, if the
             kernel has it at all
`,
	} {
		var b strings.Builder
		found[0].State = doctor.Good
		if err := printFindings(&b, found, width); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want[1:], b.String()); d != "" {
			t.Errorf("%d columns (-want +got)\n%s", width, d)
		}
		for line := range strings.Lines(b.String()) {
			if w := runewidth.StringWidth(strings.TrimRight(line, "\n")); width > 0 && w > width {
				t.Errorf("%d columns: %q has %d", width, line, w)
			}
		}
	}
}
