package network

import (
	"errors"
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/step"
)

type delayIn struct {
	linksIn
	Latency     time.Duration `scn:"latency,required"`
	Jitter      time.Duration `scn:"jitter"`
	Correlation float64       `scn:"correlation"`
}

// longestDelay is what a fault may ask for: its effect is measured before it
// counts as active, and everything that waits for an answer has given up by then.
const longestDelay = 10 * time.Second

func delay() step.Definition {
	return step.NewFault[delayIn, linkIntent, linksOut](schema.Type{
		Name:    "delay",
		Summary: "makes packets arrive later",
		Doc: "Acts on what a node sends, connections that are open already included: 100 ms add 100 ms to a round trip, be it the node or the other end that begins it. " +
			"Several delays of one link add up. Active when a packet and its answer were seen to take as long as all delays on their way come to.\n\n" +
			"Packets are delayed by the kernel where the node sends them (netem). A kernel without netem hands them to the agents where they arrive, which hold them back (nfqueue); " +
			"what the node sends to clients is then delayed by what they send to it, which is the same there and back. The timeline says so.\n\n" +
			"A node that is started again begins without the delay, and has it again before it is ready; the timeline shows for how long it was off.\n\n" +
			sentLinksDoc + "\n\nEnded by `heal`.",
		Args: schema.Object{Attrs: []schema.Attr{
			{Name: "latency", Type: cty.String, Required: true, Format: schema.PositiveDuration, Check: checkLatency,
				Doc: "How much later packets arrive: from 1ms to 10s. For longer cut the link."},
			{Name: "jitter", Type: cty.String, Default: cty.StringVal("0s"), Format: schema.Duration, Check: checkJitter,
				Doc: "By how much that varies, up and down, from packet to packet: 0s, or from 100us to as much as the latency. Packets may overtake each other."},
			{Name: "correlation", Type: cty.Number, Default: cty.Zero, Check: checkCorrelation,
				Doc: "How many per cent of a packet's jitter come from the packet before: 0, or from 1 to 100."},
		}},
		Check: checkDelay,
		Needs: []schema.Need{needsRules, needsDelay},
		Takes: linkTakes,
		Examples: []schema.Example{{
			Title: "All that one node sends is slow",
			Text: webs(`action "delay" "slow" {
  isolate = [node.web[0]]
  latency = "100ms"
  jitter  = "10ms"
  for     = "5s"
}
`),
		}, {
			Title: "A long way between two sites",
			Text: webs(`action "delay" "far" {
  sides   = [[node.web[0]], [node.web[1], node.web[2]]]
  latency = "40ms" # each way
}

action "heal" "near" {
  faults = [action.far]
}
`),
		}},
	}, linkFault[delayIn]{func(in delayIn) (linksIn, link.Effect, error) {
		return in.linksIn, link.Effect{Verdict: link.Delay, Latency: in.Latency, Jitter: in.Jitter, Correlation: in.Correlation}, nil
	}})
}

func checkLatency(v cty.Value) error {
	latency, err := time.ParseDuration(v.AsString())
	switch {
	case err != nil:
		return err
	case latency > longestDelay:
		return fmt.Errorf("%s is too long: it can be %s at most; cut the link for longer", latency, longestDelay)
	}
	return nil
}

// leastJitter is what packets vary by on a machine that has something to do, so
// that less makes no difference.
const leastJitter = 100 * time.Microsecond

func checkJitter(v cty.Value) error {
	if jitter, err := time.ParseDuration(v.AsString()); err != nil || jitter > 0 && jitter < leastJitter {
		return fmt.Errorf("must be 0s, or %s or longer: packets vary by less than that anyway", leastJitter)
	}
	return nil
}

func checkCorrelation(v cty.Value) error {
	switch share, _ := v.AsBigFloat().Float64(); {
	case share < 0 || share > 100:
		return fmt.Errorf("must be a share from 0 to 100, not %v", share)
	case share > 0 && share < 1:
		return errors.New("must be 0, or from 1 to 100: it is in per cent")
	}
	return nil
}

// checkDelay says what is wrong with the arguments together.
func checkDelay(args cty.Value) error {
	latency, jitter := durationOf(args, "latency"), durationOf(args, "jitter")
	if latency > 0 && jitter > latency {
		return fmt.Errorf("a jitter of %s is more than the latency of %s: packets can't arrive before they are sent", jitter, latency)
	}
	if c, j := args.GetAttr("correlation"), args.GetAttr("jitter"); c.IsKnown() && !c.IsNull() && c.AsBigFloat().Sign() > 0 && j.IsKnown() && jitter == 0 {
		return errors.New("a correlation is one of the jitter, and there is none")
	}
	return checkLinks(args)
}

// durationOf is a duration among the arguments; 0 if it isn't known, or is none.
func durationOf(args cty.Value, name string) time.Duration {
	v := args.GetAttr(name)
	if !v.IsKnown() || v.IsNull() {
		return 0
	}
	d, err := time.ParseDuration(v.AsString())
	if err != nil {
		return 0 // its format says so
	}
	return d
}
