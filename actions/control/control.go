package control

import (
	"context"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
)

type sleepIn struct {
	For time.Duration `scn:"for,required" check:"duration" lasts:"true" doc:"How long to wait. A length that is computed may be 0s: then it goes on at once."`
}

func sleep() step.Definition {
	return step.NewAction(schema.Type{
		Name:    "sleep",
		Summary: "waits",
		Doc: `For time that must pass, such as the length of an outage. To wait until
something holds, an assert with ` + "`within`" + ` is faster and says what it waited for.`,
		Examples: []schema.Example{{
			Title: "An outage of two seconds",
			Text: `scenario "example" {}

action "sleep" "unattended" {
  for = "2s"
}
`,
		}},
	}, func(ctx context.Context, env *step.Env, in sleepIn) (step.Nothing, string, error) {
		return step.Nothing{}, in.For.String(), env.Clock.Sleep(ctx, in.For)
	})
}

type noteIn struct {
	Values cty.Value `scn:"values,required" doc:"What to keep."`
}

func note() step.Definition {
	return step.NewAction(schema.Type{
		Name:    "note",
		Summary: "keeps values as they are now",
		Doc:     "Later steps compare with `action.NAME.values`, whatever has become of what they were taken from.",
		Result: func(args cty.Value) schema.Object {
			return schema.Object{Attrs: []schema.Attr{{
				Name: "values", Type: typeOf(args, "values"), Doc: "The values as they were.",
			}}}
		},
		Examples: []schema.Example{{
			Title: "Nothing has restarted since",
			Text: `scenario "example" {}

node "web" {
  image = "nginx:1.29"
}

probe "node" "web" {
  node = node.web
}

action "note" "before" {
  values = { started_at = probe.web.started_at }
}

assert "same_process" {
  condition = probe.web.started_at == action.before.values.started_at
}
`,
		}},
	}, func(_ context.Context, _ *step.Env, in noteIn) (cty.Value, string, error) {
		return cty.ObjectVal(map[string]cty.Value{"values": in.Values}), "", nil
	})
}

// typeOf is the type of an argument as far as it is known.
func typeOf(args cty.Value, name string) cty.Type {
	if args == cty.NilVal || !args.Type().IsObjectType() || !args.Type().HasAttribute(name) {
		return cty.DynamicPseudoType
	}
	return args.Type().AttributeType(name)
}

type healIn struct {
	Faults []string `scn:"faults,required" ref:"faults" doc:"The faults to heal, by their steps."`
}

func heal() step.Definition {
	return step.NewAction(schema.Type{
		Name:    "heal",
		Summary: "ends faults and verifies that they are gone",
		Doc: `A fault that took nodes down starts them and waits until they are ready, after all
others have been healed, in whatever order they are named. One that is healed already is passed over; one that was never injected, since it was skipped, is a failure. Faults that nothing heals are healed at the end.`,
		Examples: []schema.Example{{
			Title: "Heal two faults at once",
			Text: `scenario "example" {}

node "web" {
  count = 2
  image = "nginx:1.29"
}

action "pause" "frozen" {
  nodes = [node.web[0]]
}

action "kill" "dead" {
  nodes = [node.web[1]]
}

action "heal" "both" {
  faults = [action.frozen, action.dead]
}
`,
		}},
	}, func(ctx context.Context, env *step.Env, in healIn) (step.Nothing, string, error) {
		if len(in.Faults) == 0 {
			return step.Nothing{}, "", step.Failf("faults is empty: there is nothing to heal")
		}
		if err := env.Faults.Heal(ctx, in.Faults...); err != nil {
			return step.Nothing{}, "", err
		}
		return step.Nothing{}, strings.Join(in.Faults, ", ") + " healed", nil
	})
}

type stopWorkloadIn struct {
	Workload string `scn:"workload,required" ref:"workload" doc:"The workload to end."`
}

func stopWorkload() step.Definition {
	return step.NewAction(schema.Type{
		Name:    "stop_workload",
		Summary: "ends a workload and waits for what is in flight",
		Doc:     "Its results are the statistics of the whole workload, which do not change any more.",
		Result:  func(cty.Value) schema.Object { return schema.Statistics(cty.DynamicPseudoType) },
		Examples: []schema.Example{{
			Title: "End a workload before the nodes that it needs are taken down",
			Text: `scenario "example" {}

node "web" {
  image = "nginx:1.29"

  ready {
    http = ":80/"
  }
}

workload "http" "clients" {
  url  = "http://${node.web.ip}/"
  rate = 20
}

action "stop_workload" "done" {
  workload = workload.clients
}

assert "nothing_lost" {
  condition = action.done.failed == 0
}
`,
		}},
	}, func(ctx context.Context, env *step.Env, in stopWorkloadIn) (cty.Value, string, error) {
		statistics, err := env.Workloads.Stop(ctx, in.Workload)
		return statistics, in.Workload + " stopped", err
	})
}
