package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/scenario-run/scenario/engine/step"
)

// follower copies what a node prints since one of its starts to the node's
// log file while it goes on, so that nothing is left to fetch at the end, and
// remembers the last lines. A nil follower has none.
type follower struct {
	match *regexp.Regexp // of ready.log
	stop  context.CancelFunc
	done  chan struct{} // closed when everything has been read

	mu      sync.Mutex
	ring    []string
	matched bool
	last    time.Time // of the last line
}

// remembered is how many lines a follower remembers.
const remembered = 200

// logFile is where a node's log goes, below the run's directory.
func (x *executor) logFile(n *node) string {
	return filepath.Join(x.dirName, "nodes", fileName(n.decl.Host)+".log")
}

// followLog follows what a node prints from its current start on; before is
// the follower of its last start. On the loop.
func (x *executor) followLog(n *node, before *follower) *follower {
	ctx, stop := context.WithCancel(x.base)
	f := &follower{done: make(chan struct{}), match: n.ready.log, stop: stop}
	id, name := n.id, x.logFile(n)
	x.task(func() {
		defer close(f.done)
		defer stop()
		since := before.end(x.Clock)
		if err := f.copy(x, name, func() (io.ReadCloser, error) { return x.Runtime.Logs(ctx, id, since, true) }); err != nil {
			x.logFailed(saying("log of", n.decl.Address, err))
		}
	})
	return f
}

// end waits until a follower has read what the start that it belongs to has
// printed, and returns the time after its last line; the zero time where there
// is none, for then everything is wanted.
func (f *follower) end(clock step.Clock) time.Time {
	if f == nil {
		return time.Time{}
	}
	f.wait(context.Background(), clock)
	f.stop()
	<-f.done
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last.IsZero() {
		return f.last
	}
	return f.last.Add(1)
}

func (f *follower) copy(x *executor, name string, open func() (io.ReadCloser, error)) error {
	logs, err := open()
	if err != nil {
		return err
	}
	defer logs.Close()
	file := x.openLog(name)
	defer file.close()
	return f.read(logs, x.redact, file)
}

// read takes in lines until there are no more.
func (f *follower) read(logs io.Reader, redact *redactor, to *logFile) error {
	in := bufio.NewReader(logs)
	for {
		line, err := in.ReadString('\n')
		if line != "" {
			line = redact.text(strings.TrimSuffix(line, "\n"))
			f.line(line)
			to.write(line)
			if in.Buffered() == 0 {
				// What was printed is on disk, should the engine die.
				to.flush()
			}
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF), errors.Is(err, context.Canceled), errors.Is(err, os.ErrClosed), errors.Is(err, io.ErrClosedPipe):
			return nil
		default:
			return err
		}
	}
}

// logFile is a file that lines are appended to. A disk that takes no more is
// reported once, at once, and keeps nobody from reading on.
type logFile struct {
	x    *executor
	name string
	file *os.File // nil once it has failed
	buf  *bufio.Writer
}

func (x *executor) openLog(name string) *logFile {
	l := &logFile{x: x, name: name}
	file, err := x.dir.appendTo(name)
	if err != nil {
		l.failed(err)
		return l
	}
	l.file, l.buf = file, bufio.NewWriter(file)
	return l
}

func (l *logFile) failed(err error) {
	if err == nil {
		return
	}
	l.x.stream.failed(fmt.Errorf("write %s: %w", l.name, err))
	if l.file != nil {
		l.file.Close() // what is in it is all that there will be
		l.file = nil
	}
}

func (l *logFile) write(line string) {
	if l.file == nil {
		return
	}
	_, err := l.buf.WriteString(line + "\n")
	l.failed(err)
}

func (l *logFile) flush() {
	if l.file != nil {
		l.failed(l.buf.Flush())
	}
}

func (l *logFile) close() {
	l.flush()
	if l.file != nil {
		if err := l.file.Close(); err != nil {
			l.x.stream.failed(fmt.Errorf("write %s: %w", l.name, err))
		}
	}
}

// line remembers a line, which starts with its time and a space.
func (f *follower) line(line string) {
	stamp, text, ok := strings.Cut(line, " ")
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if !ok || err != nil {
		text = line
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		f.last = at
	}
	if len(f.ring) == remembered {
		f.ring = slices.Delete(f.ring, 0, remembered/2)
	}
	f.ring = append(f.ring, text)
	f.matched = f.matched || f.match != nil && f.match.MatchString(text)
}

func (f *follower) hasMatched() bool {
	if f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.matched
}

// tail is the last lines so far.
func (f *follower) tail(n int) []string {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.ring[max(0, len(f.ring)-n):])
}

// lastWordsLimit is how long the last lines of a node that exited are waited
// for.
const lastWordsLimit = time.Second

// lastWords is tail of a node that has exited, once all of it has been read.
func (f *follower) lastWords(ctx context.Context, clock step.Clock, n int) []string {
	if f == nil {
		return nil
	}
	f.wait(ctx, clock)
	return f.tail(n)
}

// wait gives a follower of a node that does not run the time to read the rest.
func (f *follower) wait(ctx context.Context, clock step.Clock) {
	ctx, cancel := withLimit(ctx, clock, &limit{what: "the wait for the log", of: lastWordsLimit})
	defer cancel()
	select {
	case <-f.done:
	case <-ctx.Done():
	}
}

// appendTo opens a file that grows while the run goes on.
func (d *runDir) appendTo(name string) (*os.File, error) {
	path := filepath.Join(d.path, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("create %s: %w", name, err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", name, err)
	}
	return f, nil
}
