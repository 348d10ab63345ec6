package lang_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
)

func TestEachRoundHasStepsOfItsOwn(t *testing.T) {
	v := expand(t, cluster+`
repeat "round" {
  times = 2

  action "pause" "shot" {
    nodes = [node.web[repeat.index]]
  }

  assert "down" {
    condition = action.shot.attempts == repeat.index
  }

  repeat "inner" {
    times = 1

    action "heal" "mend" {
      faults = [action.shot]
    }
  }
}
`, lang.Options{})
	round := find(t, v.Steps, "repeat.round")
	if round.Times != 2 || len(round.Rounds) != 2 || len(round.Steps) != 3 {
		t.Fatalf("%+v", round)
	}
	got := refs(find(t, v.Steps, "repeat.round[1]/assert.down").Refs)
	if d := cmp.Diff([]string{"repeat.round[1]/action.shot finished"}, got); d != "" {
		t.Error(d)
	}
	body, diags := find(t, v.Steps, "repeat.round[1]/action.shot").Body.Eval(v.Planned())
	if diags.HasErrors() || body.GetAttr("nodes").AsValueSlice()[0].AsString() != "node.web[1]" {
		t.Errorf("%#v %v", body, diags)
	}
	inner := round.Rounds[1][2].Rounds[0][0]
	if inner.Address != "repeat.round[1]/repeat.inner[0]/action.mend" || inner.Refs[0].Address != "repeat.round[1]/action.shot" {
		t.Errorf("%s refers to %s", inner.Address, inner.Refs[0].Address)
	}
}

func TestWhatIsInAGroupThatNeverRunsIsCheckedByTypeOnly(t *testing.T) {
	expand(t, `
repeat "never" {
  times = 1
  when  = false

  repeat "inner" {
    times = 2

    action "note" "n" {
      values = { none = tolist(["a"])[7] }
    }
  }
}
`, lang.Options{})
}

func TestEachAndCountInARepeatAreThoseOfTheInnermostThatHasThem(t *testing.T) {
	v := expand(t, `
repeat "r" {
  for_each = { a = 1, b = 2 }
  times    = each.value

  action "note" "n" {
    count  = each.value
    values = [each.key, count.index, repeat.index]
  }

  action "note" "own" {
    for_each = ["x"]
    values   = [each.value]
  }
}
`, lang.Options{})
	got := map[string]string{}
	for _, s := range v.Steps {
		for _, round := range s.Rounds {
			for _, inner := range round {
				body, diags := inner.Body.Eval(v.Planned())
				if diags.HasErrors() {
					t.Fatal(diags)
				}
				var all []string
				for _, el := range body.GetAttr("values").AsValueSlice() {
					if el.Type() == cty.Number {
						all = append(all, el.AsBigFloat().String())
						continue
					}
					all = append(all, el.AsString())
				}
				got[inner.Address] = strings.Join(all, " ")
			}
		}
	}
	want := map[string]string{
		`repeat.r["a"][0]/action.n[0]`: "a 0 0", `repeat.r["a"][0]/action.own[0]`: "x",
		`repeat.r["b"][0]/action.n[0]`: "b 0 0", `repeat.r["b"][0]/action.n[1]`: "b 1 0", `repeat.r["b"][0]/action.own[0]`: "x",
		`repeat.r["b"][1]/action.n[0]`: "b 0 1", `repeat.r["b"][1]/action.n[1]`: "b 1 1", `repeat.r["b"][1]/action.own[0]`: "x",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestRoundsAreMadeWhileExpressionsAreEvaluated(t *testing.T) {
	s, diags, printed := load(t, "testdata/right/by_time.hcl", lang.Options{DrawnSeed: new(int64)})
	if len(diags) > 0 {
		t.Fatal(printed)
	}
	v, _ := s.Expand("")
	storm := find(t, v.Steps, "repeat.storm")
	if storm.For != 30*time.Minute || storm.Times != 0 || len(storm.Rounds) != 2 {
		t.Fatalf("%+v", storm)
	}
	before := refs(storm.Rounds[0][0].Refs)
	var group sync.WaitGroup
	for n := range 20 {
		group.Go(func() {
			made, diags := storm.Round(n)
			steps := made.Steps
			if diags.HasErrors() || len(steps) != 2+n%2 {
				t.Error(n, len(steps), diags)
				return
			}
			args, diags := steps[0].Body.Eval(v.Planned())
			if want := fmt.Sprintf("%ds", 1+n%3); diags.HasErrors() || args.GetAttr("for").AsString() != want {
				t.Errorf("round %d: %#v, want %s; %v", n, args, want, diags)
			}
			want := fmt.Sprintf("repeat.storm[%d]/action.shot", n)
			if got := refs(steps[1].Rounds[1][0].Refs); steps[0].Address != want || !slices.Contains(got, want+" started") {
				t.Errorf("%s refers to %v", steps[1].Rounds[1][0].Address, got)
			}
		})
		group.Go(func() {
			if diags := evaluateAll(v); len(diags) > 0 {
				t.Error(diags)
			}
		})
	}
	group.Wait()
	if d := cmp.Diff(before, refs(storm.Rounds[0][0].Refs)); d != "" {
		t.Error(d)
	}
}
