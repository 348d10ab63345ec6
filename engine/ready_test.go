package engine

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/step/steptest"
)

func TestANodeIsAskedOverTLSWhateverItsCertificate(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/starting" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	env := steptest.New().Env()
	env.Clock = step.SystemClock{}
	if err := askHTTP(t.Context(), env, server.URL+"/starting"); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("got %v", err)
	}
	if err := askHTTP(t.Context(), env, server.URL+"/"); err != nil {
		t.Error(err)
	}
}
