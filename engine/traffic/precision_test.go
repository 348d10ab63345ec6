package traffic_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/scenario-run/scenario/engine/traffic"
	"github.com/scenario-run/scenario/engine/workload"
)

// A real server on a real socket is away for 3.0 s; at 50 requests a second the
// workload must say so to a tenth of a second. How long it was away is what the
// server itself saw. A machine on which requests left or were answered late, three
// times over, can't do better than that: what it reports may then be longer by
// so much at each end, as the samples say, and never shorter.
func TestARealOutageIsMeasuredToATenthOfASecond(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 5 s")
	}
	for name, outage := range map[string]func(*flaky){"refuses": (*flaky).close, "hangs": (*flaky).hang} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := measureOutage(t, outage)
			for range 2 {
				if m.behind <= 50*time.Millisecond {
					break
				}
				t.Logf("a busy machine: the server was away for %s to %s, reported as %s, with requests sent or answered up to %s late", m.least, m.most, m.reported, m.behind)
				m = measureOutage(t, outage)
			}
			t.Logf("away for %s to %s, reported as %s; requests were sent or answered up to %s late", m.least, m.most, m.reported, m.behind)
			const precision = 100 * time.Millisecond
			excuse := time.Duration(0)
			if m.behind > 50*time.Millisecond {
				excuse = 2 * m.behind
			}
			if m.reported < m.least-precision || m.reported > m.most+precision+excuse {
				t.Errorf("away for %s to %s, reported as %s; requests were sent or answered up to %s late", m.least, m.most, m.reported, m.behind)
			}
		})
	}
}

// measurement is of an outage, of which the beginning and the end take a moment
// each. behind is the longest that a request was late in being sent, or, if it was
// ok, in being answered.
type measurement struct{ least, most, reported, behind time.Duration }

// measureOutage runs a workload against a server that is away for three seconds
// from its fiftieth answer on, until it has answered fifty more.
func measureOutage(t *testing.T, outage func(*flaky)) measurement {
	t.Helper()
	server := newFlaky(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	store := workload.NewStore(nil, 0)
	var m measurement
	spec, err := json.Marshal(traffic.HTTPSpec{
		URLs: []string{"http://" + server.address}, Rate: 50, Method: "GET", Timeout: 500 * time.Millisecond, MaxInFlight: 1000,
	})
	if err != nil {
		t.Fatal(err)
	}
	sent := make(chan error, 1)
	go func() {
		sent <- traffic.HTTPJob(ctx, spec, func(text []byte) error {
			var l traffic.Line
			if err := l.Parse(text); err != nil {
				return err
			}
			if l.Sample != nil {
				m.behind = max(m.behind, time.Duration(l.Start-l.Due))
				if l.Outcome == traffic.OK {
					m.behind = max(m.behind, time.Duration(l.End-l.Due))
				}
			}
			return store.Feed(text)
		})
	}()
	server.waitFor(t, 50)
	ends := time.Now()
	outage(server)
	ended := time.Now()
	time.Sleep(time.Until(ended.Add(3 * time.Second))) // this is the outage
	m.least = time.Since(ended)
	server.comeBack(t)
	m.most = time.Since(ends)
	server.waitFor(t, 50)
	cancel()
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	m.reported = *store.Stats(workload.Window{}, time.Now()).MaxGap
	return m
}

// flaky is a server that can be away.
type flaky struct {
	address  string
	answered chan struct{}
	mu       sync.Mutex
	server   *http.Server
	hanging  bool
}

func newFlaky(t *testing.T) *flaky {
	f := &flaky{address: "127.0.0.1:0", answered: make(chan struct{}, 1000)}
	f.listen(t)
	t.Cleanup(f.close)
	return f
}

func (f *flaky) listen(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp", f.address)
	if err != nil {
		t.Fatal(err)
	}
	f.address = l.Addr().String()
	f.server = &http.Server{Handler: f}
	go f.server.Serve(l) // ends with close
}

func (f *flaky) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	hanging := f.hanging
	f.mu.Unlock()
	if !hanging {
		f.answered <- struct{}{}
		return
	}
	<-r.Context().Done() // what it has met while away it never answers
}

// close lets connections be refused.
func (f *flaky) close() { f.server.Close() }

// hang takes requests and answers none.
func (f *flaky) hang() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hanging = true
}

// comeBack ends either.
func (f *flaky) comeBack(t *testing.T) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.hanging {
		f.listen(t)
		return
	}
	f.hanging = false
}

// waitFor waits for so many answers.
func (f *flaky) waitFor(t *testing.T, answers int) {
	t.Helper()
	for range answers {
		select {
		case <-f.answered:
		case <-time.After(30 * time.Second):
			t.Fatal("the server got no requests")
		}
	}
}
