package timeline

import (
	"bytes"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/scenario-run/scenario/engine/event"
)

// Mode is how much is drawn and how.
type Mode int

// The modes.
const (
	// Plain prints a line per event and never goes back.
	Plain Mode = iota
	// Terminal prints what is finished and redraws what runs below it.
	Terminal
	// Quiet prints what went wrong and nothing else.
	Quiet
)

// Options say what is drawn on.
type Options struct {
	Mode  Mode
	Color bool
	// Size returns width and height of the terminal, which may change. A width
	// of 0, or no function, means that lines are never cut.
	Size func() (width, height int)
	// WorkDir is where the command was called; paths below it are printed
	// relative to it.
	WorkDir string
	// Fold returns what stands before and after the lines of a variant, so that
	// a reader of the log can fold them. Nil: nothing does. What a variant came
	// to is never folded, nor is the only variant of a run.
	Fold func(title string) (before, after string)
	// Logs is the run's directory, for the last lines of nodes. Nil: none.
	Logs fs.FS
}

// Timeline draws events. It is an event.Sink. Methods may be called from
// several goroutines.
type Timeline struct {
	mu      sync.Mutex
	out     io.Writer
	opts    Options
	palette palette

	buf      bytes.Buffer // what the event at hand prints
	prefix   string       // what its lines begin with
	region   region
	run      event.RunStarted
	began    time.Time // wall time of the run's start
	started  int       // variants
	current  *variant  // whose lines are being printed
	variants map[string]*variant
	running  []*variant // in the order in which they began
	results  []result
	invalid  int
	left     []event.LeftBehind
}

// New returns a timeline that draws on out.
func New(out io.Writer, o Options) *Timeline {
	return &Timeline{out: out, opts: o, palette: newPalette(o.Color), variants: map[string]*variant{}}
}

var _ event.Sink = (*Timeline)(nil)

// Write draws an event.
func (t *Timeline) Write(e event.Event) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.draw(e)
	return t.flush(e.Time)
}

// Tick redraws what runs, as of now. Without a terminal there is nothing to
// redraw.
func (t *Timeline) Tick(now time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.region.frame++
	return t.flush(now)
}

// Close takes away what would be redrawn, so that others can print.
func (t *Timeline) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current, t.running = nil, nil
	return t.flush(time.Time{})
}

// flush prints what was buffered above the region, and the region below it, in
// one call, so that nothing flickers.
func (t *Timeline) flush(now time.Time) error {
	if t.opts.Mode == Terminal {
		w, h := t.size()
		above := bytes.Clone(t.buf.Bytes())
		t.buf.Reset()
		t.region.compose(&t.buf, above, t.live(now, h), w)
	}
	if t.buf.Len() == 0 {
		return nil
	}
	_, err := t.out.Write(t.buf.Bytes())
	t.buf.Reset()
	return err
}

// size is the size to draw for. A terminal that does not say gets the classic
// one.
func (t *Timeline) size() (width, height int) {
	if t.opts.Size != nil {
		width, height = t.opts.Size()
	}
	if t.opts.Mode == Terminal {
		if width <= 0 {
			width = 80
		}
		if height <= 0 {
			height = 24
		}
	}
	return width, height
}

// textWidth is where running text is broken.
func (t *Timeline) textWidth() int {
	w, _ := t.size()
	if w == 0 {
		return 0
	}
	return max(20, min(w, rightEnd))
}

// layout is the layout for a variant's lines as the terminal is now.
func (t *Timeline) layout(v *variant) layout {
	w, _ := t.size()
	if t.opts.Mode == Plain {
		w = 0
	}
	return fit(w, t.palette, v.columns)
}

// folds says that the lines of each variant are folded.
func (t *Timeline) folds() bool {
	return t.opts.Fold != nil && t.opts.Mode == Plain && t.run.Variants > 1 && !t.sideBySide()
}

// sideBySide says that lines of several variants may be mixed.
func (t *Timeline) sideBySide() bool { return t.run.Parallel > 1 && t.run.Variants > 1 }

// prefixed prints what belongs to a variant: where nothing can be redrawn and
// several may run, with its name before each line.
func (t *Timeline) prefixed(v *variant, draw func()) {
	if t.opts.Mode == Plain && t.sideBySide() {
		t.prefix = t.palette.dim.Sprint(clean(title(v))+" │") + " "
		defer func() { t.prefix = "" }()
	}
	draw()
}

func (t *Timeline) print(line string) {
	t.buf.WriteString(t.prefix)
	t.buf.WriteString(line)
	t.buf.WriteByte('\n')
}
