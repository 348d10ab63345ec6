package traffic

import (
	"context"
	"errors"
	"io"
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
}

// Reply is what became of a request. Err says why no whole answer came; its
// class is that of Classify.
type Reply struct {
	Status int // 0: no answer
	Header http.Header
	Body   []byte // at most maxBody
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
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, strings.NewReader(r.Body))
	if err != nil {
		return Reply{Err: err}
	}
	for name, value := range r.Headers {
		if strings.EqualFold(name, "Host") {
			req.Host = value
			continue
		}
		req.Header.Set(name, value)
	}
	resp, err := client.Do(req)
	if err != nil {
		return Reply{Err: withoutURL(err), Sent: sent.Load()}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	size := int64(len(body))
	if err == nil {
		var rest int64
		rest, err = io.Copy(io.Discard, resp.Body)
		size += rest
	}
	if err != nil {
		return Reply{Err: err, Sent: true, Bytes: size}
	}
	return Reply{Status: resp.StatusCode, Header: resp.Header, Body: body, Bytes: size, Sent: true}
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
	switch r.Status {
	case 0, http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		return Unknown
	default:
		return Failed
	}
}
