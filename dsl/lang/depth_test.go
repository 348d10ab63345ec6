package lang_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/dsl/diag"
)

// TestAChainThatIsTooDeepIsAnError: each of these is worked out for the one
// above it, so that without an end to it the program's own stack would end.
func TestAChainThatIsTooDeepIsAnError(t *testing.T) {
	const n = 10_100
	for name, file := range map[string]func() string{
		"locals": func() string {
			var b strings.Builder
			for i := n; i > 0; i-- {
				fmt.Fprintf(&b, "  l%d = local.l%d\n", i, i-1)
			}
			return "locals {\n" + b.String() + "  l0 = 1\n}\n"
		},
		"steps": func() string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "action \"note\" \"n%d\" {\n  values = action.n%d.values\n}\n", i, i+1)
			}
			return b.String() + fmt.Sprintf("action \"note\" \"n%d\" {\n  values = 1\n}\n", n)
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := loadSource([]byte("scenario \"x\" {}\n" + file()))
			if len(diags) != 1 || diag.CodeOf(diags[0]) != diag.TooMany {
				t.Errorf("%d problems, want one of too many: %.200v", len(diags), diags)
			}
		})
	}
}

// Only the first repeat that is too deep is told, and nothing of what is in it.
func TestRepeatsNestedTooDeeplyAreOneError(t *testing.T) {
	nested := func(n int) string { return "scenario \"x\" {}\n" + repeats(n) }
	if _, diags := loadSource([]byte(nested(20))); len(diags) != 0 {
		t.Errorf("20 levels: %v", diags)
	}
	for _, n := range []int{21, 150} {
		_, diags := loadSource([]byte(nested(n)))
		if len(diags) != 1 || diag.CodeOf(diags[0]) != diag.TooMany || diags[0].Subject.Start.Line != 42 {
			t.Errorf("%d levels: %d problems, want that of the 21st: %.300v", n, len(diags), diags)
		}
	}
}

// repeats are so many inside each other, with a step in the innermost.
func repeats(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "repeat \"r%d\" {\n  times = 1\n", i)
	}
	return b.String() + "action \"note\" \"n\" {\n  values = repeat.index\n}\n" + strings.Repeat("}\n", n)
}

// A define that is too far above the innermost is broken, and only that is told.
func TestDefinesNestedTooDeeplyAreOneError(t *testing.T) {
	chain := func(n int) string {
		var b strings.Builder
		for i := n; i > 1; i-- {
			fmt.Fprintf(&b, "define \"action\" \"d%d\" {\n  action \"d%d\" \"x\" {}\n}\n", i, i-1)
		}
		b.WriteString("define \"action\" \"d1\" {\n  action \"note\" \"x\" {\n    values = 1\n  }\n}\n")
		return "scenario \"x\" {}\n" + b.String() + fmt.Sprintf("action \"d%d\" \"top\" {}\n", n)
	}
	if _, diags := loadSource([]byte(chain(100))); len(diags) != 0 {
		t.Errorf("100 levels: %v", diags)
	}
	for _, n := range []int{101, 150, 5000} {
		_, diags := loadSource([]byte(chain(n)))
		if len(diags) != 1 || diag.CodeOf(diags[0]) != diag.TooMany || !strings.Contains(diags[0].Detail, `define "d101" is one too many around define "d100"`) {
			t.Errorf("%d levels: %d problems, want that of the 101st: %.300v", n, len(diags), diags)
		}
	}
}
