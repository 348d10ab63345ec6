package engine

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
)

func TestTheNetworksAgentIsStartedBeforeANodeIsAskedWhetherItIsReady(t *testing.T) {
	tests := []struct {
		name  string
		args  map[string]cty.Value
		early bool
	}{
		{"by a port", ready(map[string]cty.Value{"tcp": cty.NumberIntVal(80)}), true},
		{"by a page", ready(map[string]cty.Value{"http": cty.StringVal(":80/")}), true},
		{"by a page over TLS", ready(map[string]cty.Value{"https": cty.StringVal(":443/")}), true},
		{"by its log", ready(map[string]cty.Value{"log": cty.StringVal("up")}), false},
		{"not at all", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene()
			s.node("a", tt.args)
			var asked, created atomic.Bool
			s.fake.Fail = func(_ context.Context, op, _ string) error {
				switch op {
				case "Agent":
					asked.Store(true)
				case "CreateNode":
					time.Sleep(time.Second) // of the test's own clock: all else goes on
					if created.Store(true); asked.Load() != tt.early {
						t.Errorf("before the node was made an agent had been asked for: %v", asked.Load())
					}
				}
				return nil
			}
			s.play(t, t.TempDir())
			if !created.Load() {
				t.Error("no node was made")
			}
		})
	}
}
