package traffic

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// one sends request seq of a workload and returns its sample.
func one(t *testing.T, spec HTTPSpec, seq int64) *Sample {
	t.Helper()
	return send(newSender(t, spec), seq)
}

func newSender(t *testing.T, spec HTTPSpec) *httpSender {
	t.Helper()
	h, err := newHTTPSender(defaults(spec), (&net.Dialer{}).DialContext)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.wire.close)
	return h
}

func send(h *httpSender, seq int64) *Sample {
	s := &Sample{Seq: seq}
	h.send(s)
	return s
}

func defaults(s HTTPSpec) HTTPSpec {
	if s.Method == "" {
		s.Method = "GET"
	}
	if s.Timeout == 0 {
		s.Timeout = 5 * time.Second
	}
	if s.Rate == 0 {
		s.Rate = 10
	}
	s.MaxInFlight = 10
	return s
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// nobody is the URL of a port on which nobody listens.
func nobody(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

// cut answers nothing and breaks the connection.
func cut(t *testing.T, w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	conn.Close()
}

func TestARequestIsJudgedByWhatIsExpected(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/json":
			io.WriteString(w, `{"id": 12345678901234567890, "user": {"name": "ada", "tags": ["x", {"deep": true}]}, "none": null}`)
		case "/redirect":
			http.Redirect(w, r, "/json", http.StatusFound)
		case "/big":
			io.WriteString(w, strings.Repeat("x", maxBody+10))
		case "/cut":
			cut(t, w)
		case "/half":
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "half")
		default:
			var code int
			fmt.Sscanf(r.URL.Path, "/%d", &code)
			w.WriteHeader(code)
		}
	})
	raw := func(path, value string) Expect {
		return Expect{JSON: map[string]json.RawMessage{path: json.RawMessage(value)}}
	}
	for _, tt := range []struct {
		name    string
		path    string
		expect  Expect
		capture map[string]string
		class   Class // empty: ok
		text    string
		code    int
	}{
		{name: "200", path: "/200", code: 200},
		{name: "a redirect is an answer and is not followed", path: "/redirect", code: 302},
		{name: "404", path: "/404", code: 404, class: HTTP4xx, text: "status 404"},
		{name: "503", path: "/503", code: 503, class: HTTP5xx, text: "status 503"},
		{name: "404 if that is expected", path: "/404", expect: Expect{Status: []int{200, 404}}, code: 404},
		{name: "201 where 200 is expected", path: "/201", expect: Expect{Status: []int{200}}, code: 201, class: Unexpected, text: "status 201"},
		{name: "body", path: "/json", expect: Expect{Body: `"name": "a.a"`}, code: 200},
		{name: "another body", path: "/json", expect: Expect{Body: "^ada$"}, code: 200, class: Unexpected, text: `does not match "^ada$"`},
		{name: "json string", path: "/json", expect: raw("user.name", `"ada"`), code: 200},
		{name: "json number, however it is written", path: "/json", expect: raw("id", `1.2345678901234567890e19`), code: 200},
		{name: "json number, the last digit", path: "/json", expect: raw("id", `12345678901234567891`), code: 200, class: Unexpected, text: `"id" is 12345678901234567890, not 12345678901234567891`},
		{name: "json of another type", path: "/json", expect: raw("user.name", `1`), code: 200, class: Unexpected, text: `"user.name" is ada, not 1`},
		{name: "json in a list", path: "/json", expect: raw("user.tags.1.deep", `true`), code: 200},
		{name: "json object", path: "/json", expect: raw("user.tags", `["x", {"deep": true}]`), code: 200},
		{name: "json that is not there", path: "/json", expect: raw("user.age", `1`), code: 200, class: Unexpected, text: `no "user.age"`},
		{name: "no json", path: "/200", expect: raw("user", `1`), code: 200, class: Unexpected, text: "is not JSON"},
		{name: "capture", path: "/json", capture: map[string]string{"id": "id", "tags": "user.tags"}, code: 200},
		{name: "capture of nothing", path: "/json", capture: map[string]string{"x": "user.nothing"}, code: 200, class: Unexpected, text: `no "user.nothing" to capture as x`},
		{name: "capture of null", path: "/json", capture: map[string]string{"x": "none"}, code: 200, class: Unexpected, text: `no "none" to capture as x`},
		{name: "a body that is too long to look at", path: "/big", expect: Expect{Body: "x"}, code: 200, class: Unexpected, text: "can't be looked at"},
		{name: "a long body that nobody looks at", path: "/big", code: 200},
		{name: "a broken connection", path: "/cut", class: Reset, text: "EOF"},
		{name: "half of an answer", path: "/half", class: Reset, text: "unexpected EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := one(t, HTTPSpec{URLs: []string{url + tt.path}, Expect: tt.expect, Capture: tt.capture}, 0)
			wantOutcome := OK
			if tt.class != "" {
				wantOutcome = Failed
			}
			if s.Outcome != wantOutcome || s.Class != tt.class || s.Code != tt.code || !strings.Contains(s.Error, tt.text) {
				t.Errorf("got %+v", s)
			}
			if tt.class == "" && len(s.Captured) != len(tt.capture) {
				t.Errorf("captured %v", s.Captured)
			}
		})
	}
}

