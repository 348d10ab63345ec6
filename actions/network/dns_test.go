package network

import (
	"context"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/step/steptest"
)

// server answers questions on a connection for datagrams; nil: none.
func server(t *testing.T, conn net.Conn, answer func(dnsmessage.Question) *dnsmessage.Message) {
	buf := make([]byte, 512)
	for {
		n, err := conn.Read(buf)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if err := m.Unpack(buf[:n]); err != nil || len(m.Questions) != 1 {
			t.Errorf("the server got %v, %v", m, err)
			return
		}
		reply := answer(m.Questions[0])
		if reply == nil {
			continue
		}
		reply.ID, reply.Response, reply.Questions = m.ID, true, m.Questions
		packet, err := reply.Pack()
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := conn.Write(packet); err != nil {
			return
		}
	}
}

func address(q dnsmessage.Question, body dnsmessage.ResourceBody) dnsmessage.Resource {
	return dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, Type: q.Type}, Body: body}
}

func TestANameHasAddressesOrSaysWhyNot(t *testing.T) {
	asked := 0
	answer := func(q dnsmessage.Question) *dnsmessage.Message {
		switch name := q.Name.String(); {
		case name == "redis." && q.Type == dnsmessage.TypeA:
			return &dnsmessage.Message{Answers: []dnsmessage.Resource{address(q, &dnsmessage.AResource{A: [4]byte{10, 0, 0, 9}}), address(q, &dnsmessage.AResource{A: [4]byte{10, 0, 0, 7}})}}
		case name == "redis.", name == "bare.":
			return &dnsmessage.Message{}
		case name == "flaky.":
			if asked++; asked == 1 {
				return nil // a datagram that is lost
			}
			return &dnsmessage.Message{Answers: []dnsmessage.Resource{address(q, &dnsmessage.AAAAResource{AAAA: [16]byte{15: 1}})}}
		case name == "broken.":
			return &dnsmessage.Message{Header: dnsmessage.Header{RCode: dnsmessage.RCodeServerFailure}}
		case name == "silent.":
			return nil
		}
		return &dnsmessage.Message{Header: dnsmessage.Header{RCode: dnsmessage.RCodeNameError}}
	}
	for _, tt := range []struct{ name, timeout, addresses, class, text string }{
		{"redis", "5s", "10.0.0.7 10.0.0.9", "", ""},
		{"redis.", "5s", "10.0.0.7 10.0.0.9", "", ""},
		{"flaky", "10s", "::1", "", ""},
		{"bare", "5s", "", "dns", "it has no address"},
		{"nobody", "5s", "", "dns", "there is no such name"},
		{"broken", "5s", "", "dns", "the name server says ServerFailure"},
		{"silent", "50ms", "", "timeout", "no answer within 50ms"},
	} {
		w := steptest.New(steptest.Node{Address: "node.web"})
		w.OnDial = func(_ context.Context, from, network, to string) (net.Conn, error) {
			if from != "node.web" || network != "udp" || to != "127.0.0.11:53" {
				t.Errorf("dialled %s %s from %q", network, to, from)
			}
			client, conn := net.Pipe()
			go server(t, conn, answer)
			return client, nil
		}
		d := dns()
		v, err := d.Probe(t.Context(), w.Env(), steptest.Args(t, d, map[string]cty.Value{
			"name": cty.StringVal(tt.name), "timeout": cty.StringVal(tt.timeout), "from": cty.StringVal("node.web"),
		}))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var got []string
		for _, a := range v.GetAttr("addresses").AsValueSlice() {
			got = append(got, a.AsString())
		}
		if v.GetAttr("ok").True() != (tt.class == "") || strings.Join(got, " ") != tt.addresses {
			t.Errorf("%s: %#v", tt.name, v)
		}
		if tt.class != "" && (v.GetAttr("class").AsString() != tt.class || !strings.Contains(v.GetAttr("error").AsString(), tt.text)) {
			t.Errorf("%s: %#v", tt.name, v)
		}
	}
}

func TestANameServerThatCanNotBeReachedIsAnAnswer(t *testing.T) {
	w := steptest.New()
	w.OnDial = func(context.Context, string, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	}
	d := dns()
	v, err := d.Probe(t.Context(), w.Env(), steptest.Args(t, d, map[string]cty.Value{"name": cty.StringVal("redis")}))
	if err != nil || v.GetAttr("ok").True() || v.GetAttr("class").AsString() != "refused" {
		t.Errorf("%#v, %v", v, err)
	}
}

func TestATCPWorkloadBecomesAJob(t *testing.T) {
	d := workload()
	if d.Kind != schema.Workload {
		t.Fatalf("it is a %s", d.Kind)
	}
	got, err := d.Workload(steptest.Args(t, d, map[string]cty.Value{
		"target": cty.StringVal("redis:6379"), "rate": cty.NumberIntVal(50), "send": cty.StringVal("PING\r\n"), "expect": cty.StringVal(`^\+PONG`), "from": cty.StringVal("node.web"),
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := step.Traffic{Job: "tcp", From: "node.web", Rate: 50, Baseline: 20, Within: 30e9}
	if got.Job != want.Job || got.From != want.From || got.Rate != want.Rate || got.Baseline != want.Baseline || got.Within != want.Within ||
		string(got.Spec) != `{"target":"redis:6379","rate":50,"send":"PING\r\n","expect":"^\\+PONG","timeout_ns":2000000000,"max_in_flight":1000}` {
		t.Errorf("got %+v %s", got, got.Spec)
	}
}
