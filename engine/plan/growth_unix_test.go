//go:build unix

package plan_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/scenario-run/scenario/actions"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/dsl/source"
	"github.com/scenario-run/scenario/engine/plan"
)

// larger is how many times as large the second file of a shape is. What grows
// with the square takes larger² times as much of it.
const larger = 10

// TestWorkGrowsAsTheFileDoes reads, checks, plans and prints files of a shape,
// small and large. What counts is the processor's time and what is allocated.
func TestWorkGrowsAsTheFileDoes(t *testing.T) {
	for name, file := range shapes() {
		t.Run(name, func(t *testing.T) {
			const n = 40
			small, large := work(t, file(n)), work(t, file(larger*n))
			if limit := small.bytes * larger * 3 / 2; large.bytes > limit {
				t.Errorf("%d times the file allocates %d times as much", larger, large.bytes/small.bytes)
			}
			for _, phase := range []struct {
				name         string
				small, large time.Duration
			}{
				{"loading", small.loading, large.loading},
				{"planning", small.planning, large.planning},
				{"printing", small.printing, large.printing},
			} {
				// Below a few milliseconds the clock decides, not the work.
				if limit := max(phase.small, 4*time.Millisecond) * larger * 3; phase.large > limit {
					t.Errorf("%s takes %s, and %s of a file %d times as large", phase.name, phase.small, phase.large, larger)
				}
			}
		})
	}
}

// TestPlanningGrowsWithWhatIsUnclear plans files of which half the steps are
// wrong: what such a step ends isn't known, so that it may end anything.
func TestPlanningGrowsWithWhatIsUnclear(t *testing.T) {
	for name, file := range unclearShapes() {
		t.Run(name, func(t *testing.T) {
			const n = 100
			small, large := planning(t, file(n)), planning(t, file(larger*n))
			if limit := max(small, 4*time.Millisecond) * larger * 3; large > limit {
				t.Errorf("planning takes %s, and %s of a file %d times as large", small, large, larger)
			}
		})
	}
}

func planning(t *testing.T, text string) time.Duration {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.hcl")
	if err := os.WriteFile(path, []byte("scenario \"x\" {}\nnode \"n\" {\n  image = \"a:1\"\n}\n"+text), 0o644); err != nil {
		t.Fatal(err)
	}
	set, _ := source.Load(path, source.Options{})
	s, diags := lang.Load(set, lang.Options{Vocabulary: actions.New().Vocabulary()})
	if !diags.HasErrors() {
		t.Fatal("nothing is wrong with the file")
	}
	v, _ := s.Expand(s.VariantKeys[0])
	least := time.Hour
	for range 9 { // what else runs takes the caches, though not the processor's time
		start := processorTime(t)
		plan.Build(v)
		least = min(least, processorTime(t)-start)
	}
	return least
}

func unclearShapes() map[string]func(n int) string {
	below := func(format string) func(n int) string {
		return func(n int) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "action \"note\" \"u%d\" {\n  values = 1\n  background = 3\n}\n", i)
			}
			for i := range n {
				b.WriteString(strings.ReplaceAll(format, "$i", fmt.Sprint(i)) + "\n")
			}
			return b.String()
		}
	}
	const pause = "action \"pause\" \"p$i\" {\n  nodes = [node.n]\n"
	return map[string]func(n int) string{
		"faults one after the other":   below(pause + "}"),
		"faults side by side":          below(pause + "  after = [action.u$i]\n}"),
		"faults in the background":     below(pause + "  background = true\n}"),
		"faults on nodes of their own": below("node \"n$i\" {\n  image = \"a:1\"\n}\naction \"pause\" \"p$i\" {\n  nodes = [node.n$i]\n}"),
		"asserts throughout faults":    below(pause + "  background = true\n}\nassert \"a$i\" {\n  condition = scenario.run_id != \"\"\n  throughout = action.p$i\n}"),
		"starts":                       below("node \"n$i\" {\n  image = \"a:1\"\n}\naction \"start\" \"s$i\" {\n  nodes = [node.n$i]\n}"),
	}
}

// spent is what a file takes at least.
type spent struct {
	loading, planning, printing time.Duration
	bytes                       uint64
}

func variantOf(t *testing.T, path string, vocabulary schema.Vocabulary) *lang.Variant {
	t.Helper()
	set, diags := source.Load(path, source.Options{})
	s, more := lang.Load(set, lang.Options{Vocabulary: vocabulary})
	if diags = append(diags, more...); diags.HasErrors() {
		t.Fatal(show(t, set.Sources(), diags[:1]))
	}
	v, diags := s.Expand(s.VariantKeys[0])
	if diags.HasErrors() {
		t.Fatal(show(t, set.Sources(), diags[:1]))
	}
	return v
}

