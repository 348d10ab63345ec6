package network

import (
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/step"
)

type rateIn struct {
	linksIn
	Rate string `scn:"rate,required" check:"bitrate" doc:"How much is sent at most."`
}

func rateLimit() step.Definition {
	return step.NewFault[rateIn, linkIntent, linksOut](schema.Type{
		Name:    "rate_limit",
		Summary: "limits how much a node sends per second",
		Doc: "Acts on what a node sends: to each node of the link as much as `rate` says, with `isolate` to all others together. Of several limits on one link the smallest counts. " +
			"What doesn't fit waits, up to a thousand packets; what comes then is lost. Active when a packet of its own was seen to go through the limit.\n\n" +
			"A node that is started again begins without the limit, and has it again before it is ready; the timeline shows for how long it was off.\n\n" +
			sentLinksDoc + "\n\nEnded by `heal`.",
		Check: checkLinks,
		Needs: []schema.Need{needsRules, needsRate},
		Takes: linkTakes,
		Examples: []schema.Example{{
			Title: "A thin line out of one node",
			Text: webs(`action "rate_limit" "thin" {
  isolate = [node.web[0]]
  rate    = "1mbit"
  for     = "5s"
}
`),
		}},
	}, linkFault[rateIn]{func(in rateIn) (linksIn, link.Effect, error) {
		rate, err := schema.ParseBitrate(in.Rate)
		return in.linksIn, link.Effect{Verdict: link.Limit, Rate: rate}, err
	}})
}
