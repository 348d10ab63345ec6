package http

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/actions/network"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/traffic"
)

type probeIn struct {
	URL      string            `scn:"url,required" check:"url" doc:"What is asked."`
	Method   string            `scn:"method" default:"GET" enum:"GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS" doc:"The method."`
	Headers  map[string]string `scn:"headers" doc:"Headers to send."`
	Body     string            `scn:"body" doc:"Body to send."`
	Timeout  time.Duration     `scn:"timeout" default:"2s" check:"positive_duration" doc:"How long an answer may take, connecting included."`
	CA       string            `scn:"ca"`
	Insecure bool              `scn:"insecure"`
	From     step.Node         `scn:"from"`
}

type probeOut struct {
	OK      bool              `scn:"ok" doc:"Whether an answer came, with a status below 400."`
	Error   *string           `scn:"error" doc:"What went wrong; null if ok."`
	Class   *string           `scn:"class" doc:"How it went wrong: refused, reset, timeout, dns, unreachable, down (the node that asks), http_4xx, http_5xx, unexpected; null if ok."`
	Status  *int              `scn:"status" doc:"The status; null without an answer."`
	Body    *string           `scn:"body" doc:"The body, at most 1 MiB; null without an answer."`
	JSON    cty.Value         `scn:"json" doc:"The body read as JSON; null if it is none."`
	Headers map[string]string `scn:"headers" doc:"The answer's headers, names as in Content-Type; several of one name with a comma between."`
	Latency *time.Duration    `scn:"latency_seconds" doc:"Seconds from connecting to the answer's end; null without an answer."`
}

func probe() step.Definition {
	return step.NewProbe(schema.Type{
		Name:    "http",
		Summary: "what an HTTP server answers",
		Doc: `On a new connection each time; redirects are answers and are not followed.
A server that can't be reached is an answer too: ` + "`ok` is false and `class`" + ` says how.`,
		Args:  schema.Object{Attrs: append(trustArgs(), fromArg())},
		Check: checkTrust,
		Examples: []schema.Example{{
			Title: "A server that answers, and what it says",
			Text: example(`
probe "http" "front" {
  url     = "http://${node.web.ip}/"
  timeout = "500ms"
}

assert "answers" {
  condition = probe.front.status == 200 && strcontains(probe.front.body, "nginx")
  within    = "10s"
}
`),
		}},
	}, ask)
}

func ask(ctx context.Context, env *step.Env, in probeIn) (probeOut, error) {
	client, err := clientFor(env, in.From, in.URL, traffic.Trust{CA: in.CA, Insecure: in.Insecure})
	if err != nil {
		return probeOut{}, err
	}
	limited, cancel := context.WithTimeout(ctx, in.Timeout)
	defer cancel()
	began := env.Clock.Now()
	reply := traffic.Ask(limited, client, traffic.Request{
		Method: in.Method, URL: in.URL, Headers: in.Headers, Body: in.Body,
	})
	took := env.Clock.Now().Sub(began)
	if reply.Err != nil {
		class, text, err := network.Failure(ctx, reply.Err, in.Timeout)
		return probeOut{Error: &text, Class: new(string(class)), JSON: cty.NullVal(cty.DynamicPseudoType)}, err
	}
	if kept := int64(len(reply.Body)); reply.Bytes > kept {
		return probeOut{}, fmt.Errorf("the body has %d bytes; more than %d can't be looked at", reply.Bytes, kept)
	}
	out := probeOut{
		OK:      true,
		Status:  &reply.Status,
		Body:    new(text8(reply.Body)),
		JSON:    jsonOf(reply.Body),
		Headers: headers(reply.Header),
		Latency: &took,
	}
	if err := (traffic.Expect{}).Check(reply.Status, nil); err != nil {
		out.OK, out.Error, out.Class = false, new(err.Error()), new(string(traffic.Classify(err)))
	}
	return out, nil
}

// text8 is a body as text in UTF-8.
func text8(body []byte) string { return strings.ToValidUTF8(string(body), "\uFFFD") }

// jsonOf is a body read as JSON, or null.
func jsonOf(body []byte) cty.Value {
	if v, err := step.JSONValue(body); err == nil {
		return v
	}
	return cty.NullVal(cty.DynamicPseudoType)
}

func headers(h http.Header) map[string]string {
	m := make(map[string]string, len(h))
	for name, values := range h {
		m[name] = strings.Join(values, ", ")
	}
	return m
}

// fromArg is the argument that says where something is asked from.
func fromArg() schema.Attr {
	return schema.Attr{Name: "from", Ref: schema.RefNode, Enum: []string{"host"}, Doc: docFrom}
}

// example is a whole file around some blocks.
func example(blocks string) string {
	return `scenario "example" {}

node "web" {
  image = "nginx:1.29"

  ready {
    http = ":80/"
  }
}
` + blocks
}
