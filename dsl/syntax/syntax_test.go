package syntax_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/syntax"
)

func TestAMistakeCostsNothingButItsBlock(t *testing.T) {
	const before, after = "scenario \"s\" {}\n\nnode \"a\" {\n  image = \"i\"\n}\n\n", "\nnode \"z\" {\n  image = \"i\"\n}\n"
	for name, tc := range map[string]struct{ text, want, broken string }{
		"no newline before the brace": {"action \"kill\" \"k\" {\n  a = 1 }\n", "8:9 Missing newline after argument", `action "kill" "k"`},
		"two equals signs":            {"locals {\n  a = = 1\n}\n", "8:7 Invalid expression", `locals`},
		"an open bracket":             {"node \"b\" {\n  x = [1,\n}\n", "8:7 [ is not closed", `node "b"`},
		"the wrong bracket":           {"node \"b\" {\n  x = [f(1]\n}\n", "8:9 ( is not closed", `node "b"`},
		"an open string":              {"node \"b\" {\n  x = \"y\n}\n", "8:9 Invalid multi-line string", `node "b"`},
		"an open template":            {"node \"b\" {\n  x = \"${y\"\n}\n", "8:8 Unclosed template interpolation sequence", `node "b"`},
		"an open block":               {"node \"b\" {\n  x = 1\n", "7:10 Unclosed configuration block", `node "b"`},
		"an open heredoc":             {"node \"b\" {\n  x = <<E\n  text\n}\n", "8:7 <<E is not closed", `node "b"`},
		"a brace too many":            {"node \"b\" {\n}\n}\n", "9:1 Argument or block definition required", ``},
		"words without quotes":        {"action kill k {\n  x = [\n}\n", "8:7 [ is not closed", `action "kill" "k"`},
		"a label that is open":        {"node \"b {\n}\n", "7:10 Invalid multi-line string", ``},
		"two mistakes":                {"node \"b\" {\n  x = = 1\n  y = 2\n  z = 3 4\n  e {\n    f = [1 2]\n  }\n}\n", "8:7 Invalid expression; 10:9 Missing newline after argument; 12:12 Missing item separator", `node "b"`},
		"a brace in the wrong line":   {"node \"b\" {\n  x = 1 }\n  y = = 2\n}\n", "8:9 Missing newline after argument", `node "b"`},
		"an open bracket before":      {"node \"b\" {\n  x = [1,\n  y = = 2\n}\n", "8:7 [ is not closed", `node "b"`},
		"a bracket of another line":   {"node \"b\" {\n  x = [\n    1 2,\n    3 4,\n  ]\n  y = = 5\n}\n", "9:7 Missing item separator; 10:7 Missing item separator; 12:7 Invalid expression", `node "b"`},
		"a head in a heredoc":         {"node \"b\" {\n  t = <<E\nnode \"c\" {\nE\n  x = [\n}\n", "11:7 [ is not closed", `node "b"`},
	} {
		t.Run(name, func(t *testing.T) {
			f, diags := syntax.Parse([]byte(before+tc.text+after), "x.hcl")
			var got, broken, whole []string
			for _, d := range diags {
				got = append(got, fmt.Sprintf("%d:%d %s", d.Subject.Start.Line, d.Subject.Start.Column, d.Summary))
			}
			for _, b := range f.Body.Blocks {
				said := b.Type
				for _, l := range b.Labels {
					said += fmt.Sprintf(" %q", l)
				}
				if f.Broken[b] {
					broken = append(broken, said)
				} else {
					whole = append(whole, said)
				}
			}
			if strings.Join(got, "; ") != tc.want {
				t.Errorf("said %q, want %q", got, tc.want)
			}
			if strings.Join(broken, "; ") != tc.broken {
				t.Errorf("broken: %q, want %q", broken, tc.broken)
			}
			if s := strings.Join(whole, "; "); !strings.HasPrefix(s, `scenario "s"; node "a"`) || !strings.HasSuffix(s, `node "z"`) {
				t.Errorf("whole: %s", s)
			}
			if !f.Lost {
				t.Error("nothing counts as lost")
			}
		})
	}
}

