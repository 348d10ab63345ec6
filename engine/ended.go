package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// endLimit is how long the end of a node is waited for on which a call has failed:
// what runs containers knows of an exit before the place does, which goes on to
// call the node running, for long on a busy machine. Where the node lives on, the
// place is what has failed, and the wait delays no more than the news of that.
const endLimit = 3 * time.Second

// nodeStart is a start of a node, as it was when something was about to be done
// to it.
type nodeStart struct {
	address string
	down    <-chan struct{} // closed when it has ended; nil: the node did not run
}

// presentStart is that of a node; of what is no node, one that never ends.
func (x *executor) presentStart(address string) nodeStart {
	s := nodeStart{address: address}
	x.ask(func() {
		if n := x.nodes[address]; n != nil && n.running() && !n.gone {
			s.down = n.down
		}
	})
	return s
}

func (x *executor) presentStarts(addresses []string) (all []nodeStart) {
	for _, a := range addresses {
		all = append(all, x.presentStart(a))
	}
	return all
}

// endOf says whether a start is known to have ended, and with which exit code.
func (x *executor) endOf(s nodeStart) (code int, ended bool) {
	if s.down == nil || !isClosed(s.down) {
		return 0, false
	}
	x.ask(func() { code = x.nodes[s.address].exitCode })
	return code, true
}

// onNode makes a call that needs a node. An error of a node that has exited
// meanwhile tells that, with kind NotRunning.
func (x *executor) onNode(ctx context.Context, address string, call func() error) error {
	start := x.presentStart(address)
	return x.unlessEnded(ctx, start, call())
}

// unlessEnded is err, or the end of the node if that is why there is one. Neither
// a place's words nor its answer to how the node is now say that for certain: its
// exit is waited for.
func (x *executor) unlessEnded(ctx context.Context, start nodeStart, err error) error {
	if err == nil || start.down == nil || ctx.Err() != nil || !mayBeOfAnEnd(err) {
		return err
	}
	code, ended := x.awaitEnd(ctx, start, endLimit)
	if !ended {
		return err
	}
	return &runtime.Error{Kind: runtime.NotRunning, Err: &endedError{start.address, code, err}}
}

// mayBeOfAnEnd says that a call may have failed for the end of its node. What a
// node did itself, or what isn't there, is told by the kind.
func mayBeOfAnEnd(err error) bool {
	var own *step.Error
	if errors.As(err, &own) {
		return false
	}
	switch runtime.KindOf(err) {
	case runtime.Internal, runtime.NotRunning, runtime.Conflict:
		return true
	default:
		return false
	}
}

// awaitEnd waits for the end of a start, and returns the exit code.
func (x *executor) awaitEnd(ctx context.Context, start nodeStart, most time.Duration) (code int, ended bool) {
	ctx, cancel := withLimit(ctx, x.Clock, &limit{what: "the wait for the exit of " + start.address, of: most})
	defer cancel()
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		_, _ = nodesOf{x, ""}.WaitExit(ctx, start.address) // takes in what it sees
	}()
	select {
	case <-start.down: // the news of it were faster, or it has been started again since
		cancel()
		<-asked
	case <-asked:
	}
	return x.endOf(start)
}

// endedError is why a call failed on a node that has exited.
type endedError struct {
	address string
	code    int
	err     error // what the call came back with
}

func (e *endedError) Error() string {
	return fmt.Sprintf("%s exited with code %d meanwhile: %s", e.address, e.code, e.err)
}

func (e *endedError) Unwrap() error { return e.err }
