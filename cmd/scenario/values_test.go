package main

import (
	"testing"
)

func TestAVariantMatchesAValueOfEachAxisThatIsAskedFor(t *testing.T) {
	for _, c := range []struct {
		key    string
		wanted []string
		want   bool
	}{
		{"", nil, true},
		{"", []string{"a=1"}, false},
		{"a=1,b=2", nil, true},
		{"a=1,b=2", []string{"b=2"}, true},
		{"a=1,b=2", []string{"a=1,b=2"}, true},
		{"a=1,b=2", []string{"a=1", "b=3"}, false},
		{"a=1,b=2", []string{"b=3", "b=2"}, true},
		{"a=11,b=2", []string{"a=1"}, false},
	} {
		if got := matches(c.key, c.wanted); got != c.want {
			t.Errorf("%q, %q: %v", c.key, c.wanted, got)
		}
	}
}

func TestShellQuoteLeavesPlainWordsAndQuotesTheRest(t *testing.T) {
	for in, want := range map[string]string{
		"scenarios/ha.hcl": "scenarios/ha.hcl", "a=b": "a=b", "": "''", "two words": "'two words'",
		"it's": `'it'\''s'`, "x[0]": "'x[0]'", "$HOME": "'$HOME'",
	} {
		if got := shellQuote(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestARangeOfAVarPointsAtItsText(t *testing.T) {
	v := &values{texts: map[string][]byte{}}
	if err := v.fromArguments([]string{"a=1", "größe=x y"}); err != nil {
		t.Fatal(err)
	}
	r := v.args[1].Range
	if got := string(r.SliceBytes(v.texts[argument])); got != "x y" {
		t.Errorf("%q", got)
	}
	if r.Start.Line != 2 || r.Start.Column != 7 {
		t.Errorf("%v", r)
	}
}

func TestALaterSourceOfAValueIsStronger(t *testing.T) {
	v := &values{texts: map[string][]byte{}}
	v.fromEnvironment([]string{"SCENARIO_VAR_b=2", "SCENARIO_VAR_a=1", "SCENARIO_VAR_=no", "PATH=/bin"})
	if err := v.fromArguments([]string{"a=9"}); err != nil {
		t.Fatal(err)
	}
	all, diags, err := v.forScenario("testdata/none.hcl", map[string]bool{})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	var got string
	for _, x := range all {
		got += x.Name + " from " + x.From + "; "
	}
	if want := "a from SCENARIO_VAR_a; b from SCENARIO_VAR_b; a from --var; "; got != want {
		t.Errorf("%s", got)
	}
	if !all[0].Lenient || all[2].Lenient {
		t.Error("the environment may name what is not declared, an argument must not")
	}
}
