package link

import (
	"net/netip"
	"time"
)

// Shape is how what goes to a peer, or comes from it, is slowed down.
type Shape struct {
	// Peer is the address of the other end; the zero address: every one that
	// has no shape of its own.
	Peer netip.Addr `json:"peer"`
	// Latency is how much later a packet arrives, give or take Jitter, drawn
	// anew for each packet; Correlation is how many per cent of it come from
	// the packet before.
	Latency     time.Duration `json:"latency,omitempty"`
	Jitter      time.Duration `json:"jitter,omitempty"`
	Correlation float64       `json:"correlation,omitempty"`
	Rate        int64         `json:"rate,omitempty"` // bits per second; 0: no limit
}

// Shaped is a shape that is in force, with the packets that it has met.
type Shaped struct {
	Shape
	Packets uint64 `json:"packets"`
}

// The jobs of an agent that slow down what passes its end. Each writes one
// line: the shapes that are in force, as Shaped.
const (
	ShapeJob  = "shape"  // its spec: all Shapes for what leaves
	ShapedJob = "shaped" // looks only
	HoldJob   = "hold"   // its spec: all Shapes for what arrives; rates are none of its business
	HeldJob   = "held"   // looks only
)
