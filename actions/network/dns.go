package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/traffic"
)

type dnsIn struct {
	Name    string        `scn:"name,required" doc:"The name to look up; it is taken as it is, without search domains."`
	Timeout time.Duration `scn:"timeout" default:"2s" check:"positive_duration" doc:"How long an answer may take."`
	From    step.Node     `scn:"from"`
}

type dnsOut struct {
	OK        bool           `scn:"ok" doc:"Whether the name has an address."`
	Error     *string        `scn:"error" doc:"Why not; null if ok."`
	Class     *string        `scn:"class" doc:"How it failed: dns (there is no such name, or the server can't say), timeout, refused, down (the node that asks), unexpected; null if ok."`
	Addresses []string       `scn:"addresses" doc:"The addresses, sorted."`
	Latency   *time.Duration `scn:"latency_seconds" doc:"Seconds until the answer; null without one."`
}

func dns() step.Definition {
	return step.NewProbe(schema.Type{
		Name:    "dns",
		Summary: "which addresses a name has",
		Doc: `Asks the name server that nodes ask, from inside a node or a client's network. A name that has no
address is an answer: ` + "`ok` is false and `class`" + ` says how.`,
		Args: schema.Object{Attrs: []schema.Attr{fromArg()}},
		Examples: []schema.Example{{
			Title: "A node that finds its peer",
			Text: `scenario "example" {}

node "redis" {
  image = "redis:8"
}

node "web" {
  image = "nginx:1.29"
}

probe "dns" "redis" {
  name = node.redis.host
  from = node.web
}

assert "found" {
  condition = one(probe.redis.addresses) == node.redis.ip
  within    = "10s"
}
`,
		}},
	}, resolve)
}

// nameServer is where Docker answers nodes on networks of a run, inside each.
const nameServer = "127.0.0.11:53"

func resolve(ctx context.Context, env *step.Env, in dnsIn) (dnsOut, error) {
	limited, cancel := context.WithTimeout(ctx, in.Timeout)
	defer cancel()
	began := env.Clock.Now()
	addresses, err := lookUp(limited, env, in)
	took := env.Clock.Now().Sub(began)
	var none *net.DNSError
	if err == nil || errors.As(err, &none) && !none.IsTimeout {
		out := dnsOut{OK: err == nil, Addresses: addresses, Latency: &took}
		if err != nil {
			out.Error, out.Class = new(err.Error()), new(string(traffic.DNS))
		}
		return out, nil
	}
	class, text, err := Failure(ctx, err, in.Timeout)
	if err != nil {
		return dnsOut{}, err
	}
	return dnsOut{Error: &text, Class: new(string(class))}, nil
}

// lookUp asks for the addresses of both kinds. On the host it asks as any
// program there does.
func lookUp(ctx context.Context, env *step.Env, in dnsIn) ([]string, error) {
	if in.From == "host" {
		found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", in.Name)
		return sorted(found), err
	}
	name, err := dnsmessage.NewName(strings.TrimSuffix(in.Name, ".") + ".")
	if err != nil {
		return nil, step.Failf("%q is no name: %w", in.Name, err)
	}
	var found []netip.Addr
	for _, kind := range []dnsmessage.Type{dnsmessage.TypeA, dnsmessage.TypeAAAA} {
		some, err := query(ctx, env, string(in.From), dnsmessage.Question{Name: name, Type: kind, Class: dnsmessage.ClassINET})
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	if len(found) == 0 {
		return nil, &net.DNSError{Err: "it has no address", Name: in.Name, IsNotFound: true}
	}
	return sorted(found), nil
}

func sorted(found []netip.Addr) []string {
	slices.SortFunc(found, netip.Addr.Compare)
	text := make([]string, 0, len(found))
	for _, a := range slices.Compact(found) {
		text = append(text, a.Unmap().String())
	}
	return text
}

// again is how long an answer is waited for before the question is asked once
// more, as resolvers do, since datagrams get lost.
const again = time.Second

// query asks the name server one question until it answers or ctx ends.
func query(ctx context.Context, env *step.Env, from string, q dnsmessage.Question) ([]netip.Addr, error) {
	conn, err := env.Dial(ctx, from, "udp", nameServer)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // ends what waits
	defer stop()
	question := dnsmessage.Message{Header: dnsmessage.Header{ID: 1, RecursionDesired: true}, Questions: []dnsmessage.Question{q}}
	packet, err := question.Pack()
	if err != nil {
		return nil, err
	}
	buf := make([]byte, 64<<10)
	for {
		if _, err := conn.Write(packet); err != nil {
			return nil, err
		}
		n, err := receive(ctx, conn, buf)
		if err == nil {
			return addressesOf(buf[:n], q)
		}
		if ctx.Err() != nil || !isTimeout(err) {
			return nil, errors.Join(ctx.Err(), err)
		}
	}
}

// receive waits for a datagram.
func receive(ctx context.Context, conn net.Conn, buf []byte) (int, error) {
	if err := conn.SetReadDeadline(time.Now().Add(again)); err != nil {
		return 0, err
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return conn.Read(buf)
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// addressesOf reads an answer.
func addressesOf(packet []byte, q dnsmessage.Question) ([]netip.Addr, error) {
	var m dnsmessage.Message
	if err := m.Unpack(packet); err != nil {
		return nil, fmt.Errorf("the name server's answer: %w", err)
	}
	name := strings.TrimSuffix(q.Name.String(), ".")
	switch m.RCode {
	case dnsmessage.RCodeSuccess:
	case dnsmessage.RCodeNameError:
		return nil, &net.DNSError{Err: "there is no such name", Name: name, IsNotFound: true}
	default:
		return nil, &net.DNSError{Err: "the name server says " + strings.TrimPrefix(m.RCode.String(), "RCode"), Name: name, IsTemporary: true}
	}
	var found []netip.Addr
	for _, r := range m.Answers {
		switch body := r.Body.(type) {
		case *dnsmessage.AResource:
			found = append(found, netip.AddrFrom4(body.A))
		case *dnsmessage.AAAAResource:
			found = append(found, netip.AddrFrom16(body.AAAA))
		}
	}
	return found, nil
}
