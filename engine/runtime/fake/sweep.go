package fake

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/scenario-run/scenario/engine/runtime"
)

// Sweep removes the scope's nodes, networks and volumes. Where Options.Fail
// refuses the operation "Remove" of one, it is left behind.
func (r *Runtime) Sweep(ctx context.Context, scope runtime.Scope, keep []runtime.NodeID) (runtime.Swept, error) {
	if err := r.enter(ctx, "Sweep", scope.Run); err != nil {
		return runtime.Swept{}, err
	}
	var swept runtime.Swept
	used := map[string]bool{} // networks and volumes of nodes that stay
	for _, n := range sorted(r, r.nodes) {
		if !matches(n.scope, scope) {
			continue
		}
		if !slices.Contains(keep, n.id) {
			what := "node " + n.spec.Address
			if r.remove(ctx, what, &swept) {
				r.exit(n, 137)
				r.forget(func() { delete(r.nodes, n.id); delete(r.kept, n.id) })
				continue
			}
		} else {
			r.forget(func() { r.kept[n.id] = true })
		}
		for _, at := range n.spec.Networks {
			used[at.Network] = true
		}
		for _, m := range n.spec.Mounts {
			used[m.Volume] = true
		}
	}
	for _, n := range sorted(r, r.networks) {
		if matches(n.scope, scope) && !used[n.network.ID] && r.remove(ctx, "network "+n.spec.Name, &swept) {
			r.forget(func() { delete(r.networks, n.network.ID) })
		}
	}
	for id, v := range r.volumesOf(scope) {
		if !used[id] && r.remove(ctx, "volume "+v.name, &swept) {
			r.forget(func() { delete(r.volumes, id) })
		}
	}
	return swept, nil
}

// remove says whether the thing goes, and records it.
func (r *Runtime) remove(ctx context.Context, what string, swept *runtime.Swept) bool {
	if r.opts.Fail != nil {
		if err := r.opts.Fail(ctx, "Remove", what); err != nil {
			swept.Left = append(swept.Left, runtime.Leftover{What: what, Reason: err.Error(), Command: "remove " + what})
			return false
		}
	}
	swept.Removed = append(swept.Removed, what)
	return true
}

func (r *Runtime) forget(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

// sorted returns the values of one of r's maps in the order of their keys.
func sorted[K ~string, V any](r *Runtime, m map[K]V) []V {
	r.mu.Lock()
	defer r.mu.Unlock()
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	// node-10 after node-9
	slices.SortFunc(keys, func(a, b K) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(string(a), string(b))
	})
	values := make([]V, 0, len(m))
	for _, k := range keys {
		values = append(values, m[k])
	}
	return values
}

func (r *Runtime) volumesOf(scope runtime.Scope) map[string]*volume {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := map[string]*volume{}
	for id, v := range r.volumes {
		if matches(v.scope, scope) {
			found[id] = v
		}
	}
	return found
}

// Owners lists the scopes that have anything here.
func (r *Runtime) Owners(ctx context.Context) ([]runtime.Owned, error) {
	if err := r.enter(ctx, "Owners", ""); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	found := map[string]*runtime.Owned{}
	of := func(s runtime.Scope) *runtime.Owned {
		key := s.Run + "\x00" + s.Variant
		if found[key] == nil {
			found[key] = &runtime.Owned{Scope: s}
		}
		return found[key]
	}
	for id, n := range r.nodes {
		o := of(n.scope)
		o.Nodes++
		o.NodeNames = append(o.NodeNames, fmt.Sprintf("%s-%s", n.scope.Run, n.spec.Host))
		slices.Sort(o.NodeNames)
		o.Kept = o.Kept || r.kept[id]
	}
	for _, n := range r.networks {
		of(n.scope).Networks++
	}
	for _, v := range r.volumes {
		of(v.scope).Volumes++
	}
	var owners []runtime.Owned
	for _, o := range found {
		owners = append(owners, *o)
	}
	slices.SortFunc(owners, func(a, b runtime.Owned) int {
		return strings.Compare(a.Run+"\x00"+a.Variant, b.Run+"\x00"+b.Variant)
	})
	return owners, nil
}
