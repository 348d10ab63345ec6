package ray

import (
	"context"
	"fmt"
	"time"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
)

type restartResult struct {
	GCS       time.Duration  `scn:"gcs_seconds" doc:"Seconds from the start of the node until the GCS's port answered."`
	Dashboard *time.Duration `scn:"dashboard_seconds" doc:"Seconds from the start until REST answered; null without a dashboard."`
	Serve     *time.Duration `scn:"serve_seconds" doc:"Seconds from the start until Serve's controller answered with every application RUNNING; null if nothing is deployed."`
}

func restartHead() step.Definition {
	return step.NewAction(schema.Type{
		Name:    "restart_head",
		Summary: "starts a dead Ray head again, or restarts a living one, and waits until it is whole",
		Doc: "Waits for the GCS, for REST, for the head's own place in the node list, and, if applications were deployed, until Serve's controller answers and each is RUNNING again. " +
			"An application that comes back as DEPLOY_FAILED fails the step. With `storage = \"memory\"` the new GCS knows nothing of Serve, and `serve_seconds` is null.",
		Ends:     []schema.Resource{schema.Down, schema.Paused},
		Examples: []schema.Example{outageExample},
	}, restart)
}

func restart(ctx context.Context, env *step.Env, in onHead) (out restartResult, summary string, err error) {
	head := in.head()
	k, err := headOf(env, head)
	if err != nil {
		return out, "", err
	}
	if err := takeDown(ctx, env, head); err != nil {
		return out, "", err
	}
	began := env.Clock.Now()
	since := func() time.Duration { return env.Clock.Now().Sub(began) }
	if err := env.Nodes.Launch(ctx, head); err != nil {
		return out, "", err
	}
	a := newAPI(env, head)
	if err := out.awaitParts(ctx, env, a, k, since); err != nil {
		return out, "", err
	}
	if err := env.Nodes.WaitReady(ctx, head); err != nil {
		return out, "", err
	}
	if k.Dashboard {
		apps, err := serveBack(ctx, env, a)
		if err != nil {
			return out, "", err
		}
		if apps > 0 {
			serve := since()
			out.Serve = &serve
		}
	}
	return out, out.summary(), nil
}

// awaitParts waits for the GCS and for REST, as long as a node may take to
// become ready, and notes when they came.
func (r *restartResult) awaitParts(ctx context.Context, env *step.Env, a api, k rayBlock, since func() time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyWithin, fmt.Errorf("%s was not whole within %s", a.head, readyWithin))
	defer cancel()
	err := whileUp(ctx, env, a.head, func(ctx context.Context) error { return reachable(ctx, env, a.head, gcsPort) })
	if err != nil {
		return err
	}
	r.GCS = since()
	if !k.Dashboard {
		return nil
	}
	err = whileUp(ctx, env, a.head, func(ctx context.Context) error {
		_, err := a.version(ctx)
		return err
	})
	if err != nil {
		return err
	}
	rest := since()
	r.Dashboard = &rest
	return nil
}

func (r restartResult) summary() string {
	line := "GCS after " + seconds(r.GCS)
	if r.Dashboard != nil {
		line += ", REST after " + seconds(*r.Dashboard)
	}
	if r.Serve != nil {
		line += ", Serve after " + seconds(*r.Serve)
	}
	return line
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// takeDown stops a head that runs, in its own time.
func takeDown(ctx context.Context, env *step.Env, head string) error {
	state, err := env.Nodes.State(ctx, head)
	if err != nil || !state.Running {
		return err
	}
	return env.Nodes.Stop(ctx, head, -1)
}

// whileUp asks until the answer is nil, and gives up if the node exits.
func whileUp(ctx context.Context, env *step.Env, node string, ask func(context.Context) error) error {
	return persist(ctx, env, pollEvery, func(ctx context.Context) error {
		err := ask(ctx)
		if err == nil {
			return nil
		}
		if state, inspect := env.Nodes.State(ctx, node); inspect == nil && !state.Running {
			return exitedWhileStarting(ctx, env, node, state.ExitCode)
		}
		return err
	})
}

func exitedWhileStarting(ctx context.Context, env *step.Env, node string, code int) error {
	detail := ""
	if log, err := env.Nodes.LogTail(ctx, node, 20); err == nil {
		detail = joinLines(log)
	}
	return step.Failf("%s exited with %d while it was starting", node, code).WithLog(node, detail).AsFinal()
}

// serveBack waits until every application that the restarted head knows of is
// RUNNING, and returns how many there are.
func serveBack(ctx context.Context, env *step.Env, a api) (apps int, err error) {
	err = persist(ctx, env, serveEvery, func(ctx context.Context) error {
		s, err := a.serve(ctx)
		if err != nil {
			return err
		}
		if apps = len(s.Applications); apps == 0 {
			return a.noController(ctx, s)
		}
		return s.settled(sortedKeys(s.Applications))
	})
	return apps, err
}

// noController says whether Serve really is not deployed. Ray answers with no
// applications too when it could not reach the controller.
func (a api) noController(ctx context.Context, s serveState) error {
	if s.Controller.NodeID != "" {
		return nil // it answers, and has no applications
	}
	actors, err := a.actors(ctx, map[string]string{"name": "SERVE_CONTROLLER_ACTOR"})
	if err != nil {
		return err
	}
	for _, actor := range actors {
		if actor.State != dead {
			return step.Failf("Serve's controller is %s", actor.State)
		}
	}
	return nil
}
