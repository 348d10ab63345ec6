package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/runtime"
)

const (
	// inspectLimit is how long a last look at the nodes may take.
	inspectLimit = 5 * time.Second
	// stopLimit is how long a node may take to stop beyond its own grace.
	stopLimit = 10 * time.Second
	// sweepLimit is how long removing everything may take, each time.
	sweepLimit = 30 * time.Second
	// sweepAgain is the pause before a removal that failed is tried once more.
	sweepAgain = 500 * time.Millisecond
	// drainLimit is how long logs of removed nodes are still read.
	drainLimit = 5 * time.Second
)

// tearDown removes what was made, whatever happened, and returns how many
// things are left.
func (x *executor) tearDown(ctx context.Context) int {
	x.emit(event.PhaseStarted{Phase: "teardown"})
	var keep []runtime.NodeID
	nodes := x.madeNodes()
	x.tellBrokenLogs()
	x.inspectAll(ctx, nodes)
	x.deaths.Wait()
	x.ask(func() {
		x.tearing = true
		if x.keeps() {
			for _, n := range nodes {
				keep = append(keep, n.id)
				x.kept = append(x.kept, event.Kept{Node: n.decl.Address})
			}
		}
	})
	if len(keep) == 0 {
		x.stopSlowly(ctx, nodes)
	}
	x.sweep(ctx, keep)
	x.sayHowToLook(ctx, keep)
	if len(keep) == 0 {
		x.drainLogs(ctx, nodes)
	}
	var left []event.LeftBehind
	x.ask(func() { left = x.leftover })
	for _, l := range left {
		x.emit(l)
	}
	return len(left)
}

// keeps says whether the nodes of this variant stay. On the loop.
func (x *executor) keeps() bool {
	return x.Keep == KeepAlways || x.Keep == KeepFailed && counts(x.verdict.state)
}

func (x *executor) keptNodes() (kept []event.Kept) {
	x.ask(func() { kept = x.kept })
	return kept
}

// sayHowToLook finds out how a person looks into the nodes that are kept. It
// comes after the sweep, which may give them other names. A node that can't be
// asked is listed without.
func (x *executor) sayHowToLook(ctx context.Context, kept []runtime.NodeID) {
	ctx, cancel := withLimit(ctx, x.Clock, &limit{what: "the time limit of inspecting", of: inspectLimit})
	defer cancel()
	var all sync.WaitGroup
	for i, id := range kept {
		all.Go(func() {
			if st, err := x.Runtime.InspectNode(ctx, id); err == nil {
				x.ask(func() { x.kept[i].Shell, x.kept[i].Logs = st.Shell, st.Logs })
			}
		})
	}
	all.Wait()
}

// leaveBehind keeps in mind that something could not be undone. On the loop.
func (x *executor) leaveBehind(l event.LeftBehind) { x.leftover = append(x.leftover, l) }

// inspectAll writes down how the nodes stand, before they are gone.
func (x *executor) inspectAll(ctx context.Context, nodes []*node) {
	ctx, cancel := withLimit(ctx, x.Clock, &limit{what: "the time limit of inspecting", of: inspectLimit})
	defer cancel()
	var all sync.WaitGroup
	for _, n := range nodes {
		all.Go(func() {
			x.lookAfterCleanup(ctx, n)
			doc, err := x.Runtime.Inspect(ctx, n.id)
			if err != nil {
				if !x.isOfLoss(err) {
					x.emit(event.Warning{Text: oneLine(saying("inspect", n.decl.Address, err))})
				}
				return
			}
			name := filepath.Join(x.dirName, "nodes", fileName(n.decl.Host)+".inspect.json")
			if err := x.dir.write(name, x.redact.json(doc)); err != nil {
				x.stream.failed(err)
			}
		})
	}
	all.Wait()
}

