package plan

import (
	"bytes"
	"encoding/json"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/schema"
)

// version is the version of the JSON form.
const version = 1

// jsonPlan is the JSON form of a plan, described for others by
// docs/reference/plan.schema.json. Fields are added, never changed.
type jsonPlan struct {
	Version  int          `json:"version"`
	Scenario string       `json:"scenario"`
	Variant  string       `json:"variant,omitempty"` // "axis=value,axis=value"
	File     string       `json:"file"`
	Vertices []jsonVertex `json:"vertices"` // every edge points backwards
}

// jsonVertex is one thing that is done.
type jsonVertex struct {
	ID         string   `json:"id"`
	Kind       Kind     `json:"kind"`
	Type       string   `json:"type,omitempty"`       // of an action, fault or workload: kill_gcs
	Title      string   `json:"title"`                // for people; may change
	Targets    []string `json:"targets,omitempty"`    // addresses of nodes, as far as known
	Group      string   `json:"group,omitempty"`      // ID of the round or group that it is in
	Round      int      `json:"round,omitempty"`      // of a round's start, from 0
	For        string   `json:"for,omitempty"`        // of a repeat's start: how long new rounds begin
	Cleanup    bool     `json:"cleanup,omitempty"`    // belongs to the cleanup block
	Background bool     `json:"background,omitempty"` // isn't waited for by what stands below
	// Needs are what the machine must be able to do: of each list one thing.
	Needs []schema.Need `json:"needs,omitempty"`
	Place *jsonPlace    `json:"place,omitempty"` // where it is declared
	Waits []jsonEdge    `json:"waits,omitempty"`
}

// jsonEdge says what a vertex waits for, and why.
type jsonEdge struct {
	On    string     `json:"on"`
	Need  string     `json:"need"`  // started, active, finished
	Cause Cause      `json:"cause"` // order, after, reference, node, image
	Place *jsonPlace `json:"place,omitempty"`
}

// jsonPlace is where something stands. Lines and columns count from 1.
type jsonPlace struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// JSON returns the plan as data, the same for the same plan to the byte.
func (p *Plan) JSON() ([]byte, error) {
	out := jsonPlan{Version: version, Variant: p.Variant.Key, Vertices: []jsonVertex{}}
	if s := p.Variant.Scenario; s != nil {
		out.Scenario, out.File = s.Name, s.File
	}
	for _, v := range p.Vertices {
		j := jsonVertex{
			ID: v.ID, Kind: v.Kind, Title: v.Title, Targets: v.Targets, Group: v.Group,
			Cleanup: v.Cleanup, Place: toPlace(v.declared()),
		}
		if v.Kind == RoundStart {
			j.Round = v.Round
		}
		if v.For > 0 {
			j.For = duration(v.For)
		}
		if v.Step != nil {
			j.Type, j.Background = v.Step.Type.Name, v.Step.Meta.Background
			j.Needs = v.Needs()
		}
		for _, e := range v.Waits {
			edge := jsonEdge{On: e.On, Need: string(e.Need), Cause: e.Cause}
			if e.Ref != nil {
				edge.Place = toPlace(e.Ref.Range)
			}
			j.Waits = append(j.Waits, edge)
		}
		out.Vertices = append(out.Vertices, j)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(out)
	return b.Bytes(), err
}

// declared is where the vertex comes from in the files.
func (v *Vertex) declared() hcl.Range {
	switch {
	case v.Step != nil:
		return v.Step.Range
	case v.Node != nil:
		return v.Node.Range
	case v.Image != nil:
		return v.Image.Range
	case v.Network != nil:
		return v.Network.Range
	case v.Volume != nil:
		return v.Volume.Range
	default:
		return hcl.Range{}
	}
}

func toPlace(r hcl.Range) *jsonPlace {
	if r.Filename == "" {
		return nil
	}
	return &jsonPlace{r.Filename, r.Start.Line, r.Start.Column}
}
