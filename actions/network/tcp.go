package network

import (
	"context"
	"errors"
	"time"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/traffic"
)

type tcpIn struct {
	Target  string        `scn:"target,required" check:"address" doc:"host:port to connect to."`
	Timeout time.Duration `scn:"timeout" default:"2s" check:"positive_duration" doc:"How long connecting may take."`
	From    step.Node     `scn:"from"`
}

type tcpOut struct {
	OK      bool           `scn:"ok" doc:"Whether the connection was made."`
	Error   *string        `scn:"error" doc:"Why not; null if ok."`
	Class   *string        `scn:"class" doc:"How it failed: refused, reset, timeout, dns, unreachable, down (the node that asks), unexpected; null if ok."`
	Latency *time.Duration `scn:"latency_seconds" doc:"Seconds until the connection was made; null if it failed."`
}

func tcp() step.Definition {
	return step.NewProbe(schema.Type{
		Name:    "tcp",
		Summary: "whether a TCP connection can be made",
		Doc:     "The connection is closed at once. One that can't be made is an answer: `ok` is false and `class` says how.",
		Args:    schema.Object{Attrs: []schema.Attr{fromArg()}},
		Examples: []schema.Example{{
			Title: "From one node to another",
			Text: `scenario "example" {}

node "redis" {
  image = "redis:8"
}

node "web" {
  image = "nginx:1.29"
}

probe "tcp" "redis" {
  target = "${node.redis.ip}:6379"
  from   = node.web
}

assert "reachable" {
  condition = probe.redis.ok
  within    = "10s"
}
`,
		}},
	}, connect)
}

func connect(ctx context.Context, env *step.Env, in tcpIn) (tcpOut, error) {
	limited, cancel := context.WithTimeout(ctx, in.Timeout)
	defer cancel()
	began := env.Clock.Now()
	conn, err := env.Dial(limited, string(in.From), "tcp", in.Target)
	if err == nil {
		took := env.Clock.Now().Sub(began)
		return tcpOut{OK: true, Latency: &took}, conn.Close()
	}
	class, text, err := Failure(ctx, err, in.Timeout)
	if err != nil {
		return tcpOut{}, err
	}
	return tcpOut{Error: &text, Class: new(string(class))}, nil
}

// Failure says how and why a connection or a request came to nothing within a
// limit. What is not the system's doing is an error: the step was ended, or the
// place where nodes run is gone.
func Failure(ctx context.Context, err error, limit time.Duration) (class traffic.Class, text string, broken error) {
	if ctx.Err() != nil {
		return "", "", context.Cause(ctx)
	}
	class = traffic.Classify(err)
	var place *runtime.Error
	switch {
	case errors.As(err, &place) && place.Kind == runtime.NotRunning:
		return traffic.Down, err.Error(), nil
	case errors.As(err, &place):
		return "", "", err
	case class == traffic.Timeout:
		return class, "no answer within " + limit.String(), nil
	default:
		return class, err.Error(), nil
	}
}

// fromArg is the argument that says where something is asked from.
func fromArg() schema.Attr {
	return schema.Attr{
		Name: "from", Ref: schema.RefNode, Enum: []string{"host"},
		Doc: "Where it comes from: a node, from inside its network namespace, or `\"host\"`. Without it, a client on the run's network.",
	}
}
