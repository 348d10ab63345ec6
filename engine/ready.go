package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/traffic"
)

// readyEvery is how often readiness and gates are asked.
const readyEvery = 50 * time.Millisecond

// exitedError ends the wait for a node that went away meanwhile.
type exitedError struct {
	address string
	code    int
}

func (e *exitedError) Error() string {
	return fmt.Sprintf("%s exited with code %d before it was ready", e.address, e.code)
}

// passGate waits until the node's kind lets it start.
func (x *executor) passGate(ctx context.Context, n *node) error {
	within := n.ready.within
	inner, cancel := withLimit(ctx, x.Clock, &limit{what: "the time limit of " + n.decl.Address, of: within, where: n.ready.where})
	defer cancel()
	env := x.envFor(n)
	err := step.Poll(inner, x.Clock, readyEvery, func(ctx context.Context) error { return n.out.Gate(ctx, &env) })
	if err == nil || ctx.Err() != nil {
		return err
	}
	late := lateError(inner, fmt.Sprintf("%s could not be started within %s%s", n.decl.Address, text(within), paren(n.ready.where)), err)
	if step.IsFinal(err) {
		return late
	}
	return x.blameHindrances(n, late)
}

func (x *executor) envFor(n *node) step.Env {
	env := x.env
	env.Step = n.decl.Address
	env.Progress = func(string) {}
	return env
}

// lateError is the failure of a wait that ran into its own limit. A final
// error is no such failure and stays as it is.
func lateError(ctx context.Context, message string, err error) *step.Error {
	var l *limit
	if !errors.As(context.Cause(ctx), &l) {
		return keepVerdict(err)
	}
	if last := lastSeen(err); last != "" {
		message += ": " + last
	}
	late := &step.Error{Verdict: step.Failed, Err: errors.New(message)}
	c := withDetail(&event.Cause{}, err)
	return late.WithLog(c.LogOf, c.Detail).With(c.Detail, c.Hint)
}

func keepVerdict(err error) *step.Error {
	return &step.Error{Verdict: step.Verdict(verdictOf(err)), Err: err}
}

// WaitReady waits until all that makes the node ready holds, since its current
// start.
func (c nodesOf) WaitReady(ctx context.Context, address string) error {
	x := c.x
	var n *node
	var down chan struct{}
	launch, done := 0, false
	if _, err := c.up(address, func(found *node) { n, down, launch, done = found, found.down, found.launches, found.isReady }); err != nil {
		return c.afterExit(ctx, address, err)
	}
	if done {
		return nil
	}
	inner, cancel := withLimit(ctx, x.Clock, &limit{what: "the time limit of " + address, of: n.ready.within, where: n.ready.where})
	defer cancel()
	inner, stop := context.WithCancelCause(inner)
	defer stop(context.Canceled)
	go func() {
		select {
		case <-down:
			stop(&exitedError{address: address})
		case <-inner.Done():
		}
	}()
	env := x.envFor(n)
	err := step.Poll(inner, x.Clock, readyEvery, func(ctx context.Context) error { return x.isReady(ctx, n, &env) })
	if err == nil {
		return c.becameReady(ctx, n, launch)
	}
	if ctx.Err() != nil {
		return err
	}
	var exit *exitedError
	if errors.As(context.Cause(inner), &exit) {
		return c.afterExit(ctx, address, nil)
	}
	if step.IsFinal(err) {
		return err
	}
	late := lateError(inner, fmt.Sprintf("%s was not ready within %s%s", address, text(n.ready.within), paren(n.ready.where)), err)
	if late.Detail == "" {
		tail, _ := c.LogTail(ctx, address, tailLines) // of a node that is there it can't fail
		late = late.WithLog(address, detailOf(tail))
	}
	return x.blameHindrances(n, late)
}

// becameReady takes in that a node is ready, unless it is another start's.
func (c nodesOf) becameReady(ctx context.Context, n *node, launch int) error {
	exited := false
	c.x.ask(func() {
		if n.launches != launch || n.gone {
			exited = true
			return
		}
		n.isReady = true
		if n.state == nodeStarting {
			c.x.become(n, nodeReady, event.NodeChanged{Seconds: c.x.upFor(n)})
		}
		c.x.startEnded(n)
	})
	if exited {
		return c.afterExit(ctx, n.decl.Address, nil)
	}
	return nil
}

