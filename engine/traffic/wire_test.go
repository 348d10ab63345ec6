package traffic

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// talk serves connections one after the other by hand, and returns the URL.
// The requests are read up to their headers' end.
func talk(t *testing.T, answer func(n int, c net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			answer(n, c)
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return "http://" + l.Addr().String()
}

// request reads the next request of a connection, without its body.
func request(t *testing.T, in *bufio.Reader) {
	if _, err := http.ReadRequest(in); err != nil {
		t.Errorf("the server: %v", err)
	}
}

const empty200 = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

func TestAConnectionThatTheServerHasClosedIsNotUsedAgain(t *testing.T) {
	closed := make(chan struct{})
	url := talk(t, func(n int, c net.Conn) {
		request(t, bufio.NewReader(c))
		io.WriteString(c, empty200)
		if n == 0 {
			c.Close()
			close(closed)
		}
	})
	for _, method := range []string{"GET", "POST"} {
		h := newSender(t, HTTPSpec{URLs: []string{url}, Method: method, Keepalive: true})
		if s := send(h, 0); s.Outcome != OK {
			t.Fatalf("%s: %+v", method, s)
		}
		<-closed
		if s := send(h, 1); s.Outcome != OK {
			t.Errorf("%s: the second: %+v", method, s)
		}
	}
}

func TestARequestThatAClosingConnectionMetIsSentAgainIfThatIsSafe(t *testing.T) {
	for method, want := range map[string]Outcome{"GET": OK, "POST": Unknown} {
		url := talk(t, func(_ int, c net.Conn) {
			in := bufio.NewReader(c)
			request(t, in)
			io.WriteString(c, empty200)
			if _, err := http.ReadRequest(in); err != nil && err != io.EOF {
				t.Errorf("the server: %v", err) // it closes when it has got the second
			}
		})
		h := newSender(t, HTTPSpec{URLs: []string{url}, Method: method, Keepalive: true})
		send(h, 0)
		if s := send(h, 1); s.Outcome != want {
			t.Errorf("%s: %+v, want %s", method, s, want)
		}
		h.wire.close()
	}
}

func TestAnAnswerThatOnlySaysThatOneWillComeIsPassedOver(t *testing.T) {
	url := talk(t, func(_ int, c net.Conn) {
		request(t, bufio.NewReader(c))
		io.WriteString(c, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
	})
	if s := one(t, HTTPSpec{URLs: []string{url}, Expect: Expect{Status: []int{201}, Body: "^abc$"}}, 0); s.Outcome != OK || s.Bytes != 3 {
		t.Errorf("got %+v", s)
	}
}

func TestALongBodyThatTheServerDoesNotReadIsAnsweredNevertheless(t *testing.T) {
	url := talk(t, func(_ int, c net.Conn) {
		in := bufio.NewReader(c)
		request(t, in)
		io.WriteString(c, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		io.Copy(io.Discard, in) // until the client gives up on it
	})
	s := one(t, HTTPSpec{URLs: []string{url}, Method: "PUT", Body: strings.Repeat("x", 64<<20), Keepalive: true, Expect: Expect{Status: []int{413}}}, 0)
	if s.Outcome != OK {
		t.Errorf("got %+v", s)
	}
}

func TestALongBodyArrivesWhole(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n, err)
	})
	body := strings.Repeat("x", 5<<20)
	h := newSender(t, HTTPSpec{URLs: []string{url}, Method: "PUT", Body: body, Keepalive: true, Expect: Expect{Body: fmt.Sprint("^", len(body), " <nil>$")}})
	for seq := range int64(2) {
		if s := send(h, seq); s.Outcome != OK {
			t.Errorf("got %+v", s)
		}
	}
}

func TestHeadersWithoutEndAreNotRead(t *testing.T) {
	url := talk(t, func(_ int, c net.Conn) {
		request(t, bufio.NewReader(c))
		io.WriteString(c, "HTTP/1.1 200 OK\r\n")
		for line := "X: " + strings.Repeat("x", 1<<20) + "\r\n"; ; {
			if _, err := io.WriteString(c, line); err != nil {
				return
			}
		}
	})
	if s := one(t, HTTPSpec{URLs: []string{url}}, 0); s.Class != Unexpected || !strings.Contains(s.Error, "headers have more than") {
		t.Errorf("got %+v", s)
	}
}

func TestTheWholeExchangeHasOneTimeLimit(t *testing.T) {
	url := talk(t, func(_ int, c net.Conn) {
		request(t, bufio.NewReader(c))
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
		for range 1000 {
			if _, err := io.WriteString(c, "x"); err != nil {
				return
			}
			time.Sleep(10 * time.Millisecond) // a server that is slow, but never silent
		}
	})
	if s := one(t, HTTPSpec{URLs: []string{url}, Timeout: 100 * time.Millisecond}, 0); s.Class != Timeout || s.Outcome != Failed {
		t.Errorf("got %+v", s)
	}
}

func TestHTTPSIsSpokenAndItsCertificateChecked(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	if s := one(t, HTTPSpec{URLs: []string{server.URL}}, 0); s.Class != Unexpected || !strings.Contains(s.Error, "certificate") {
		t.Errorf("got %+v", s)
	}
}

func BenchmarkARequest(b *testing.B) {
	for _, keepalive := range []bool{true, false} {
		b.Run(fmt.Sprintf("keepalive=%t", keepalive), func(b *testing.B) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			server := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
			go server.Serve(l)
			defer server.Close()
			h, err := newHTTPSender(defaults(HTTPSpec{URLs: []string{"http://" + l.Addr().String()}, Keepalive: keepalive}), (&net.Dialer{KeepAlive: -1}).DialContext)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if s := send(h, 0); s.Outcome != OK {
					b.Fatalf("%+v", s)
				}
			}
		})
	}
}
