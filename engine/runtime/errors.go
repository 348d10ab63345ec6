package runtime

import "errors"

// Kind is what sort of failure an Error is. It decides the verdict: NodeFault
// is the product's, the others are the lab's.
type Kind string

// The kinds of failures.
const (
	Unreachable Kind = "unreachable"  // the place does not answer
	NotFound    Kind = "not found"    // an image, node or network is not there
	Conflict    Kind = "conflict"     // a name, port or subnet is taken
	NotRunning  Kind = "not running"  // the node is down or paused
	NodeFault   Kind = "node fault"   // the node's own: its command does not exist, say
	BuildFailed Kind = "build failed" // an image could not be built; Detail has the last lines
	NoSpace     Kind = "no space"     // a disk is full
	Unsupported Kind = "unsupported"  // this place can't do it
	Internal    Kind = "internal"     // anything else
)

// Error is a failure of a Runtime.
type Error struct {
	Kind   Kind
	Op     string // "start node.head"
	Err    error
	Detail string // more lines
	Hint   string // what to do next
}

func (e *Error) Error() string {
	if e.Op == "" {
		return e.Err.Error()
	}
	return e.Op + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the first *Error in err's chain, or Internal.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Internal
}

// GoesOn is the error of an Exec whose caller stopped waiting while the command
// still ran: the place has no way to end it, so it goes on until it ends by
// itself or its node does.
type GoesOn struct {
	PID int // on the place's own host; 0: not known
	Err error
}

func (g *GoesOn) Error() string { return g.Err.Error() }

// Unwrap returns why the caller stopped waiting.
func (g *GoesOn) Unwrap() error { return g.Err }
