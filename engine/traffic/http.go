package traffic

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// HTTPSpec is what an HTTP workload sends. {seq} in url, headers and body is
// replaced by the request's number.
type HTTPSpec struct {
	URLs        []string          `json:"urls"` // requests take turns
	Failover    bool              `json:"failover,omitempty"`
	Rate        float64           `json:"rate"` // per second
	Method      string            `json:"method"`
	Headers     map[string]string `json:"headers,omitempty"`
	Body        string            `json:"body,omitempty"`
	Timeout     time.Duration     `json:"timeout_ns"` // of each try
	Expect      Expect            `json:"expect"`
	Capture     map[string]string `json:"capture,omitempty"`   // name → path
	Monotonic   []string          `json:"monotonic,omitempty"` // captured numbers that never go back
	Keepalive   bool              `json:"keepalive,omitempty"`
	Trust       Trust             `json:"trust,omitzero"`
	MaxInFlight int               `json:"max_in_flight"`
}

func (s HTTPSpec) validate() error {
	if len(s.URLs) == 0 {
		return fmt.Errorf("no url")
	}
	if err := checkLoop(s.Rate, s.Timeout, s.MaxInFlight); err != nil {
		return err
	}
	for _, name := range s.Monotonic {
		if _, ok := s.Capture[name]; !ok {
			return fmt.Errorf("monotonic: nothing is captured as %q", name)
		}
	}
	return nil
}

// HTTPJob sends HTTP requests until ctx ends, then waits for those in flight.
// Request i is due at i/rate seconds after the first and is sent then, whatever
// became of the others. out gets one Line of JSON per sample, in the order in
// which they ended; an error of it ends the job.
func HTTPJob(ctx context.Context, spec []byte, out func(line []byte) error) error {
	var s HTTPSpec
	if err := json.Unmarshal(spec, &s); err != nil {
		return fmt.Errorf("http job: %w", err)
	}
	if err := s.validate(); err != nil {
		return fmt.Errorf("http job: %w", err)
	}
	// No keep-alive probes of TCP: every use has a deadline, and asking for them
	// is four system calls a connection.
	return s.send(ctx, (&net.Dialer{KeepAlive: -1}).DialContext, out)
}

func (s HTTPSpec) send(ctx context.Context, dial dialer, out func(line []byte) error) error {
	h, err := newHTTPSender(s, dial)
	if err != nil {
		return fmt.Errorf("http job: %w", err)
	}
	defer h.wire.close()
	return generate(ctx, s.Rate, s.MaxInFlight, h.send, out)
}

// httpSender sends one workload's requests.
type httpSender struct {
	spec   HTTPSpec
	expect expectation
	wire   *wire
	high   highWater
}

func newHTTPSender(s HTTPSpec, dial dialer) (*httpSender, error) {
	expect, err := s.Expect.compile()
	if err != nil {
		return nil, err
	}
	w := &wire{dial: dial, keepalive: s.Keepalive, idle: map[string][]*wireConn{}}
	if slices.ContainsFunc(s.URLs, OverTLS) {
		if w.secure, err = s.Trust.Config(); err != nil {
			return nil, err
		}
	}
	if s.looksAtBodies() {
		w.kept = maxBody
	}
	return &httpSender{spec: s, expect: expect, wire: w, high: highWater{seen: map[string]string{}}}, nil
}

// looksAtBodies says whether anything depends on what is in an answer's body.
func (s HTTPSpec) looksAtBodies() bool { return s.Expect.needsBody() || len(s.Capture) > 0 }

// dialer makes connections.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// send sends request seq and fills in what became of it.
func (h *httpSender) send(s *Sample) {
	before := h.high.now()
	tries := 1
	if h.spec.Failover {
		tries = len(h.spec.URLs)
	}
	effect := false // of a try that failed
	for i := range tries {
		url := h.spec.URLs[(int(s.Seq)+i)%len(h.spec.URLs)]
		h.try(url, before, s)
		if s.Outcome == OK {
			return
		}
		effect = effect || s.Outcome == Unknown
	}
	if effect {
		s.Outcome = Unknown
	}
}

func (h *httpSender) try(url string, before map[string]string, s *Sample) {
	began := time.Now()
	reply := h.wire.ask(h.request(url, s.Seq), h.spec.Timeout)
	captured, err := h.judge(reply, before)
	s.Code, s.Bytes, s.Captured = reply.Status, reply.Bytes, captured
	if err != nil {
		s.Outcome, s.Class, s.Error = reply.outcome(h.spec.Method), Classify(err), err.Error()
		if s.Class == Timeout {
			s.Error = noAnswer(h.spec.Timeout, time.Since(began))
		}
		return
	}
	s.Outcome, s.Class, s.Error = OK, "", ""
}

func (h *httpSender) request(url string, seq int64) Request {
	number := strconv.FormatInt(seq, 10)
	with := func(text string) string { return strings.ReplaceAll(text, "{seq}", number) }
	r := Request{Method: h.spec.Method, URL: with(url), Body: with(h.spec.Body)}
	if len(h.spec.Headers) > 0 {
		r.Headers = make(map[string]string, len(h.spec.Headers))
	}
	for name, value := range h.spec.Headers {
		r.Headers[name] = with(value)
	}
	return r
}

// judge says what an answer has for capturing and what is wrong with it.
func (h *httpSender) judge(r Reply, before map[string]string) (map[string]string, error) {
	if r.Err != nil {
		return nil, r.Err
	}
	if r.Bytes > maxBody && h.spec.looksAtBodies() {
		return nil, unexpectedf("the body has %d bytes; more than %d can't be looked at", r.Bytes, maxBody)
	}
	body := &document{text: r.Body}
	if err := h.expect.check(r.Status, body); err != nil {
		return nil, err
	}
	captured, err := capture(h.spec.Capture, body)
	if err != nil {
		return nil, err
	}
	return captured, h.high.check(h.spec.Monotonic, before, captured)
}

// capture takes values out of a body. One that is not there, or null, is an
// error: captured values are counted, and a count of nothing proves nothing.
func capture(paths map[string]string, body *document) (map[string]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	doc, err := body.json()
	if err != nil {
		return nil, err
	}
	captured := make(map[string]string, len(paths))
	for _, name := range sortedKeys(paths) {
		v, ok := lookup(doc, paths[name])
		if !ok || v == nil {
			return nil, unexpectedf("there is no %q to capture as %s", paths[name], name)
		}
		captured[name] = textOf(v)
	}
	return captured, nil
}

// highWater knows the highest number that was captured so far under each
// name. A request is compared with what was known when it was sent, since
// answers to requests that overlap may come in any order.
type highWater struct {
	mu   sync.Mutex
	seen map[string]string // copied on change
}

func (h *highWater) now() map[string]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.seen
}

func (h *highWater) check(names []string, before, captured map[string]string) error {
	if len(names) == 0 {
		return nil
	}
	for _, name := range names {
		if parseNumber(captured[name]) == nil {
			return unexpectedf("%s is %q, which is not a number that can be monotonic", name, captured[name])
		}
		if last, ok := before[name]; ok && compareNumbers(captured[name], last) < 0 {
			return &failure{WentBack, fmt.Sprintf("%s went back from %s to %s", name, last, captured[name])}
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	next := make(map[string]string, len(names))
	for _, name := range names {
		next[name] = captured[name]
		if last, ok := h.seen[name]; ok && compareNumbers(last, captured[name]) > 0 {
			next[name] = last
		}
	}
	h.seen = next
	return nil
}
