package network

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/step"
)

func partition() step.Definition {
	return step.NewFault[linksIn, linkIntent, linksOut](schema.Type{
		Name:    "partition",
		Summary: "cuts nodes off: packets between them are dropped",
		Doc: "To a client, what is behind a partition doesn't answer: connecting times out. Active when a packet of its own was seen to be dropped at each end.\n\n" + linksDoc +
			"\n\nEnded by `heal`.",
		Check: checkLinks,
		Needs: []schema.Need{needsRules},
		Takes: linkTakes,
		Examples: []schema.Example{{
			Title: "Cut one node off from everyone for five seconds",
			Text: webs(`action "partition" "cut" {
  isolate = [node.web[0]]
  for     = "5s"
}
`),
		}, {
			Title: "Split a cluster in two",
			Text: webs(`action "partition" "split" {
  sides = [[node.web[0]], [node.web[1], node.web[2]]]
}

action "heal" "mend" {
  faults = [action.split]
}
`),
		}},
	}, linkFault[linksIn]{func(in linksIn) (linksIn, link.Effect, error) { return in, link.Effect{Verdict: link.Drop}, nil }})
}

type blockIn struct {
	linksIn
	Port int    `scn:"port,required" check:"port" doc:"The port that is blocked, of TCP and UDP, at the nodes that packets go to."`
	With string `scn:"with" default:"drop" enum:"drop,reject" doc:"drop: connecting times out; reject: it is refused at once."`
}

func blockPort() step.Definition {
	return step.NewFault[blockIn, linkIntent, linksOut](schema.Type{
		Name:    "block_port",
		Summary: "blocks one port: packets to it are dropped or rejected",
		Doc:     "Active when a packet of its own was seen to meet the block at each end.\n\n" + linksDoc + "\n\nEnded by `heal`.",
		Check:   checkLinks,
		Needs:   []schema.Need{needsRules, needsReject},
		Takes:   linkTakes,
		Examples: []schema.Example{{
			Title: "Refuse connections to a port",
			Text: webs(`action "block_port" "refused" {
  isolate = [node.web[0]]
  port    = 8080
  with    = "reject"
  for     = "5s"
}
`),
		}},
	}, linkFault[blockIn]{func(in blockIn) (linksIn, link.Effect, error) {
		return in.linksIn, link.Effect{Verdict: link.Verdict(in.With), Port: in.Port}, nil
	}})
}

type lossIn struct {
	linksIn
	Percent float64 `scn:"percent,required"`
}

// leastLoss is the least share of packets, in per cent, that can be lost or left.
const leastLoss = 100.0 / link.LossSteps

// checkLoss refuses shares that would come to none of the packets, or to all.
func checkLoss(v cty.Value) error {
	switch p, _ := v.AsBigFloat().Float64(); {
	case p > 0 && p < leastLoss:
		return fmt.Errorf("must be %g or more: the kernel draws by that, and would lose nothing", leastLoss)
	case p < 100 && p > 100-leastLoss:
		return fmt.Errorf("must be at most %g, or 100: the kernel draws by %g, and would lose everything", 100-leastLoss, leastLoss)
	}
	return nil
}

func loss() step.Definition {
	return step.NewFault[lossIn, linkIntent, linksOut](schema.Type{
		Name:    "loss",
		Summary: "loses packets at random",
		Doc: "Acts on what a node sends, so that a link of which both ways are hit loses twice. Active when a packet of its own was seen to be drawn for at each end that sends.\n\n" +
			sentLinksDoc + "\n\nEnded by `heal`.",
		Args: schema.Object{Attrs: []schema.Attr{{
			Name: "percent", Type: cty.Number, Required: true, Format: schema.Percent, Check: checkLoss,
			Doc: "How many packets of a hundred are lost: at least 0.001, at most 100.",
		}}},
		Check: checkLinks,
		Needs: []schema.Need{needsRules, needsDraw},
		Takes: linkTakes,
		Examples: []schema.Example{{
			Title: "A bad line between two nodes",
			Text: webs(`action "loss" "bad_line" {
  sides   = [[node.web[0]], [node.web[1]]]
  percent = 20
  for     = "5s"
}
`),
		}},
	}, linkFault[lossIn]{func(in lossIn) (linksIn, link.Effect, error) {
		return in.linksIn, link.Effect{Verdict: link.Lose, Percent: in.Percent}, nil
	}})
}

// webs is an example over three nodes.
func webs(steps string) string {
	return `scenario "example" {}

node "web" {
  count   = 3
  image   = "python:3.11-slim-bookworm"
  command = ["python3", "-m", "http.server", "8080"]
}

` + steps
}
