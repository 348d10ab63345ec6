package engine

import (
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/plan"
)

// describeSteps lists the steps of a plan for a reader of the stream.
func describeSteps(p *plan.Plan) []event.Step {
	return describe(p.Vertices)
}

func describe(vertices []*plan.Vertex) []event.Step {
	var steps []event.Step
	for _, v := range vertices {
		if v.Kind != plan.StepVertex && v.Kind != plan.GroupEnd {
			continue
		}
		s := event.Step{
			Address: v.ID, Kind: string(v.Step.Kind), Type: v.Step.Type.Name, Name: v.Step.Name, Group: v.Group,
			Background: v.Step.Meta.Background, Description: v.Step.Meta.Description, Nodes: v.Targets, Place: place(v.Step.Range),
		}
		switch {
		case v.Kind == plan.GroupEnd:
			s.Kind = "group"
		case isFault(&vertex{Vertex: v}):
			s.Kind = "fault"
		}
		if v.Cleanup && s.Group == "" {
			s.Group = "cleanup"
		}
		steps = append(steps, s)
	}
	return steps
}
