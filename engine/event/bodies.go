package event

import (
	"encoding/json"
	"reflect"
)

// bodies has one value of each type that a stream can hold.
var bodies = []Body{
	RunStarted{}, FileInvalid{}, FileWarned{}, VariantStarted{}, ImageProgress{}, ImageReady{}, NetworkReady{}, NodeChanged{},
	RoundStarted{}, StepStarted{}, StepProgress{}, StepFinished{}, FaultChanged{}, FaultGap{}, WorkloadStarted{}, WorkloadFinished{},
	Interrupted{}, PhaseStarted{}, Warning{}, LeftBehind{}, Output{}, VariantFinished{}, RunFinished{},
}

func decode(like Body, data json.RawMessage) (Body, error) {
	p := reflect.New(reflect.TypeOf(like))
	if err := json.Unmarshal(data, p.Interface()); err != nil {
		return nil, err
	}
	return p.Elem().Interface().(Body), nil
}

type (
	// RunStarted is the first event of every stream.
	RunStarted struct {
		Run       string   `json:"run"` // the run's id
		Version   string   `json:"version"`
		Args      []string `json:"args"`
		Dir       string   `json:"dir"` // absolute
		Scenarios int      `json:"scenarios"`
		Variants  int      `json:"variants"`
		// Parallel is how many variants may run side by side; 0: one.
		Parallel int `json:"parallel,omitempty"`
	}

	// FileInvalid is a file that does not load or plan. Text is the printed
	// diagnostics, without colour; Diagnostics the same as data.
	FileInvalid struct {
		File        string          `json:"file"`
		Text        string          `json:"text"`
		Diagnostics json.RawMessage `json:"diagnostics,omitempty"`
	}

	// FileWarned is a file that loads, but not without warnings; it holds the
	// same as FileInvalid.
	FileWarned struct {
		File        string          `json:"file"`
		Text        string          `json:"text"`
		Diagnostics json.RawMessage `json:"diagnostics,omitempty"`
	}

	// VariantStarted opens a variant's part of the stream.
	VariantStarted struct {
		Scenario    string   `json:"scenario"`
		Variant     string   `json:"variant,omitempty"` // "storage=redis"
		Description string   `json:"description,omitempty"`
		File        string   `json:"file"`
		Dir         string   `json:"dir"` // below the run's directory
		Tags        []string `json:"tags,omitempty"`
		Seed        int64    `json:"seed"`
		Steps       []Step   `json:"steps"` // in plan order
	}

	// Step is what a reader must know of a step before it starts.
	Step struct {
		Address     string `json:"address"` // action.outage, assert.x, workload.clients
		Kind        string `json:"kind"`    // action, fault, workload, assert, group
		Type        string `json:"type,omitempty"`
		Name        string `json:"name"`
		Group       string `json:"group,omitempty"` // address of the group it is in; "cleanup"
		Background  bool   `json:"background,omitempty"`
		Description string `json:"description,omitempty"`
		// Nodes are the addresses of the nodes that it acts on or asks, as far
		// as the plan knows them.
		Nodes []string `json:"nodes,omitempty"`
		Place Place    `json:"place"`
	}

	// ImageProgress is a line of a build or pull; the last of several that come
	// close together.
	ImageProgress struct {
		Name string `json:"name"`
		Text string `json:"text"`
		// Stage says that a part of the work begins with this line; such lines
		// are never left out.
		Stage bool `json:"stage,omitempty"`
	}

	// ImageReady says where an image came from: built, cached, local, pulled.
	ImageReady struct {
		Name    string  `json:"name"`
		Ref     string  `json:"ref"`
		Digest  string  `json:"digest"`
		How     string  `json:"how"`
		Seconds float64 `json:"seconds"`
	}

	// NetworkReady is a network that was made.
	NetworkReady struct {
		Name   string `json:"name"`
		Subnet string `json:"subnet"`
	}

	// NodeChanged is a change of a node's state: created, starting, ready,
	// paused, exited, removed.
	NodeChanged struct {
		Node     string            `json:"node"` // address
		State    string            `json:"state"`
		IP       string            `json:"ip,omitempty"`
		Ports    map[string]string `json:"ports,omitempty"`
		ExitCode *int              `json:"exit_code,omitempty"`
		// OOMKilled says that a process was killed for using too much memory. In
		// another state than exited the node lives on without it.
		OOMKilled bool `json:"oom_killed,omitempty"`
		// Unasked is set on an exit or a kill that no action asked for.
		Unasked bool `json:"unasked,omitempty"`
		// AllowedBy is the fault during which it exited, and which says that it may.
		AllowedBy string   `json:"allowed_by,omitempty"`
		Log       []string `json:"log,omitempty"` // last lines, of what was unasked
		Seconds   float64  `json:"seconds,omitempty"`
	}

	// RoundStarted says that a round of a repeat begins.
	RoundStarted struct {
		Step  string `json:"step"`  // of the repeat
		Round int    `json:"round"` // from 0
		// Steps are those of the round that no event has told of yet, since the
		// plan does not have them. Once the next round begins, nothing more is
		// said of them.
		Steps []Step `json:"steps,omitempty"`
	}

	// StepStarted says that a step has been started.
	StepStarted struct {
		Step    string `json:"step"`
		Attempt int    `json:"attempt"` // from 1
	}

	// StepProgress is a line that a running step says about itself, such as
	// what a poll saw last.
	StepProgress struct {
		Step string `json:"step"`
		Text string `json:"text"`
	}

	// StepFinished ends a step.
	StepFinished struct {
		Step     string          `json:"step"`
		State    State           `json:"state"`
		Summary  string          `json:"summary,omitempty"` // one line for the timeline
		Seconds  float64         `json:"seconds"`
		Attempts int             `json:"attempts"`
		Result   json.RawMessage `json:"result,omitempty"`
		Cause    *Cause          `json:"cause,omitempty"`
		// History is how an assertion's value developed while it was polled,
		// oldest first, equal neighbours merged.
		History []Observation `json:"history,omitempty"`
	}

	// Observation is one evaluation of a condition, repeated Count times.
	Observation struct {
		At     float64 `json:"at"` // seconds since the run began, of the first
		Count  int     `json:"count"`
		Result string  `json:"result"` // true, false, unknown, error
		Text   string  `json:"text"`   // the values of its parts, one line
	}

	// FaultChanged is an edge of a fault's life: injecting, active, healing,
	// healed, invalid.
	FaultChanged struct {
		Step  string   `json:"step"`
		State string   `json:"state"`
		Nodes []string `json:"nodes,omitempty"`
		Hits  []string `json:"hits,omitempty"`
		Text  string   `json:"text,omitempty"`
		// For is how many seconds an active fault stays in effect; 0: until it
		// is healed.
		For float64 `json:"for_seconds,omitempty"`
	}

	// FaultGap says that an active fault was off for a while at one of its
	// nodes, which began anew with its start.
	FaultGap struct {
		Step    string  `json:"step"`
		Node    string  `json:"node"` // address
		Seconds float64 `json:"seconds"`
	}

	// WorkloadStarted is written when the baseline stands.
	WorkloadStarted struct {
		Workload string  `json:"workload"`
		Rate     float64 `json:"rate"`
		Samples  string  `json:"samples"` // file, below the run's directory
	}

	// WorkloadFinished has the statistics of the whole workload.
	WorkloadFinished struct {
		Workload   string          `json:"workload"`
		Statistics json.RawMessage `json:"statistics"`
		FirstError string          `json:"first_error,omitempty"`
		// FirstErrorAt is in seconds since the run began.
		FirstErrorAt float64 `json:"first_error_at,omitempty"`
	}

	// Interrupted is a signal that arrived.
	Interrupted struct {
		Signal string `json:"signal"`
		Count  int    `json:"count"` // 1: heal, clean up, remove; 2: skip cleanup; 3: exit
	}

	// PhaseStarted is the start of provision, execute, heal, cleanup, teardown.
	PhaseStarted struct {
		Phase string `json:"phase"`
	}

	// Warning is something a person should know that decides nothing.
	Warning struct {
		Text string `json:"text"`
	}

	// LeftBehind is something of ours that could not be removed or healed.
	LeftBehind struct {
		What    string `json:"what"`
		Reason  string `json:"reason"`
		Command string `json:"command"` // that does it by hand
	}

	// Output is a value that the scenario reports.
	Output struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Value       json.RawMessage `json:"value"`
	}

	// VariantFinished closes a variant's part of the stream.
	VariantFinished struct {
		State   State   `json:"state"`
		Seconds float64 `json:"seconds"`
		Cause   *Cause  `json:"cause,omitempty"` // the first that counts
		Step    string  `json:"step,omitempty"`  // the step or node it came from
		// TimedOut says that the run's time limit ended it.
		TimedOut bool `json:"timed_out,omitempty"`
		Left     int  `json:"left,omitempty"` // how many things were left behind
		// Repeat is the command that runs just this again.
		Repeat string `json:"repeat,omitempty"`
		Kept   []Kept `json:"kept,omitempty"`
		// Busy are signs that the machine had more to do than it could, of a
		// variant that did not pass: sentences.
		Busy []string `json:"busy,omitempty"`
	}

	// Kept is a node that outlives the run, and the commands by which a person
	// looks into it. One that does not run has no shell.
	Kept struct {
		Node  string `json:"node"` // address
		Shell string `json:"shell,omitempty"`
		Logs  string `json:"logs,omitempty"`
	}

	// RunFinished is the last event.
	RunFinished struct {
		State    State   `json:"state"`
		ExitCode int     `json:"exit_code"`
		Seconds  float64 `json:"seconds"`
	}

	// Unknown is an event of a type that this version does not know.
	Unknown struct {
		Type string
		Data json.RawMessage
	}
)

