//go:build linux

package procfs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/process"
)

// Keeper is what an agent has stopped. Its jobs look at processes and signal
// them; Close lets all go on that was stopped: no agent leaves anything stopped
// when its lease is over.
type Keeper struct {
	mu      sync.Mutex
	stopped map[process.ID]bool
}

// List is process.ListJob.
func (k *Keeper) List(_ context.Context, _ []byte, out func([]byte) error) error {
	all, err := List()
	if err != nil {
		return err
	}
	line, err := json.Marshal(all)
	return errors.Join(err, out(line))
}

// Signal is process.SignalJob.
func (k *Keeper) Signal(_ context.Context, spec []byte, out func([]byte) error) error {
	var s process.Signal
	if err := json.Unmarshal(spec, &s); err != nil {
		return fmt.Errorf("read the signal: %w", err)
	}
	number := unix.SignalNum(s.Signal)
	if number == 0 {
		return fmt.Errorf("there is no signal %q", s.Signal)
	}
	outcomes := make([]process.Outcome, len(s.To))
	for i, id := range s.To {
		outcome, err := k.signal(id, number)
		if err != nil {
			return fmt.Errorf("send %s to process %d: %w", s.Signal, id.PID, err)
		}
		outcomes[i] = outcome
	}
	line, err := json.Marshal(outcomes)
	return errors.Join(err, out(line))
}

// signal sends a signal. What it stops is remembered before, and forgotten
// after it goes on, so that no moment is without.
func (k *Keeper) signal(id process.ID, number unix.Signal) (process.Outcome, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if number == unix.SIGSTOP {
		if k.stopped == nil {
			k.stopped = map[process.ID]bool{}
		}
		k.stopped[id] = true
	}
	outcome, err := send(id, number)
	if err == nil && number == unix.SIGCONT {
		delete(k.stopped, id)
	}
	return outcome, err
}

// Close lets go on what was stopped, and returns when it was seen to.
func (k *Keeper) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var errs []error
	for id := range k.stopped {
		errs = append(errs, goOn(id))
	}
	k.stopped = nil
	return errors.Join(errs...)
}

const (
	// goOnWithin is how long a process may take to be seen to go on; goOnEvery,
	// how often it is looked at.
	goOnWithin = time.Second
	goOnEvery  = 5 * time.Millisecond
)

func goOn(id process.ID) error {
	for deadline := time.Now().Add(goOnWithin); ; time.Sleep(goOnEvery) {
		outcome, err := send(id, unix.SIGCONT)
		if err != nil || outcome == process.Gone {
			return err
		}
		p, err := read(id.PID, 0)
		if gone(err) || err == nil && (p.ID != id || p.State != process.Stopped) {
			return nil
		}
		if time.Now().After(deadline) {
			return errors.Join(fmt.Errorf("process %d is still stopped", id.PID), err)
		}
	}
}

// send sends a signal to a process, and to no other that has its number by now.
func send(id process.ID, number unix.Signal) (process.Outcome, error) {
	// The kernel lets SIGCONT through to the main process, nothing else that
	// isn't handled there.
	if id.PID == process.Main && number != unix.SIGCONT {
		return process.Shielded, nil
	}
	fd, err := unix.PidfdOpen(id.PID, 0)
	switch {
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // an old kernel, or a daemon that doesn't allow the call
		return sendByNumber(id, number)
	case gone(err), errors.Is(err, unix.EINVAL): // EINVAL: the number is a thread's now
		return process.Gone, nil
	case err != nil:
		return "", err
	}
	defer unix.Close(fd)
	// The descriptor is of one process; whether that is the one, its start says.
	if same, err := isSame(id); err != nil || !same {
		return process.Gone, err
	}
	return outcomeOf(unix.PidfdSendSignal(fd, number, nil, 0))
}

// Try sends nothing to a process by its descriptor: this one's.
func Try() error {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.PidfdSendSignal(fd, 0, nil, 0)
}

// sendByNumber leaves the moment between look and call in which a number could
// be used again.
func sendByNumber(id process.ID, number unix.Signal) (process.Outcome, error) {
	if same, err := isSame(id); err != nil || !same {
		return process.Gone, err
	}
	return outcomeOf(unix.Kill(id.PID, number))
}

func outcomeOf(err error) (process.Outcome, error) {
	if gone(err) {
		return process.Gone, nil
	}
	return process.Sent, err
}

func isSame(id process.ID) (bool, error) {
	p, err := read(id.PID, 0)
	if gone(err) {
		return false, nil
	}
	return p.ID == id && !p.Ended(), err
}
