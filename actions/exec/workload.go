package exec

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/traffic"
)

type workloadIn struct {
	Node     step.Node         `scn:"node,required" doc:"The node to run it in."`
	Command  []string          `scn:"command,required" check:"command" doc:"The program and its arguments; there is no shell unless it is one."`
	Workers  int               `scn:"workers" default:"1" check:"count" doc:"How many operations it carries out side by side. If more than one, each line says whose it is in worker, and those of one worker follow one another."`
	Capture  map[string]string `scn:"capture" doc:"Values to collect as strings: a name and a path in the line, such as key or reply.id. An operation that is ok must have each."`
	Baseline int               `scn:"baseline" default:"20" check:"whole" doc:"How many operations in a row must be ok before the step is done; 0 turns that off."`
	Within   time.Duration     `scn:"within" default:"30s" check:"positive_duration" doc:"How long that may take; after it the scenario is inconclusive."`
}

func workload() step.Definition {
	return step.NewWorkload(schema.Type{
		Name:    "exec",
		Summary: "runs a program that is the traffic: any client, in any language",
		Doc: `The program prints one JSON object a line for each operation that has ended, at once (a buffer would keep
it): ` + "`ok` (whether it was), `start` and `end` (seconds since 1970)" + `, and if it was not ok
` + "`class` (how it failed: refused, timeout, or a word of its own), `error`, and `unknown`, true if it may have had an effect all the same; `code` is a status that was answered, if one was" + `. Fields beside
these can be captured. What is no such line fails the scenario; standard error is the program's own.

An operation counts as due when it began, and belongs to the window in which that was. The program goes on until
it is stopped: by SIGTERM, and after 5 s by SIGKILL. If it ends before, the workload has failed. An operation that it had begun and not
reported when it was stopped is not counted, so it should finish what it has begun.`,
		NeedsRunning: true,
		Result:       func(args cty.Value) schema.Object { return schema.Statistics(schema.Captured(args)) },
		Examples: []schema.Example{{
			Title: "A client in Python, and what it has written",
			Text: `scenario "example" {}

node "client" {
  image = "python:3.11-slim"

  files = {
    "/client.py" = <<-EOT
      import json, time
      n = 0
      while True:
          start = time.time()
          time.sleep(0.05)  # the operation
          print(json.dumps({"ok": True, "start": start, "end": time.time(), "key": n}), flush=True)
          n += 1
    EOT
  }
  command = ["sleep", "infinity"]
}

workload "exec" "writes" {
  node    = node.client
  command = ["python3", "/client.py"]
  capture = { key = "key" }
}

action "sleep" "some_time" {
  for = "5s"
}

assert "all_written" {
  condition = workload.writes.failed == 0 && length(workload.writes.captured.key) > 50
}
`,
		}},
	}, send)
}

func send(in workloadIn) (step.Traffic, error) {
	spec, err := json.Marshal(traffic.ProgramSpec{Workers: in.Workers, Capture: in.Capture})
	if err != nil {
		return step.Traffic{}, err
	}
	return step.Traffic{
		Program: in.Command, Spec: spec, From: string(in.Node), Baseline: in.Baseline, Within: in.Within,
		Captures: slices.Sorted(maps.Keys(in.Capture)),
	}, nil
}
