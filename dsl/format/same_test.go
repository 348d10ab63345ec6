package format

import "testing"

// A form that would mean something else is never written.
func TestLayoutIsAllThatMayDiffer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"a=1# c", "a = 1 # c\n", true},
		{"a = 1 .5\n", "a = 1.5\n", false},
		{"a = 1\n", "a = 2\n", false},
		{"a = 1\n", "a = 1\nb = 2\n", false},
		{"a = <<E\n x\nE\n", "a = <<E\nx\nE\n", false},
	} {
		if got := same(lex([]byte(c.a)), lex([]byte(c.b))); got != c.want {
			t.Errorf("%q and %q: same is %v", c.a, c.b, got)
		}
	}
}
