package plan

import (
	"fmt"
	"strings"
	"time"

	"github.com/scenario-run/scenario/dsl/lang"
)

func imageTitle(i *lang.Image) string {
	if i.Build == nil {
		return "make sure of " + i.Pull
	}
	title := "build " + i.Build.Context
	if i.Build.Target != "" {
		title += ", target " + i.Build.Target
	}
	return title
}

func networkTitle(n *lang.Network) string {
	title := "make network." + n.Name
	if n.Subnet != "" {
		title += ", " + n.Subnet
	}
	if n.Internal {
		title += ", internal"
	}
	return title
}

func volumeTitle(v *lang.Volume) string {
	if v.Size > 0 {
		return fmt.Sprintf("make volume.%s of %s in memory", v.Name, sizeText(v.Size))
	}
	return "make volume." + v.Name
}

// sizeText is a number of bytes in the largest unit that it is a multiple of.
func sizeText(bytes int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB"}
	for len(units) > 1 && bytes%1024 == 0 {
		bytes, units = bytes/1024, units[1:]
	}
	return fmt.Sprintf("%d %s", bytes, units[0])
}

// stepTitle says what a step does: its type, on which nodes, and what of its
// meta-arguments changes how it goes.
func stepTitle(v *Vertex) string {
	s := v.Step
	var parts []string
	switch s.Kind {
	case lang.AssertStep:
		parts = assertParts(s.Assert)
	default:
		what := s.Type.Name
		if s.Kind == lang.WorkloadStep {
			what += " traffic"
		}
		if len(v.Targets) > 0 {
			what += " " + strings.Join(v.Targets, ", ")
		}
		parts = append(parts, what)
	}
	return strings.Join(append(parts, metaParts(s.Meta)...), "; ")
}

func assertParts(a *lang.Assert) []string {
	if a == nil {
		return []string{"check"}
	}
	what := "check"
	if a.Within > 0 {
		what += fmt.Sprintf(", true within %s", a.Within)
	}
	if a.Hold > 0 {
		what += fmt.Sprintf(", holds %s", a.Hold)
	}
	if a.Throughout != nil {
		what += ", holds throughout " + a.Throughout.Address
	}
	return []string{what}
}

func metaParts(m lang.Meta) []string {
	var parts []string
	add := func(yes bool, format string, args ...any) {
		if yes {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(m.Background, "in the background")
	add(m.When != nil, "only when its condition holds")
	add(m.Attempts > 1, "up to %d attempts", m.Attempts)
	add(m.Timeout > 0, "at most %s", m.Timeout)
	add(m.ExpectError != nil && m.ExpectError.String() == "", "must fail")
	add(m.ExpectError != nil && m.ExpectError.String() != "", "must fail with %s", m.ExpectError)
	add(m.Continue, "goes on after a failure")
	return parts
}

// startID is the ID of the vertex that starts a group.
func startID(group string) string { return group + "/start" }

// duration is written as a file says it: 30m, not 30m0s.
func duration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func roundID(repeat string, n int) string { return fmt.Sprintf("%s[%d]", repeat, n) }

func roundTitle(s *lang.Step, n int) string {
	if s.For > 0 {
		return fmt.Sprintf("round %d, as each one is", n+1)
	}
	return fmt.Sprintf("round %d of %d", n+1, s.Times)
}

func repeatTitle(s *lang.Step) string {
	return strings.Join(append([]string{rounds(s)}, metaParts(s.Meta)...), "; ")
}

func repeatEndTitle(s *lang.Step) string { return "end of " + rounds(s) }

func rounds(s *lang.Step) string {
	switch {
	case s.For > 0:
		return "rounds for " + duration(s.For)
	case s.Times == 1:
		return "1 round"
	}
	return fmt.Sprintf("%d rounds", s.Times)
}