func (RunStarted) eventType() string       { return "run_started" }
func (FileInvalid) eventType() string      { return "file_invalid" }
func (FileWarned) eventType() string       { return "file_warned" }
func (VariantStarted) eventType() string   { return "variant_started" }
func (ImageProgress) eventType() string    { return "image_progress" }
func (ImageReady) eventType() string       { return "image_ready" }
func (NetworkReady) eventType() string     { return "network_ready" }
func (NodeChanged) eventType() string      { return "node_changed" }
func (RoundStarted) eventType() string     { return "round_started" }
func (StepStarted) eventType() string      { return "step_started" }
func (StepProgress) eventType() string     { return "step_progress" }
func (StepFinished) eventType() string     { return "step_finished" }
func (FaultChanged) eventType() string     { return "fault_changed" }
func (FaultGap) eventType() string         { return "fault_gap" }
func (WorkloadStarted) eventType() string  { return "workload_started" }
func (WorkloadFinished) eventType() string { return "workload_finished" }
func (Interrupted) eventType() string      { return "interrupted" }
func (PhaseStarted) eventType() string     { return "phase_started" }
func (Warning) eventType() string          { return "warning" }
func (LeftBehind) eventType() string       { return "left_behind" }
func (Output) eventType() string           { return "output" }
func (VariantFinished) eventType() string  { return "variant_finished" }
func (RunFinished) eventType() string      { return "run_finished" }
func (u Unknown) eventType() string        { return u.Type }
