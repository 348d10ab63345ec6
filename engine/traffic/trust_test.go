package traffic

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// secureServer is one with a certificate for 127.0.0.1 and example.com that
// only it vouches for, and that certificate.
func secureServer(t *testing.T) (url, certificate string) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // of clients that don't trust it
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
}

// once sends one request, and returns what became of it.
func once(t *testing.T, s HTTPSpec) *Sample {
	t.Helper()
	s.Rate, s.Method, s.Timeout, s.MaxInFlight = 1, "GET", 5*time.Second, 1
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	got := &lines{t: t}
	err := s.send(ctx, (&net.Dialer{}).DialContext, func(line []byte) error {
		err := got.add(line)
		if len(got.samples()) > 0 {
			cancel()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.samples()) == 0 {
		t.Fatal("no request was sent")
	}
	return got.samples()[0]
}

func TestAServersCertificateMustBeTrusted(t *testing.T) {
	url, certificate := secureServer(t)
	for _, tt := range []struct {
		name  string
		trust Trust
		keep  bool
		want  string // of the error; empty: it is trusted
	}{
		{"as the machine has it", Trust{}, false, "certificate signed by unknown authority"},
		{"its own authority", Trust{CA: "# of the test\n" + certificate}, false, ""},
		{"its own authority, over one connection", Trust{CA: certificate}, true, ""},
		{"any", Trust{Insecure: true}, false, ""},
	} {
		s := once(t, HTTPSpec{URLs: []string{url}, Trust: tt.trust, Keepalive: tt.keep})
		if (s.Outcome == OK) != (tt.want == "") || !strings.Contains(s.Error, tt.want) {
			t.Errorf("%s: %+v, want %q", tt.name, s, tt.want)
		}
		if tt.want != "" && (s.Outcome != Failed || s.Class != Unexpected || s.Code != 0) {
			t.Errorf("%s: %+v", tt.name, s)
		}
	}
	named := strings.Replace(url, "127.0.0.1", "localhost", 1)
	if s := once(t, HTTPSpec{URLs: []string{named}, Trust: Trust{CA: certificate}}); !strings.Contains(s.Error, "localhost") {
		t.Errorf("a certificate for another name: %+v", s)
	}
}

func TestTheAuthoritiesOfBrowsersAreThereWhereTheMachineHasNone(t *testing.T) {
	none := func() (*x509.CertPool, error) { return x509.NewCertPool(), nil }
	pool, err := rootsUnless(none)
	if err != nil || pool == nil || pool.Equal(x509.NewCertPool()) {
		t.Errorf("without authorities of the machine: %v, %v", pool, err)
	}
	some := func() (*x509.CertPool, error) { return pool, nil }
	if got, err := rootsUnless(some); err != nil || got != nil {
		t.Errorf("with such: %v, %v", got, err)
	}
}

func TestWhatIsNoAuthorityIsRefused(t *testing.T) {
	_, certificate := secureServer(t)
	key := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")}))
	bad := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")}))
	for _, tt := range []struct {
		trust Trust
		want  string
	}{
		{Trust{CA: "ca.pem"}, `ca holds no certificate in PEM`},
		{Trust{CA: certificate + key}, "ca holds a PRIVATE KEY; it takes certificates only"},
		{Trust{CA: certificate + bad}, "certificate 2 of ca: "},
		{Trust{CA: certificate, Insecure: true}, "insecure takes every certificate"},
	} {
		if _, err := tt.trust.Config(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

func TestOnlyHTTPSIsOverTLS(t *testing.T) {
	for url, want := range map[string]bool{"https://a": true, "HTTPS://a": true, "http://a": false, "http://https:1": false, "": false} {
		if OverTLS(url) != want {
			t.Errorf("%s: %v", url, !want)
		}
	}
}
