package http

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/actions/network"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/traffic"
)

type actionIn struct {
	URL      string            `scn:"url,required" check:"url" doc:"What is asked."`
	Method   string            `scn:"method" default:"GET" enum:"GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS" doc:"The method."`
	Headers  map[string]string `scn:"headers" doc:"Headers to send."`
	Body     string            `scn:"body" doc:"Body to send."`
	JSON     cty.Value         `scn:"json"`
	Expect   cty.Value         `scn:"expect"`
	CA       string            `scn:"ca"`
	Insecure bool              `scn:"insecure"`
	From     step.Node         `scn:"from"`
}

type actionOut struct {
	Status  int               `scn:"status" doc:"The status."`
	Body    string            `scn:"body" doc:"The body, at most 1 MiB."`
	JSON    cty.Value         `scn:"json" doc:"The body read as JSON; null if it is none."`
	Headers map[string]string `scn:"headers" doc:"The answer's headers, names as in Content-Type; several of one name with a comma between."`
	Latency time.Duration     `scn:"latency_seconds" doc:"Seconds from connecting to the answer's end."`
}

func action() step.Definition {
	return step.NewAction(schema.Type{
		Name:    "http",
		Summary: "sends one HTTP request",
		Doc:     "Passes when the answer is as expected. Redirects are answers and are not followed. An answer may take 30 s, or `timeout`, if that is less. The request is sent once; `retry` sends it again.",
		Args: schema.Object{Attrs: append(trustArgs(), []schema.Attr{
			{Name: "json", Type: cty.DynamicPseudoType, Doc: "A value to send as JSON, in place of body, with the Content-Type for it."},
			{Name: "expect", Type: cty.DynamicPseudoType, Check: checkExpect, Doc: docExpect},
			fromArg(),
		}...)},
		Check: func(args cty.Value) error {
			if body := args.GetAttr("body"); !args.GetAttr("json").IsNull() && !body.IsNull() && body.IsKnown() && body.AsString() != "" {
				return errors.New("body and json exclude each other")
			}
			return checkTrust(args)
		},
		Examples: []schema.Example{{
			Title: "Write something, and use what the answer says",
			Text: example(`
action "http" "write" {
  url    = "http://${node.web.ip}/"
  method = "POST"
  json   = { name = "ada" }
  expect = { status = [200, 405] }
}

output "server" {
  value = action.write.headers["Server"]
}
`),
		}},
	}, request)
}

// answerWithin is how long an answer may take, connecting included, unless the
// step's own timeout is shorter.
const answerWithin = 30 * time.Second

func request(ctx context.Context, env *step.Env, in actionIn) (actionOut, string, error) {
	expect, err := parseExpect(in.Expect)
	if err != nil {
		return actionOut{}, "", fmt.Errorf("expect %w", err)
	}
	r := traffic.Request{Method: in.Method, URL: in.URL, Headers: in.Headers, Body: in.Body}
	if !in.JSON.IsNull() {
		if err := sendJSON(&r, in.JSON); err != nil {
			return actionOut{}, "", err
		}
	}
	client, err := clientFor(env, in.From, in.URL, traffic.Trust{CA: in.CA, Insecure: in.Insecure})
	if err != nil {
		return actionOut{}, "", err
	}
	limited, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	began := env.Clock.Now()
	reply := traffic.Ask(limited, client, r)
	took := env.Clock.Now().Sub(began)
	name := in.Method + " " + in.URL
	if reply.Err != nil {
		class, text, err := network.Failure(ctx, reply.Err, answerWithin)
		if err != nil {
			return actionOut{}, "", err
		}
		return actionOut{}, "", step.Failf("%s: %s: %s", name, class, text)
	}
	if kept := int64(len(reply.Body)); reply.Bytes > kept {
		return actionOut{}, "", fmt.Errorf("%s: the body has %d bytes; more than %d can't be looked at", name, reply.Bytes, kept)
	}
	out := actionOut{
		Status: reply.Status, Body: text8(reply.Body), JSON: jsonOf(reply.Body), Headers: headers(reply.Header), Latency: took,
	}
	if err := expect.Check(reply.Status, reply.Body); err != nil {
		return out, "", step.Failf("%s: %w", name, err).With(answered(out), "")
	}
	return out, fmt.Sprintf("%d in %s", out.Status, took.Round(time.Millisecond)), nil
}

// sendJSON makes a value the body of a request.
func sendJSON(r *traffic.Request, v cty.Value) error {
	body, err := step.ValueJSON(v)
	if err != nil {
		return fmt.Errorf("json: %w", err)
	}
	headers := map[string]string{"Content-Type": "application/json"}
	maps.Copy(headers, r.Headers)
	r.Body, r.Headers = string(body), headers
	return nil
}

// answered is the beginning of an answer's body, for whoever looks at why it
// was not as expected.
func answered(out actionOut) string {
	const most = 2000
	if out.Body == "" {
		return ""
	}
	if runes := []rune(out.Body); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return out.Body
}