// stopSlowly asks the nodes that want to be asked.
func (x *executor) stopSlowly(ctx context.Context, nodes []*node) {
	var all sync.WaitGroup
	for _, n := range nodes {
		if n.stopSlow == 0 || x.interrupts.count() >= 2 {
			continue
		}
		all.Go(func() {
			ctx, cancel := withLimit(ctx, x.Clock, &limit{what: "the time limit of stopping", of: n.stopSlow + stopLimit})
			defer cancel()
			if err := x.Runtime.StopNode(ctx, n.id, n.stopSlow); err != nil && runtime.KindOf(err) != runtime.NotRunning {
				x.emit(event.Warning{Text: fmt.Sprintf("stop %s: %s", n.decl.Address, oneLine(err))})
			}
		})
	}
	all.Wait()
}

// sweep removes everything of the variant's scope, trying twice.
func (x *executor) sweep(ctx context.Context, keep []runtime.NodeID) {
	once := func() (runtime.Swept, error) {
		ctx, cancel := withLimit(ctx, x.Clock, &limit{what: "the time limit of removing", of: sweepLimit})
		defer cancel()
		return x.Runtime.Sweep(ctx, x.scope, keep)
	}
	swept, err := once()
	if (err != nil || len(swept.Left) > 0) && x.Clock.Sleep(ctx, sweepAgain) == nil {
		swept, err = once()
	}
	x.ask(func() {
		for _, a := range x.order {
			if n := x.nodes[a]; err == nil && len(swept.Left) == 0 && n.id != "" && !slices.Contains(keep, n.id) {
				x.become(n, "removed", event.NodeChanged{})
			}
		}
		for _, l := range swept.Left {
			x.leaveBehind(event.LeftBehind{What: l.What, Reason: l.Reason, Command: l.Command})
		}
		if err == nil {
			return
		}
		if runtime.KindOf(err) == runtime.Unreachable {
			x.lostRuntime("the nodes could not be removed", err)
		}
		x.leaveBehind(event.LeftBehind{What: x.made(), Reason: oneLine(err), Command: "scenario clean " + x.RunID})
	})
}

// made names what is there if nothing could be removed. On the loop.
func (x *executor) made() string {
	var all []string
	for _, a := range x.order {
		if x.nodes[a].id != "" {
			all = append(all, a)
		}
	}
	for _, name := range x.places.names {
		all = append(all, "network "+name)
	}
	for _, name := range sortedKeys(x.places.volumes) {
		all = append(all, "volume "+name)
	}
	if len(all) == 0 {
		return "what the run may have made"
	}
	return strings.Join(all, ", ")
}

// drainLogs waits until what the nodes printed last is on disk.
func (x *executor) drainLogs(ctx context.Context, nodes []*node) {
	ctx, cancel := withLimit(ctx, x.Clock, &limit{what: "the wait for logs", of: drainLimit})
	defer cancel()
	var followers []*follower
	x.ask(func() {
		for _, n := range nodes {
			if n.follow != nil {
				followers = append(followers, n.follow)
			}
		}
	})
	for _, f := range followers {
		select {
		case <-f.done:
		case <-ctx.Done():
			return
		}
	}
}

// logFailed reports that a node's log is incomplete. After the start of the
// teardown that is no news: its node is being removed. Where the runtime is gone
// it isn't either, but which of the two is seen first is chance, so that it waits.
func (x *executor) logFailed(err error) {
	told := false
	x.ask(func() {
		told = x.tearing || x.lost
		if !told && runtime.KindOf(err) == runtime.Unreachable {
			x.brokenLogs = append(x.brokenLogs, err)
			told = true
		}
	})
	if told || x.base.Err() != nil {
		return
	}
	x.stream.failed(err)
}

// tellBrokenLogs reports the logs that broke off though the runtime is there.
func (x *executor) tellBrokenLogs() {
	var all []error
	x.ask(func() {
		if !x.lost {
			all = x.brokenLogs
		}
	})
	for _, err := range all {
		x.stream.failed(err)
	}
}
