package node

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/step/steptest"
)

var head = given{"node": cty.StringVal("node.head")}

func networksOf(t *testing.T, w *steptest.World, address string) []step.Attachment {
	t.Helper()
	all, err := w.Env().Nodes.Attachments(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestADisconnectIsActiveWhenSeenAndHealedToTheSamePlace(t *testing.T) {
	w := world()
	before := networksOf(t, w, "node.head")
	f, intent := mustInject(t, w, "disconnect", head)
	seen, err := f.Observe(t.Context(), w.Env(), intent)
	if err != nil || seen.Summary != "head: off default, where it was 10.0.0.128" || seen.Value.GetAttr("ip").AsString() != "10.0.0.128" {
		t.Errorf("%+v, %v", seen, err)
	}
	if f.Verify(t.Context(), w.Env(), intent) == nil {
		t.Error("verified while off")
	}
	if err := errors.Join(f.Heal(t.Context(), w.Env(), intent), f.Verify(t.Context(), w.Env(), intent)); err != nil {
		t.Error(err)
	}
	after := networksOf(t, w, "node.head")
	if len(after) != 1 || after[0].IP != before[0].IP || !slices.Equal(after[0].Aliases, before[0].Aliases) {
		t.Errorf("%+v after, %+v before", after, before)
	}
	if err := f.Heal(t.Context(), w.Env(), intent); err != nil {
		t.Errorf("healing twice: %v", err)
	}
}

// Negative control: the call does nothing, and what is observed is real.
func TestADisconnectThatDoesNothingIsNeverActive(t *testing.T) {
	w := world()
	w.IgnoreDisconnect = true
	f, intent := mustInject(t, w, "disconnect", head)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Observe(ctx, w.Env(), intent); err == nil {
		t.Error("was active")
	}
}

func TestWhatCanNotBeDisconnected(t *testing.T) {
	w := world()
	w.Exit("node.head", 2)
	_, _, err := inject(t, w, "disconnect", head)
	failed(t, err, "disconnect node.head: it is down already (exit code 2)")

	w = world()
	_, _, err = inject(t, w, "disconnect", given{"node": cty.StringVal("node.head"), "network": cty.StringVal("network.back")})
	failed(t, err, "it is not on network back, only on default")

	mustInject(t, w, "disconnect", head)
	_, _, err = inject(t, w, "disconnect", head)
	failed(t, err, "it is on no network")

	w = world()
	if _, err := act(t, w, "connect", given{"node": cty.StringVal("node.head"), "network": cty.StringVal("network.back")}); err != nil {
		t.Fatal(err)
	}
	_, _, err = inject(t, w, "disconnect", head)
	failed(t, err, "it is on several networks (default, back); say which")
}

func TestANodeThatDiesWhileItIsDisconnected(t *testing.T) {
	w := world()
	f, intent := mustInject(t, w, "disconnect", head)
	w.Exit("node.head", 1)
	_, err := f.Observe(t.Context(), w.Env(), intent)
	failed(t, err, "exited with code 1 while it was disconnected")
}

func TestConnectTellsTheAddress(t *testing.T) {
	w := world()
	args := given{"node": cty.StringVal("node.head"), "network": cty.StringVal("network.back"), "aliases": strs("also")}
	r, err := act(t, w, "connect", args)
	if err != nil || r.Value.GetAttr("ip").AsString() != "10.9.0.254" || r.Summary != "head is 10.9.0.254 on back" {
		t.Errorf("%+v, %v", r, err)
	}
	_, err = act(t, w, "connect", args)
	failed(t, err, "already")
	w.Exit("node.head", 0)
	_, err = act(t, w, "connect", args)
	failed(t, err, "connect node.head: it is down")
}

func TestNetworksAreGivenByReference(t *testing.T) {
	a, _ := definition(t, "connect").Args.Attr("network")
	if a.Refuse(cty.StringVal("network.back")) != nil || a.Refuse(cty.StringVal("back")) == nil {
		t.Error("network.back must do, back must not")
	}
}