func work(t *testing.T, text string) spent {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.hcl")
	if err := os.WriteFile(path, []byte("scenario \"x\" {}\n"+text), 0o644); err != nil {
		t.Fatal(err)
	}
	vocabulary := actions.New().Vocabulary()
	least := spent{loading: time.Hour, planning: time.Hour, printing: time.Hour}
	before := allocated()
	for range 3 {
		start := processorTime(t)
		v := variantOf(t, path, vocabulary)
		least.loading = min(least.loading, processorTime(t)-start)
		start = processorTime(t)
		p, diags := plan.Build(v)
		least.planning = min(least.planning, processorTime(t)-start)
		if diags.HasErrors() {
			t.Fatal(diags[0])
		}
		start = processorTime(t)
		p.Text(80)
		least.printing = min(least.printing, processorTime(t)-start)
	}
	least.bytes = allocated() - before
	return least
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// shapes are files whose parts depend on each other in different ways, each
// made of about so many blocks.
func shapes() map[string]func(n int) string {
	each := func(format string) func(int) string {
		return func(n int) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintln(&b, strings.ReplaceAll(format, "$i", fmt.Sprint(i)))
			}
			return b.String()
		}
	}
	after := func(first string, rest func(int) string) func(int) string {
		return func(n int) string { return first + "\n" + rest(n) }
	}
	const one = "node \"n\" {\n  image = \"a:1\"\n}"
	note := func(i int, values string) string {
		return fmt.Sprintf("action \"note\" \"n%d\" {\n  values = %s\n}\n", i, values)
	}
	linked := func(to func(int) int) func(int) string {
		return func(n int) string {
			var b strings.Builder
			b.WriteString(note(0, "1"))
			for i := 1; i < n; i++ {
				b.WriteString(note(i, fmt.Sprintf("action.n%d.values + 1", to(i))))
			}
			return b.String()
		}
	}
	return map[string]func(int) string{
		"a chain":                    linked(func(i int) int { return i - 1 }),
		"a tree":                     linked(func(i int) int { return i / 10 }),
		"steps side by side":         each("action \"note\" \"n$i\" {\n  values = $i\n  after = []\n}"),
		"steps in the background":    each("action \"note\" \"n$i\" {\n  values = $i\n  background = true\n}"),
		"faults that are healed":     after(one, each("action \"kill\" \"k$i\" {\n  nodes = [node.n]\n}\naction \"start\" \"s$i\" {\n  nodes = [node.n]\n}")),
		"faults with an end":         after(one, each("action \"pause\" \"p$i\" {\n  nodes = [node.n]\n  for = \"1s\"\n}")),
		"nodes":                      each("node \"n$i\" {\n  image = \"a:1\"\n}\naction \"kill\" \"k$i\" {\n  nodes = [node.n$i]\n}\naction \"start\" \"s$i\" {\n  nodes = [node.n$i]\n}"),
		"probes":                     after(one, each("probe \"node\" \"p$i\" {\n  node = node.n\n}\nassert \"a$i\" {\n  condition = probe.p$i.running\n}")),
		"asserts throughout a fault": after(one+"\naction \"pause\" \"p\" {\n  nodes = [node.n]\n}", each("assert \"a$i\" {\n  condition = scenario.run_id != \"\"\n  throughout = action.p\n  background = true\n}")),
		"steps of cleanup":           func(n int) string { return "cleanup {\n" + linked(func(i int) int { return i - 1 })(n) + "}\n" },
		"rounds": func(n int) string {
			return fmt.Sprintf("repeat \"r\" {\n  times = %d\n", n) + linked(func(i int) int { return i - 1 })(3) + "}\n"
		},
		"repeats": each("repeat \"r$i\" {\n  times = 2\n  action \"note\" \"a\" {\n    values = repeat.index\n  }\n}"),
		"outputs": after(note(0, "1"), each("output \"o$i\" {\n  value = action.n0.values\n}")),
		"locals, the last one first": func(n int) string {
			return "locals {\n" + localsBackwards(n) + "}\n" + note(0, fmt.Sprintf("local.l%d", n))
		},
		"windows over one workload": after("workload \"http\" \"w\" {\n  url  = \"http://a/\"\n  rate = 1\n}", each("action \"note\" \"n$i\" {\n  values = since(workload.w, workload.w).total\n}")),
		"elements of one for_each": func(n int) string {
			return fmt.Sprintf("action \"note\" \"n\" {\n  for_each = range(%d)\n  values = each.value\n}\n", n/2)
		},
		"instances below instances": func(n int) string {
			return strings.ReplaceAll("action \"note\" \"a\" {\n  count  = $n\n  values = 1\n}\naction \"note\" \"b\" {\n  count  = $n\n  values = action.a[count.index].values\n}\n"+
				"action \"note\" \"c\" {\n  count  = $n\n  values = 1\n  after  = [action.b]\n}\n", "$n", fmt.Sprint(n))
		},
		"elements of a list in one step": func(n int) string { return note(0, "["+strings.Repeat("1, ", n)+"]") },
	}
}

// localsBackwards are locals each of which uses the one below it.
func localsBackwards(n int) string {
	var b strings.Builder
	for i := n; i > 0; i-- {
		fmt.Fprintf(&b, "  l%d = local.l%d + 1\n", i, i-1)
	}
	b.WriteString("  l0 = 1\n")
	return b.String()
}
