package network

import (
	"encoding/json"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/traffic"
)

type workloadIn struct {
	Target      string        `scn:"target,required" check:"address" doc:"host:port to connect to."`
	Rate        float64       `scn:"rate,required" check:"rate" doc:"Connections per second."`
	Send        string        `scn:"send" doc:"What is sent on each, such as \"PING\\r\\n\". {seq} in it is the connection's number, from 0."`
	Expect      string        `scn:"expect" check:"regexp" doc:"A regular expression that what comes back must match. Without it a connection is ok when it is made, and closed at once: the kernel makes it even for a process that stands still."`
	Timeout     time.Duration `scn:"timeout" default:"2s" check:"positive_duration" doc:"How long connecting and the answer may take."`
	MaxInFlight int           `scn:"max_in_flight" default:"1000" check:"count" doc:"How many connections may be open at a time; those beyond are not made and count as failed (saturated)."`
	From        step.Node     `scn:"from"`
	Baseline    int           `scn:"baseline" default:"20" check:"whole" doc:"How many connections in a row must be ok before the step is done; 0 turns that off."`
	Within      time.Duration `scn:"within" default:"30s" check:"positive_duration" doc:"How long that may take; after it the scenario is inconclusive."`
}

func workload() step.Definition {
	return step.NewWorkload(schema.Type{
		Name:    "tcp",
		Summary: "makes TCP connections all the time, and records every one",
		Doc: `Open loop: connection i is due at i / ` + "`rate`" + ` seconds and is made then, whatever
became of the others. Each is closed when it is known to be ok or not. One that fails after something was sent on it counts as ` + "`unknown`" + `, too.`,
		Args:   schema.Object{Attrs: []schema.Attr{fromArg()}},
		Result: func(cty.Value) schema.Object { return schema.Statistics(cty.EmptyObject) },
		Examples: []schema.Example{{
			Title: "Redis answers, or is away for less than a second",
			Text: `scenario "example" {}

node "redis" {
  image = "redis:8"
}

workload "tcp" "pings" {
  target = "${node.redis.ip}:6379"
  rate   = 50
  send   = "PING\r\n"
  expect = "^\\+PONG"
}

action "restart" "redis" {
  nodes = node.redis
}

assert "short" {
  condition = workload.pings.max_gap_seconds < 1
  within    = "10s"
}
`,
		}},
	}, send)
}

func send(in workloadIn) (step.Traffic, error) {
	spec, err := json.Marshal(traffic.TCPSpec{
		Target: in.Target, Rate: in.Rate, Send: in.Send, Expect: in.Expect, Timeout: in.Timeout, MaxInFlight: in.MaxInFlight,
	})
	if err != nil {
		return step.Traffic{}, err
	}
	return step.Traffic{Job: "tcp", Spec: spec, From: string(in.From), Rate: in.Rate, Baseline: in.Baseline, Within: in.Within}, nil
}