func TestCapturedValuesAreStrings(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"pid": 12345678901234567890, "name": "a b", "ok": true, "list": [1, "x"]}`)
	})
	s := one(t, HTTPSpec{URLs: []string{url}, Capture: map[string]string{"p": "pid", "n": "name", "o": "ok", "l": "list", "e": "list.1"}}, 0)
	want := map[string]string{"p": "12345678901234567890", "n": "a b", "o": "true", "l": `[1,"x"]`, "e": "x"}
	if fmt.Sprint(s.Captured) != fmt.Sprint(want) {
		t.Errorf("captured %v, want %v", s.Captured, want)
	}
}

func TestWhatCanNotBeReachedSaysHow(t *testing.T) {
	release := make(chan struct{})
	hangs := serve(t, func(http.ResponseWriter, *http.Request) { <-release })
	t.Cleanup(func() { close(release) })
	for _, tt := range []struct {
		name, method, url string
		class             Class
		outcome           Outcome
	}{
		{"nobody listens", "GET", nobody(t), Refused, Failed},
		{"nobody listens to a POST: it had no effect", "POST", nobody(t), Refused, Failed},
		{"hangs", "GET", hangs, Timeout, Failed},
		{"a POST that hangs may have had an effect", "POST", hangs, Timeout, Unknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := one(t, HTTPSpec{URLs: []string{tt.url}, Method: tt.method, Timeout: 50 * time.Millisecond}, 0)
			if s.Class != tt.class || s.Outcome != tt.outcome || s.Code != 0 {
				t.Errorf("got %+v, want %s %s", s, tt.outcome, tt.class)
			}
			if tt.class == Timeout && !strings.HasPrefix(s.Error, "no answer within 50ms") {
				t.Errorf("error %q", s.Error)
			}
		})
	}
}

func TestAnAnswerToAWriteSaysWhetherItMayHaveHadAnEffect(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var code int
		fmt.Sscanf(r.URL.Path, "/%d", &code)
		w.WriteHeader(code)
	})
	for code, want := range map[int]Outcome{200: OK, 202: Unknown, 302: Failed, 400: Failed, 404: Failed, 500: Unknown, 502: Unknown, 503: Failed, 504: Unknown} {
		if s := one(t, HTTPSpec{URLs: []string{fmt.Sprint(url, "/", code)}, Method: "PUT", Expect: Expect{Status: []int{200}}}, 0); s.Outcome != want {
			t.Errorf("PUT answered with %d: %s, want %s", code, s.Outcome, want)
		}
	}
}

func TestSeqIsTheNumberOfTheRequest(t *testing.T) {
	var got string
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		got = fmt.Sprint(r.Method, " ", r.URL.Path, " ", r.Header.Get("X-Key"), " ", r.Host, " ", string(body), " ", err)
	})
	s := one(t, HTTPSpec{
		URLs: []string{url + "/k{seq}"}, Method: "POST", Body: `{"n": {seq}}`,
		Headers: map[string]string{"X-Key": "key-{seq}", "host": "front"},
	}, 17)
	if want := `POST /k17 key-17 front {"n": 17} <nil>`; got != want || s.Outcome != OK {
		t.Errorf("the server saw %q, want %q (%+v)", got, want, s)
	}
}

func TestRequestsTakeTurnsAmongURLs(t *testing.T) {
	var mu sync.Mutex
	var got []string
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r.URL.Path)
	})
	h := newSender(t, HTTPSpec{URLs: []string{url + "/a", url + "/b", url + "/c"}})
	for seq := range int64(4) {
		send(h, seq)
	}
	if want := []string{"/a", "/b", "/c", "/a"}; !slices.Equal(got, want) {
		t.Errorf("asked %v, want %v", got, want)
	}
}

func TestFailoverTriesTheOthersBeforeItFails(t *testing.T) {
	good := serve(t, func(http.ResponseWriter, *http.Request) {})
	bad := nobody(t)
	for _, tt := range []struct {
		name     string
		urls     []string
		failover bool
		want     Outcome
	}{
		{"without", []string{bad, good}, false, Failed},
		{"one answers", []string{bad, bad, good}, true, OK},
		{"none answers", []string{bad, bad}, true, Failed},
	} {
		s := one(t, HTTPSpec{URLs: tt.urls, Failover: tt.failover}, 0)
		if s.Outcome != tt.want || (s.Outcome == OK && (s.Class != "" || s.Error != "")) {
			t.Errorf("%s: %+v, want %s", tt.name, s, tt.want)
		}
	}
}

func TestAWriteThatFailedOverHadPerhapsAnEffectIfAnyTryHad(t *testing.T) {
	failing := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	s := one(t, HTTPSpec{URLs: []string{failing, nobody(t)}, Failover: true, Method: "POST"}, 0)
	if s.Outcome != Unknown || s.Class != Refused {
		t.Errorf("got %+v, want it unknown, and refused by the last", s)
	}
}

func TestConnectionsAreNewUnlessKeptAlive(t *testing.T) {
	for keepalive, want := range map[bool]int64{false: 3, true: 1} {
		var made atomic.Int64
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				made.Add(1)
			}
		}
		server.Start()
		h := newSender(t, HTTPSpec{URLs: []string{server.URL}, Keepalive: keepalive})
		for seq := range int64(3) {
			send(h, seq)
		}
		if made.Load() != want {
			t.Errorf("keepalive %t: %d connections for 3 requests, want %d", keepalive, made.Load(), want)
		}
		server.Close()
	}
}

func TestAMonotonicNumberMustNotGoBack(t *testing.T) {
	reply := "0"
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"n": %s}`, reply) })
	h := newSender(t, HTTPSpec{URLs: []string{url}, Capture: map[string]string{"n": "n"}, Monotonic: []string{"n"}})
	for seq, tt := range []struct{ reply, wrong string }{
		{"5", ""}, {"5", ""}, {"10", ""}, {"9", "n went back from 10 to 9"}, {"10", ""}, {"9.5", "n went back from 10 to 9.5"},
		{"9007199254740993", ""}, {"9007199254740992", "n went back from 9007199254740993 to 9007199254740992"},
		{`"x"`, "not a number"},
	} {
		reply = tt.reply
		s := send(h, int64(seq))
		if (s.Outcome == OK) != (tt.wrong == "") || !strings.Contains(s.Error, tt.wrong) {
			t.Errorf("answer %s: %+v, want %q", tt.reply, s, tt.wrong)
		}
		want := map[bool]Class{true: WentBack}[strings.Contains(tt.wrong, "went back")]
		if want == "" && tt.wrong != "" {
			want = Unexpected
		}
		if s.Class != want {
			t.Errorf("answer %s: class %q, want %q", tt.reply, s.Class, want)
		}
	}
}