// afterExit is the failure of a wait for a node that exited meanwhile; for one
// that was never started it is err.
func (c nodesOf) afterExit(ctx context.Context, address string, err error) error {
	var exit *exitedError
	oom := false
	if e := c.with(address, func(n *node) {
		if n.state == nodeExited {
			exit, oom = &exitedError{address, n.exitCode}, n.oom
		}
	}); e != nil {
		return e
	}
	if exit == nil {
		if err == nil {
			err = step.Failf("%s does not run any more", address)
		}
		return err
	}
	tail, _ := c.LogTail(ctx, address, tailLines)
	hint := ""
	if oom {
		hint = "it was killed for using too much memory: give it more"
	}
	return step.Failf("%w", exit).With("", hint).WithLog(address, detailOf(tail))
}

// isReady asks once whether everything holds.
func (x *executor) isReady(ctx context.Context, n *node, env *step.Env) error {
	r := &n.ready
	if r.ofKind != nil {
		if err := r.ofKind(ctx, env); err != nil {
			return err
		}
	}
	if r.tcp != 0 {
		if err := askTCP(ctx, env, net.JoinHostPort(n.facts.IP, strconv.Itoa(r.tcp))); err != nil {
			return err
		}
	}
	if r.http != "" {
		if err := askHTTP(ctx, env, "http://"+n.facts.IP+r.http); err != nil {
			return err
		}
	}
	if r.https != "" {
		if err := askHTTP(ctx, env, "https://"+n.facts.IP+r.https); err != nil {
			return err
		}
	}
	if r.log != nil && !x.followerOf(n).hasMatched() {
		return fmt.Errorf("no line of its log matches /%s/ yet", r.log)
	}
	if r.exec != nil {
		return askExec(ctx, env, n.decl.Address, r.exec)
	}
	return nil
}

func (x *executor) followerOf(n *node) (f *follower) {
	x.ask(func() { f = n.follow })
	return f
}

// askLimit ends one question about readiness.
const askLimit = 2 * time.Second

func askTCP(ctx context.Context, env *step.Env, address string) error {
	ctx, cancel := withLimit(ctx, env.Clock, &limit{what: "the time limit of one attempt", of: askLimit})
	defer cancel()
	conn, err := env.Dial(ctx, "", "tcp", address)
	if err != nil {
		return keepLab(fmt.Sprintf("connect to %s", address), err)
	}
	return conn.Close()
}

// keepLab wraps an error that came from the system under test, which may be
// asked again; one of the lab itself is final.
func keepLab(doing string, err error) error {
	err = fmt.Errorf("%s: %w", doing, err)
	if step.LabBroke(err) {
		return (&step.Error{Verdict: step.Broken, Err: err}).AsFinal()
	}
	return err
}

func askHTTP(ctx context.Context, env *step.Env, url string) error {
	ctx, cancel := withLimit(ctx, env.Clock, &limit{what: "the time limit of one attempt", of: askLimit})
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return (&step.Error{Verdict: step.Failed, Err: fmt.Errorf("ready asks %s: %w", url, err)}).AsFinal()
	}
	secure, err := traffic.Trust{Insecure: true}.Config() // whose certificate it is, is for probes to ask
	if err != nil {
		return err
	}
	res, err := env.HTTP("", secure).Do(req)
	if err != nil {
		return keepLab("ask", err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20)); err != nil {
		return fmt.Errorf("ask %s: %w", url, err)
	}
	if res.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s answers %s", url, res.Status)
	}
	return nil
}

func askExec(ctx context.Context, env *step.Env, address string, command []string) error {
	res, err := env.Nodes.Exec(ctx, address, runtime.ExecSpec{Command: command, Limit: 4096})
	if err != nil {
		return keepLab("run ready.exec", err)
	}
	if res.ExitCode != 0 {
		return &step.Error{
			Verdict: step.Failed, Err: fmt.Errorf("ready.exec exits with %d", res.ExitCode), Detail: string(res.Stdout) + string(res.Stderr),
		}
	}
	return nil
}
