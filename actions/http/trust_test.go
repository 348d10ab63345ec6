package http

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/step/steptest"
	"github.com/scenario-run/scenario/engine/traffic"
)

// secure is a server with a certificate that only it vouches for, which answers
// with metrics.
func secure(t *testing.T) (url string, certificate cty.Value) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "up 1\n") }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // of clients that don't trust it
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL, str(string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))
}

func TestProbesAndActionsTakeTheCertificatesThatTheyAreToldTo(t *testing.T) {
	url, certificate := secure(t)
	for _, d := range []step.Definition{probe(), metrics()} {
		for _, tt := range []struct {
			trust given
			ok    bool
		}{{given{}, false}, {given{"ca": certificate}, true}, {given{"insecure": cty.True}, true}} {
			tt.trust["url"] = str(url)
			v, err := d.Probe(t.Context(), steptest.New().Env(), steptest.Args(t, d, tt.trust))
			if err != nil {
				t.Fatal(err)
			}
			if v.GetAttr("ok").True() != tt.ok {
				t.Errorf("probe %s with %v: %#v", d.Name, tt.trust, v)
			}
			if !tt.ok && (v.GetAttr("class").AsString() != "unexpected" || !strings.Contains(v.GetAttr("error").AsString(), "unknown authority")) {
				t.Errorf("probe %s: %#v", d.Name, v)
			}
		}
	}
	if _, err := done(t, given{"url": str(url)}); err == nil || !strings.Contains(err.Error(), "unknown authority") {
		t.Errorf("an action: %v", err)
	}
	if _, err := done(t, given{"url": str(url), "ca": certificate}); err != nil {
		t.Error(err)
	}
}

func TestAWorkloadsJobTakesTheCertificatesThatItIsToldTo(t *testing.T) {
	d := workload()
	job, err := d.Workload(steptest.Args(t, d, given{"url": str("https://web"), "rate": cty.NumberIntVal(1), "insecure": cty.True}))
	if err != nil {
		t.Fatal(err)
	}
	var spec traffic.HTTPSpec
	if err := json.Unmarshal(job.Spec, &spec); err != nil || spec.Trust != (traffic.Trust{Insecure: true}) {
		t.Errorf("%+v, %v", spec, err)
	}
}

func TestWhatIsNoAuthorityIsSaidBeforeTheRun(t *testing.T) {
	if err := checkCA(str("ca.pem")); err == nil || !strings.Contains(err.Error(), `file("ca.pem") reads one`) {
		t.Errorf("got %v", err)
	}
	both := cty.ObjectVal(given{"ca": cty.UnknownVal(cty.String), "insecure": cty.True})
	if err := checkTrust(both); err == nil {
		t.Error("ca and insecure together")
	}
	for _, fine := range []given{
		{"ca": cty.NullVal(cty.String), "insecure": cty.True},
		{"ca": str("x"), "insecure": cty.UnknownVal(cty.Bool)},
		{"ca": str("x"), "insecure": cty.False},
	} {
		if err := checkTrust(cty.ObjectVal(fine)); err != nil {
			t.Errorf("%v: %v", fine, err)
		}
	}
}
