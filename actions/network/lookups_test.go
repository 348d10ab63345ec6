package network

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/step/steptest"
)

// A name that nobody finds is no fault's business: nothing is put in force.
func TestANameThatIsNotFoundIsLookedForBeforeItFails(t *testing.T) {
	d, w := dnsFailure(), world()
	w.UnknownNames = []string{"nosuch"}
	for names, want := range map[string]string{"b": "", "nosuch": "there is no name nosuch"} {
		args := steptest.Args(t, d, map[string]cty.Value{"nodes": nodes("a"), "names": steptest.Strings(names)})
		_, err := d.Fault.Intent(t.Context(), w.Env(), args)
		if got := errorText(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", names, got, want)
		}
		if w.Failing() != nil {
			t.Error("something fails already")
		}
	}
}

func TestNamesThatNobodyAsksForAreRefused(t *testing.T) {
	d := dnsFailure()
	for name, want := range map[string]string{
		"10.0.0.1": "is an address", "::1": "is an address", "bücher.example": "ASCII form", "a b": "could be looked up", "a\x7f": "could be looked up", "a..b": "could be looked up",
		"redis": "", "_sip._tcp.example.com.": "", "xn--bcher-kva.example": "",
	} {
		err := d.Check(given(d, map[string]cty.Value{"nodes": nodes("a"), "names": steptest.Strings(name)}))
		if got := errorText(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