// Two requests overlap, and the one that was answered with less comes in
// later: that is no going back.
func TestOverlappingRequestsMayBeAnsweredInAnyOrder(t *testing.T) {
	slow := make(chan struct{})
	arrived := make(chan struct{})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			close(arrived)
			<-slow
			io.WriteString(w, `{"n": 1}`)
			return
		}
		io.WriteString(w, `{"n": 2}`)
	})
	h := newSender(t, HTTPSpec{URLs: []string{url + "/slow", url + "/fast"}, Capture: map[string]string{"n": "n"}, Monotonic: []string{"n"}})
	first := make(chan *Sample)
	go func() {
		s := &Sample{Seq: 0}
		h.send(s)
		first <- s
	}()
	<-arrived
	if s := send(h, 1); s.Outcome != OK {
		t.Errorf("the second: %+v", s)
	}
	close(slow)
	if s := <-first; s.Outcome != OK {
		t.Errorf("the first, answered last: %+v", s)
	}
}

func TestAJobThatMakesNoSenseIsRefused(t *testing.T) {
	good := defaults(HTTPSpec{URLs: []string{"http://x"}})
	for name, spoil := range map[string]func(*HTTPSpec){
		"no url":        func(s *HTTPSpec) { s.URLs = nil },
		"no rate":       func(s *HTTPSpec) { s.Rate = 0 },
		"rate":          func(s *HTTPSpec) { s.Rate = 1e300 },
		"timeout":       func(s *HTTPSpec) { s.Timeout = 0 },
		"max_in_flight": func(s *HTTPSpec) { s.MaxInFlight = 0 },
		"monotonic":     func(s *HTTPSpec) { s.Monotonic = []string{"n"} },
		"regexp":        func(s *HTTPSpec) { s.Expect.Body = "(" },
	} {
		s := good
		spoil(&s)
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := HTTPJob(t.Context(), text, func([]byte) error { return nil }); err == nil {
			t.Errorf("%s: was taken", name)
		}
	}
	if err := HTTPJob(t.Context(), []byte("{"), nil); err == nil {
		t.Error("half of an object was taken")
	}
}
