package traffic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
)

// maxBody is how many bytes of an answer's body are kept.
const maxBody = 1 << 20

// Request is one HTTP request.
type Request struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
	Most    int64             `json:"-"` // bytes of the answer's body that are kept; 0: 1 MiB
}

// Reply is what became of a request. Err says why no whole answer came; its
// class is that of Classify.
type Reply struct {
	Status int // 0: no answer
	Header http.Header
	Body   []byte // at most Request.Most
	Bytes  int64  // of the whole body
	Err    error
	// Sent says that something was sent, so that it may have had an effect.
	Sent bool
}

// Ask sends a request and reads its answer. It ends with ctx.
func Ask(ctx context.Context, client *http.Client, r Request) Reply {
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { sent.Store(true) },
	})
	req, err := r.prepare(ctx)
	if err != nil {
		return Reply{Err: err}
	}
	resp, err := client.Do(req)
	if err != nil {
		return Reply{Err: withoutURL(err), Sent: sent.Load()}
	}
	body, size, err := readBody(resp.Body, cmp.Or(r.Most, maxBody))
	if err != nil {
		return Reply{Err: err, Sent: true, Bytes: size}
	}
	return Reply{Status: resp.StatusCode, Header: resp.Header, Body: body, Bytes: size, Sent: true}
}

// prepare makes net/http's form of it.
func (r Request) prepare(ctx context.Context) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, strings.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	if req.URL.Host == "" || req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		return nil, fmt.Errorf("%q is no http:// or https:// address", r.URL)
	}
	for name, value := range r.Headers {
		if strings.EqualFold(name, "Host") {
			req.Host = value
			continue
		}
		req.Header.Set(name, value)
	}
	return req, nil
}

// withoutURL takes off what net/http puts around an error: method and URL,
// which whoever asked knows.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// outcome says how a request that failed counts.
func (r Reply) outcome(method string) Outcome {
	if safe(method) || !r.Sent {
		return Failed
	}
	switch {
	case r.Status == 0, r.Status/100 == 2:
		return Unknown
	case r.Status == http.StatusInternalServerError, r.Status == http.StatusBadGateway, r.Status == http.StatusGatewayTimeout:
		return Unknown
	default:
		return Failed
	}
}
