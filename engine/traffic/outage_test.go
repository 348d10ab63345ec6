package traffic_test

import (
	"context"
	"net"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/scenario-run/scenario/engine/traffic"
	"github.com/scenario-run/scenario/engine/workload"
)

// pipes is a network within one process: what is dialled is accepted. Time on
// it is that of a synctest bubble.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepted:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.closed); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.accepted <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A server is away for three seconds in one of the ways in which servers are,
// from one second after the first request on; the workload must say so.
func TestAnOutageOfThreeSecondsIsReportedAsOne(t *testing.T) {
	const from, to = time.Second, 4 * time.Second
	for _, tt := range []struct {
		name  string
		class traffic.Class
		serve func(w http.ResponseWriter, r *http.Request) // meanwhile
		dial  func(ctx context.Context) error
	}{
		{name: "refuses", class: traffic.Refused, dial: func(context.Context) error {
			return &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
		}},
		{name: "drops packets", class: traffic.Timeout, dial: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}},
		{name: "breaks connections", class: traffic.Reset, serve: func(w http.ResponseWriter, _ *http.Request) {
			if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
				conn.Close()
			}
		}},
		{name: "hangs", class: traffic.Timeout, serve: func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		}},
		{name: "answers 503", class: traffic.HTTP5xx, serve: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				away := func() bool { d := time.Since(begin); return d >= from && d < to }
				network := pipes{make(chan net.Conn), make(chan struct{})}
				server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if away() && tt.serve != nil {
						tt.serve(w, r)
					}
				})}
				served := make(chan error)
				go func() { served <- server.Serve(network) }()
				dial := func(ctx context.Context, net, address string) (net.Conn, error) {
					if away() && tt.dial != nil {
						return nil, tt.dial(ctx)
					}
					return network.dial(ctx, net, address)
				}

				s := workload.NewStore(nil, 0)
				ctx, cancel := context.WithTimeout(t.Context(), 7990*time.Millisecond)
				defer cancel()
				spec := traffic.HTTPSpec{URLs: []string{"http://server"}, Rate: 50, Method: "GET", Timeout: 500 * time.Millisecond, MaxInFlight: 100}
				if err := traffic.HTTPJobOver(ctx, spec, dial, s.Feed); err != nil {
					t.Fatal(err)
				}
				if err := server.Close(); err != nil {
					t.Error(err)
				}
				<-served

				whole := s.Stats(workload.Window{}, time.Now())
				if gap := *whole.MaxGap; gap != to-from+20*time.Millisecond { // requests are 20 ms apart
					t.Errorf("gap %s, want 3.02s", gap)
				}
				if whole.Total != 400 || whole.Failed != 150 || whole.OK != 250 || whole.Classes[tt.class] != 150 {
					t.Errorf("%d requests, %d ok, %d failed as %v; want 400, 250, 150 %s", whole.Total, whole.OK, whole.Failed, whole.Classes, tt.class)
				}
				fault := workload.Window{From: begin.Add(from), To: begin.Add(to), OfFault: true}
				if during := s.Stats(fault, time.Now()); during.Total != 150 || during.Failed != 150 || during.Late != 0 || *during.MaxGap != to-from {
					t.Errorf("during the outage: %+v, want 150 failed and a gap of 3s", during)
				}
				after := s.Stats(workload.Window{From: begin.Add(to)}, time.Now())
				if after.Failed != 0 || after.Recovery == nil || *after.Recovery != 0 {
					t.Errorf("after the outage: %+v, want it recovered at once", after)
				}
			})
		})
	}
}
