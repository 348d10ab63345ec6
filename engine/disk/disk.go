// Package disk is what a fault does to the room on a volume, as data: it knows
// neither who takes the room nor how.
package disk

// The jobs of an agent that has a volume. Each writes one line, the Space after
// it.
const (
	FillJob    = "fill"    // takes room away; its spec: a Fill
	LookJob    = "space"   // only looks
	ReleaseJob = "release" // gives back what FillJob took
)

// Fill says how much room is to be left.
type Fill struct {
	Leave int64 `json:"leave"` // bytes, at most
}

// Space is the room on a volume, in bytes, as its file system has it.
type Space struct {
	Size int64 `json:"size"`
	Free int64 `json:"free"`
	Held int64 `json:"held"` // what FillJob took and nothing has given back
}
