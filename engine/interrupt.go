package engine

import (
	"os"
	"sync"
	"syscall"
)

// interrupts counts the signals that ask the run to end.
type interrupts struct {
	mu    sync.Mutex
	first os.Signal
	n     int
	level [4]chan struct{} // closed when so many have come
	quit  chan struct{}
	over  chan struct{}
}

// listen starts counting. told is called for each signal.
func listen(signals <-chan os.Signal, told func(name string, n int)) *interrupts {
	in := &interrupts{quit: make(chan struct{}), over: make(chan struct{})}
	for i := range in.level {
		in.level[i] = make(chan struct{})
	}
	go func() {
		defer close(in.over)
		for {
			select {
			case s := <-signals:
				if s == nil { // closed
					signals = nil
					continue
				}
				told(signalName(s), in.add(s))
			case <-in.quit:
				return
			}
		}
	}()
	return in
}

// add counts a signal. SIGQUIT is for those who don't want to wait for cleanup
// steps: it counts as the second, even if none came before it.
func (in *interrupts) add(s os.Signal) int {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.first == nil {
		in.first = s
	}
	in.more()
	if s == syscall.SIGQUIT && in.n == 1 {
		in.more()
	}
	return in.n
}

func (in *interrupts) more() {
	in.n++
	if in.n < len(in.level) {
		close(in.level[in.n])
	}
}

// at is closed when n signals have come.
func (in *interrupts) at(n int) <-chan struct{} { return in.level[n] }

func (in *interrupts) count() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.n
}

// code is the exit code of a run that was interrupted, or 0.
func (in *interrupts) code() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	switch in.first {
	case nil:
		return 0
	case syscall.SIGTERM:
		return codeTerminated
	default:
		return codeInterrupted
	}
}

func (in *interrupts) stop() {
	close(in.quit)
	<-in.over
}

func signalName(s os.Signal) string {
	switch s {
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGQUIT:
		return "SIGQUIT"
	default:
		return s.String()
	}
}
