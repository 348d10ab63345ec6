package guardian

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// farewell is what the engine says before it ends by itself.
const farewell = "done\n"

// Config is what a guardian must know; the first line of its standard input.
type Config struct {
	Run string `json:"run"` // the run's id
	Dir string `json:"dir"` // the run's directory, absolute
	// Runtime is what the newRuntime of Serve makes a runtime of.
	Runtime json.RawMessage `json:"runtime,omitempty"`
}

// Guardian is a running guardian, seen from the engine.
type Guardian struct {
	cmd *exec.Cmd
	in  io.WriteCloser
}

// Start starts a guardian: command is this program with the arguments that
// make it call Serve.
func Start(cfg Config, command ...string) (*Guardian, error) {
	line, err := json.Marshal(cfg)
	if err != nil {
		return nil, fmt.Errorf("start the guardian: %w", err)
	}
	cmd := exec.Command(command[0], command[1:]...)
	// A session of its own: what ends the engine's terminal or process group
	// must not end the guardian. Nor may it hold the run's directory.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Dir = "/"
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the guardian: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the guardian: %w", err)
	}
	if _, err := in.Write(append(line, '\n')); err != nil {
		return nil, fmt.Errorf("start the guardian: %w", errors.Join(err, in.Close(), cmd.Wait()))
	}
	return &Guardian{cmd: cmd, in: in}, nil
}

// Done tells the guardian that nothing is left to guard, and waits for its end.
func (g *Guardian) Done() error {
	_, err := io.WriteString(g.in, farewell)
	if err := errors.Join(err, g.in.Close(), g.cmd.Wait()); err != nil {
		return fmt.Errorf("end the guardian: %w", err)
	}
	return nil
}

// Serve is the guardian. It returns when the engine said farewell, or when the
// engine is gone and nothing of its run is left. registry has the faults that a
// run can have.
func Serve(stdin io.Reader, registry *step.Registry, newRuntime func(json.RawMessage) (runtime.Runtime, error)) error {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	in := bufio.NewReader(stdin)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("guardian: read its configuration: %w", err)
	}
	var cfg Config
	if err := json.Unmarshal(line, &cfg); err != nil {
		return fmt.Errorf("guardian: read its configuration: %w", err)
	}
	last, err := in.ReadString('\n')
	if last == farewell {
		return nil
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("guardian: wait for the engine: %w", err)
	}
	return cleanUp(cfg, registry, newRuntime)
}

// The guardian's pace.
const (
	settle   = 2 * time.Second // between two looks that must both find nothing
	retry    = 500 * time.Millisecond
	patience = 10 * time.Minute // with a runtime that doesn't answer
	healing  = 2 * time.Second
)

func cleanUp(cfg Config, registry *step.Registry, newRuntime func(json.RawMessage) (runtime.Runtime, error)) error {
	notes := openLog(cfg.Dir)
	notes.Printf("the engine of run %s is gone: removing what it left", cfg.Run)
	rt, err := newRuntime(cfg.Runtime)
	if err != nil {
		notes.Print(err)
		return fmt.Errorf("guardian: %w", err)
	}
	defer rt.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	heal(ctx, rt, registry, cfg.Dir, notes)
	return sweepUntilEmpty(ctx, rt, cfg.Run, notes)
}

// openLog is the guardian's log, in the run's directory where that is
// possible: its own standard error may be a terminal that is gone.
func openLog(dir string) *log.Logger {
	f, err := os.OpenFile(filepath.Join(dir, "guardian.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return log.New(io.Discard, "", 0)
	}
	return log.New(f, "", log.LstdFlags|log.Lmicroseconds)
}

// sweepUntilEmpty removes until two looks in a row find nothing: a call of the
// engine may still have been in flight when it died.
func sweepUntilEmpty(ctx context.Context, rt runtime.Runtime, run string, notes *log.Logger) error {
	empty := 0
	for {
		swept, err := rt.Sweep(ctx, runtime.Scope{Run: run}, nil)
		for _, what := range swept.Removed {
			notes.Printf("removed %s", what)
		}
		for _, left := range swept.Left {
			notes.Printf("could not remove %s: %s", left.What, left.Reason)
		}
		pause := retry
		switch {
		case err != nil:
			notes.Print(err)
			empty = 0
		case len(swept.Removed)+len(swept.Left) > 0:
			empty = 0
		default:
			empty++
			pause = settle
		}
		if empty == 2 {
			notes.Print("nothing is left")
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("guardian: gave up removing what run %s left: %w", run, errors.Join(err, ctx.Err()))
		case <-time.After(pause):
		}
	}
}
