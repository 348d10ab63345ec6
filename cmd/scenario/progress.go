package main

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/report/github"
	"github.com/scenario-run/scenario/engine/report/timeline"
)

// progress shows a run while it goes on.
type progress struct {
	sinks  []event.Sink
	stream io.Writer // what people read
	close  func()
}

// newProgress chooses how a run is shown, and where: on standard output,
// unless that carries data. With the token of silenced, a log can be folded.
func newProgress(w *world, f *runFlags, dir, token string) (progress, error) {
	if f.progress.value == "json" {
		return progress{sinks: []event.Sink{event.NewWriter(w.stdout)}, stream: w.stderr, close: func() {}}, nil
	}
	stream := w.stdout
	if f.json == "-" {
		stream = w.stderr
	}
	mode, err := w.mode(f.progress.value, stream)
	if err != nil {
		return progress{}, err
	}
	var fold func(string) (string, string)
	if token != "" {
		fold = func(title string) (string, string) { return github.Fold(title, token) }
	}
	tl := timeline.New(stream, timeline.Options{
		Fold:    fold,
		Mode:    mode,
		Color:   w.colored(f.color.value, stream),
		Size:    func() (int, int) { width, height, _ := w.terminal(stream); return width, height },
		WorkDir: w.dir,
		Logs:    os.DirFS(dir),
	})
	if mode != timeline.Terminal {
		return progress{sinks: []event.Sink{tl}, stream: stream, close: func() {}}, nil
	}
	return progress{sinks: []event.Sink{tl}, stream: stream, close: redraw(tl)}, nil
}

// mode is how the timeline draws on a stream.
func (w *world) mode(flag string, stream io.Writer) (timeline.Mode, error) {
	_, _, terminal := w.terminal(stream)
	switch flag {
	case "quiet":
		return timeline.Quiet, nil
	case "plain":
		return timeline.Plain, nil
	case "tty":
		if !terminal {
			return 0, usage("--progress tty needs a terminal to draw on; use plain")
		}
		if w.env("TERM") == "dumb" {
			return 0, usage("--progress tty needs a terminal that can redraw, and TERM=dumb says that this one can't; use plain")
		}
		return timeline.Terminal, nil
	}
	if terminal && w.env("TERM") != "dumb" && !w.inCI() {
		return timeline.Terminal, nil
	}
	return timeline.Plain, nil
}

// frames is how often what runs is redrawn.
const frames = 100 * time.Millisecond

// redraw draws the timeline anew until it is closed.
func redraw(tl *timeline.Timeline) (stop func()) {
	quit := make(chan struct{})
	var over sync.WaitGroup
	over.Go(func() {
		ticker := time.NewTicker(frames)
		defer ticker.Stop()
		for {
			select {
			case now := <-ticker.C:
				if tl.Tick(now) != nil {
					return // the next event reports it
				}
			case <-quit:
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		close(quit)
		over.Wait()
		_ = tl.Close() // nobody is left to tell
	})
}