func TestAnIncludeAfterAMistakeIsSeen(t *testing.T) {
	f, diags := syntax.Parse([]byte("node \"a\" {\n  x = 1 }\n\ninclude = [\"a.hcl\"]\n"), "x.hcl")
	if f.Body.Attributes["include"] == nil || len(diags) != 1 {
		t.Errorf("%v, %v", f.Body.Attributes, diags)
	}
}

func TestAnArgumentGivenTwiceBreaksNothing(t *testing.T) {
	f, diags := syntax.Parse([]byte("node \"a\" {\n  x = 1\n  x = 2\n}\n"), "x.hcl")
	if f.Lost || len(f.Broken) > 0 || len(diags) != 1 || diags[0].Summary != syntax.Redefined {
		t.Errorf("lost %v, %v", f.Lost, diags)
	}
}

// Whatever is nested without end would end the process: Go's stack has a
// limit that can't be recovered from.
func TestWhatIsNestedWithoutEndIsRefused(t *testing.T) {
	const n = 200_000
	for name, text := range map[string]string{
		"lists":             "a = " + strings.Repeat("[", n),
		"closed lists":      "a = " + strings.Repeat("[", n) + strings.Repeat("]", n),
		"parentheses":       "a = " + strings.Repeat("(", n),
		"objects":           "a = " + strings.Repeat("{a=", n),
		"blocks":            strings.Repeat("a {\n", n),
		"calls":             "a = " + strings.Repeat("f(", n),
		"templates":         "a = " + strings.Repeat(`"${`, n),
		"negations":         "a = " + strings.Repeat("!", n) + "true",
		"minuses":           "a = " + strings.Repeat("-", n) + "1",
		"sums":              "a = 1" + strings.Repeat(" + 1", n/4),
		"sums over lines":   "a = (1" + strings.Repeat(" +\n1", n/4) + ")",
		"conditions":        "a = " + strings.Repeat("b ? 1 : ", n/8) + "2",
		"indices":           "a = b" + strings.Repeat("[0]", n/3),
		"splats":            "a = b" + strings.Repeat("[*].c", n/5),
		"directives":        `a = "` + strings.Repeat("%{ if b }", n/9) + `"`,
		"fors":              "a = " + strings.Repeat("[for x in ", n/10),
		"digits":            "a = " + strings.Repeat("1", 20*n),
		"an empty heredoc":  "b = <<E\nE\na = " + strings.Repeat("[", n),
		"a comment":         "b = 1 /* \" */\na = " + strings.Repeat("[", n),
		"an escaped quote":  "b = \"\\\"\"\na = " + strings.Repeat("[", n),
		"an open string":    "b = [\"\n\", " + strings.Repeat("[", n),
		"a bracket too few": "b = \"${ ) \" }\"\na = " + strings.Repeat("[", n),
		"a broken block":    "a {\n  x = \"\n}\nb {\n  y = " + strings.Repeat("[", n),
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := syntax.Parse([]byte(text+"\n"), "x.hcl")
			if !diags.HasErrors() {
				t.Fatal("nothing is wrong with it")
			}
			for _, d := range diags {
				if d.Subject == nil || d.Subject.Filename != "x.hcl" {
					t.Errorf("no place: %v", d)
				}
			}
		})
	}
}

// However the blocks are indented, and whether they are closed or not: it is one
// mistake, and costs nothing that stands beside them.
func TestBlocksNestedTooDeeplyAreOneMistake(t *testing.T) {
	nested := func(n, indent int, end string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%srepeat \"r%d\" {\n", strings.Repeat(" ", i*indent), i)
		}
		for i := range n {
			b.WriteString(strings.Repeat(" ", (n-1-i)*indent) + end)
		}
		return b.String()
	}
	const beside = "node \"z\" {\n  image = \"i\"\n}\n"
	for name, tc := range map[string]struct {
		text, want string
		whole      int
	}{
		"as deep as may be":    {nested(200, 0, "}\n"), "", 1},
		"one too deep":         {nested(201, 0, "}\n"), "201:15 nested more than 200 levels deep", 0},
		"indented":             {nested(201, 2, "}\n"), "201:415 nested more than 200 levels deep", 0},
		"much too deep":        {nested(2000, 0, "}\n"), "201:15 nested more than 200 levels deep", 0},
		"never closed":         {nested(300, 0, ""), "201:15 nested more than 200 levels deep", -1},
		"twice":                {nested(201, 0, "}\n") + nested(201, 0, "}\n"), "201:15 nested more than 200 levels deep; 603:15 nested more than 200 levels deep", 0},
		"with another mistake": {nested(201, 0, "}\n") + "locals {\n  a = = 1\n}\n", "201:15 nested more than 200 levels deep; 404:7 Invalid expression", 0},
	} {
		t.Run(name, func(t *testing.T) {
			f, diags := syntax.Parse([]byte(tc.text+beside), "x.hcl")
			var got []string
			for _, d := range diags {
				got = append(got, fmt.Sprintf("%d:%d %s", d.Subject.Start.Line, d.Subject.Start.Column, d.Summary))
			}
			if strings.Join(got, "; ") != tc.want {
				t.Errorf("said %q, want %q", got, tc.want)
			}
			whole := 0
			for _, b := range f.Body.Blocks {
				if !f.Broken[b] {
					whole++
				}
			}
			if whole != tc.whole+1 {
				t.Errorf("%d blocks are whole, want %d", whole, tc.whole+1)
			}
		})
	}
}

