package main

import (
	"crypto/rand"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/scenario-run/scenario/actions"
	"github.com/scenario-run/scenario/engine/guardian"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// world is everything that the program gets from the operating system, and
// what it acts on. Tests make one of their own.
type world struct {
	args           []string // without the program's name
	environ        []string
	stdin          io.Reader
	stdout, stderr io.Writer
	dir            string // working directory
	now            func() time.Time
	random         io.Reader
	// terminal says whether a stream is one, and how large.
	terminal func(stream io.Writer) (width, height int, ok bool)
	// signals delivers the signals that ask for an end, until stop is called.
	signals func() (signals <-chan os.Signal, stop func())

	// load is that of this machine, see engine.Options; nil: not known.
	load func() (load float64, cpus int, ok bool)

	registry func() *step.Registry
	// runtime connects to the place where nodes live. It need not answer yet.
	runtime func() (runtime.Runtime, error)
	// guard starts the process that cleans up if this one dies; done ends it.
	guard func(guardian.Config) (done func() error, err error)
}

// system is the world outside.
func system() *world {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	return &world{
		args:    os.Args[1:],
		environ: os.Environ(),
		stdin:   os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		dir:      dir,
		now:      time.Now,
		random:   rand.Reader,
		terminal: terminalSize,
		signals:  endSignals,
		load:     machineLoad,
		registry: actions.New,
		runtime:  connect,
		guard:    startGuardian,
	}
}

func terminalSize(stream io.Writer) (width, height int, ok bool) {
	f, isFile := stream.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, 0, false
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0, 0, true
	}
	return width, height, true
}

func endSignals() (<-chan os.Signal, func()) {
	// A reader that went away, as in a pipe to head, is an error of the next
	// write and not the end: what was made must be removed.
	signal.Ignore(syscall.SIGPIPE)
	c := make(chan os.Signal, 8)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	return c, func() { signal.Stop(c) }
}

// env returns a variable of the environment; empty if it is not set.
func (w *world) env(name string) string {
	value, _ := w.lookup(name)
	return value
}

// home is the directory, absolute, that runs are recorded below.
func (w *world) home() (string, error) {
	home := w.env("SCENARIO_HOME")
	if home == "" {
		home = filepath.Join(w.dir, ".scenario")
	}
	return filepath.Abs(home)
}

// machines is the directory in which what machines can do is remembered, for
// all scenarios of a person; empty: there is no place for it.
func (w *world) machines() string {
	if home := w.env("SCENARIO_HOME"); home != "" {
		return filepath.Join(home, "machines")
	}
	cache := w.env("XDG_CACHE_HOME")
	if home := w.env("HOME"); cache == "" && home != "" {
		cache = filepath.Join(home, ".cache")
	}
	if !filepath.IsAbs(cache) {
		return ""
	}
	return filepath.Join(cache, "scenario", "machines")
}

func (w *world) lookup(name string) (string, bool) {
	// As the system does it, the last one counts.
	for i := len(w.environ) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(w.environ[i], "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

// startGuardian starts this program once more, as the guardian of a run.
func startGuardian(cfg guardian.Config) (func() error, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	g, err := guardian.Start(cfg, self, guardianCommand)
	if err != nil {
		return nil, err
	}
	return g.Done, nil
}
