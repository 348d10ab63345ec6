package traffic

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"regexp"
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
	MaxInFlight int               `json:"max_in_flight"`
}

func (s HTTPSpec) validate() error {
	switch {
	case len(s.URLs) == 0:
		return fmt.Errorf("no url")
	case s.Rate < 0.001 || s.Rate > 100_000: // so that due times fit
		return fmt.Errorf("rate must be between 0.001 and 100000")
	case s.Timeout <= 0:
		return fmt.Errorf("timeout must be above 0")
	case s.MaxInFlight <= 0:
		return fmt.Errorf("max_in_flight must be above 0")
	}
	for _, name := range s.Monotonic {
		if _, ok := s.Capture[name]; !ok {
			return fmt.Errorf("monotonic: nothing is captured as %q", name)
		}
	}
	_, err := regexp.Compile(s.Expect.Body)
	return err
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
	return generate(ctx, s.Rate, s.MaxInFlight, newHTTPSender(s, (&net.Dialer{}).DialContext).send, out)
}

// httpSender sends one workload's requests.
type httpSender struct {
	spec   HTTPSpec
	client *http.Client
	high   highWater
}

func newHTTPSender(s HTTPSpec, dial dialer) *httpSender {
	return &httpSender{
		spec: s,
		high: highWater{seen: map[string]string{}},
		client: &http.Client{
			Transport: &http.Transport{
				DialContext:         dial.within(s.Timeout),
				DisableKeepAlives:   !s.Keepalive,
				DisableCompression:  true,
				MaxIdleConnsPerHost: s.MaxInFlight,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// dialer makes connections.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// within limits the time of each. net/http does not end an attempt with its
// request; where packets are dropped, attempts would pile up for minutes.
func (d dialer) within(limit time.Duration) dialer {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return d(ctx, network, address)
	}
}

// send sends request seq and fills in what became of it.
func (h *httpSender) send(ctx context.Context, s *Sample) {
	before := h.high.now()
	tries := 1
	if h.spec.Failover {
		tries = len(h.spec.URLs)
	}
	for i := range tries {
		url := h.spec.URLs[(int(s.Seq)+i)%len(h.spec.URLs)]
		h.try(ctx, url, before, s)
		if s.Outcome == OK || ctx.Err() != nil {
			return
		}
	}
}

func (h *httpSender) try(ctx context.Context, url string, before map[string]string, s *Sample) {
	ctx, cancel := context.WithTimeout(ctx, h.spec.Timeout)
	defer cancel()
	reply := Ask(ctx, h.client, h.request(url, s.Seq))
	captured, err := h.judge(reply, before)
	s.Code, s.Bytes, s.Captured = reply.Status, reply.Bytes, captured
	if err != nil {
		s.Outcome, s.Class, s.Error = reply.outcome(h.spec.Method), Classify(err), err.Error()
		if s.Class == Timeout {
			s.Error = fmt.Sprintf("no answer within %s", h.spec.Timeout)
		}
		return
	}
	s.Outcome, s.Class, s.Error = OK, "", ""
}

func (h *httpSender) request(url string, seq int64) Request {
	number := strings.NewReplacer("{seq}", strconv.FormatInt(seq, 10))
	r := Request{Method: h.spec.Method, URL: number.Replace(url), Body: number.Replace(h.spec.Body)}
	if len(h.spec.Headers) > 0 {
		r.Headers = make(map[string]string, len(h.spec.Headers))
	}
	for name, value := range h.spec.Headers {
		r.Headers[name] = number.Replace(value)
	}
	return r
}

// judge says what an answer has for capturing and what is wrong with it.
func (h *httpSender) judge(r Reply, before map[string]string) (map[string]string, error) {
	if r.Err != nil {
		return nil, r.Err
	}
	if r.Bytes > maxBody && (h.spec.Expect.needsBody() || len(h.spec.Capture) > 0) {
		return nil, unexpectedf("the body has %d bytes; more than %d can't be looked at", r.Bytes, maxBody)
	}
	if err := h.spec.Expect.Check(r.Status, r.Body); err != nil {
		return nil, err
	}
	captured, err := capture(h.spec.Capture, r.Body)
	if err != nil {
		return nil, err
	}
	return captured, h.high.check(h.spec.Monotonic, before, captured)
}

// capture takes values out of a body. One that is not there, or null, is an
// error: captured values are counted, and a count of nothing proves nothing.
func capture(paths map[string]string, body []byte) (map[string]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	doc, err := parseJSON(body)
	if err != nil {
		return nil, unexpectedf("the body %s is not JSON: %v", excerpt(body), err)
	}
	captured := make(map[string]string, len(paths))
	for _, name := range sortedKeys(paths) {
		v, ok := lookup(doc, paths[name])
		if !ok || v == nil {
			return nil, unexpectedf("the body has no %q to capture as %s", paths[name], name)
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
	for _, name := range names {
		if parseNumber(captured[name]) == nil {
			return unexpectedf("%s is %q, which is not a number that can be monotonic", name, captured[name])
		}
		if last, ok := before[name]; ok && compareNumbers(captured[name], last) < 0 {
			return unexpectedf("%s went back from %s to %s", name, last, captured[name])
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