// hcl takes a second for a heredoc of 8,000 lines, and four for twice as many.
func TestAHeredocIsReadAsLongAsItIsReadSoon(t *testing.T) {
	heredoc := func(lines int, line string) string {
		return "locals {\n  a = <<-EOT\n" + strings.Repeat("    "+line+"\n", lines) + "  EOT\n  b = <<-EOT\n    x\n  EOT\n}\n"
	}
	const common = "a line of about as many characters as are common"
	for name, tc := range map[string]struct{ text, want string }{
		"many lines":               {heredoc(3000, common), ""},
		"too many":                 {heredoc(9000, common), "2:7 too long a heredoc or template"},
		"few long lines":           {heredoc(100, strings.Repeat(common, 100)), ""},
		"too many interpolations":  {heredoc(4000, common+"${1}${2}"), "2:7 too long a heredoc or template"},
		"two that are long enough": {heredoc(4000, common) + heredoc(4000, common), ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := syntax.Parse([]byte(tc.text), "x.hcl")
			var got []string
			for _, d := range diags {
				got = append(got, fmt.Sprintf("%d:%d %s", d.Subject.Start.Line, d.Subject.Start.Column, d.Summary))
			}
			if strings.Join(got, "; ") != tc.want {
				t.Errorf("said %q, want %q", got, tc.want)
			}
		})
	}
}

func TestExpressionsAndTemplatesHaveTheSameLimits(t *testing.T) {
	deep := strings.Repeat("[", 200_000)
	if _, diags := syntax.ParseExpression([]byte(deep), "x", hcl.InitialPos); !diags.HasErrors() {
		t.Error("the expression is accepted")
	}
	if _, diags := syntax.ParseTemplate([]byte("[[ ${"+deep), "x", hcl.InitialPos); !diags.HasErrors() {
		t.Error("the template is accepted")
	}
	if _, diags := syntax.ParseTemplate([]byte(deep+"${1 + 2}\n"), "x", hcl.InitialPos); diags.HasErrors() {
		t.Error(diags)
	}
}

func TestWhatPeopleWriteIsNotTooComplex(t *testing.T) {
	for name, text := range map[string]string{
		"a long list":        "a = [" + strings.Repeat("[1, -2], ", 10_000) + "]",
		"long numbers":       "a = [" + strings.Repeat("12345678901234567890.5, ", 10_000) + "]",
		"digits in a text":   `a = "` + strings.Repeat("1", 10_000) + `"`,
		"a long text":        "a = <<E\n" + strings.Repeat("x = [(\n", 10_000) + "E\n",
		"a long template":    `a = "` + strings.Repeat("${b} ", 10_000) + `"`,
		"many statements":    "a {\n" + strings.Repeat("b = !c\n", 1) + strings.Repeat("d {\n  e = 1 + 2 == 3 ? 4 : 5\n}\n", 10_000) + "}",
		"many conditions":    "a = true" + strings.Repeat(" && b", 400),
		"brackets in a text": `a = "` + strings.Repeat("([{", 10_000) + `"`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, diags := syntax.Parse([]byte(text+"\n"), "x.hcl"); diags.HasErrors() {
				t.Error(diags)
			}
		})
	}
}
