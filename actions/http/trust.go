package http

import (
	"errors"
	"net/http"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/traffic"
)

const (
	docCA = "Certificates of authorities, in PEM, such as `file(\"ca.pem\")`: an https server must show a certificate of one of them, for the name or address in the URL, or be one of them itself. " +
		"Without it, of one that this machine trusts."
	docInsecure = "Whether every certificate of an https server is good, whoever gave it to whom."
)

// trustArgs are the arguments that say which certificates are good.
func trustArgs() []schema.Attr {
	return []schema.Attr{
		{Name: "ca", Type: cty.String, Check: checkCA, Doc: docCA},
		{Name: "insecure", Type: cty.Bool, Default: cty.False, Doc: docInsecure},
	}
}

func checkCA(v cty.Value) error {
	_, err := traffic.Trust{CA: v.AsString()}.Config()
	return err
}

// checkTrust says what is wrong with the two together.
func checkTrust(args cty.Value) error {
	ca, insecure := args.GetAttr("ca"), args.GetAttr("insecure")
	if !ca.IsNull() && insecure.IsKnown() && !insecure.IsNull() && insecure.True() {
		return errors.New("ca and insecure exclude each other: insecure takes every certificate")
	}
	return nil
}

// clientFor returns who asks for a URL from a place, and takes the certificates
// that are good.
func clientFor(env *step.Env, from step.Node, url string, trust traffic.Trust) (*http.Client, error) {
	if !traffic.OverTLS(url) {
		return env.HTTP(string(from), nil), nil
	}
	secure, err := trust.Config()
	if err != nil {
		return nil, err
	}
	return env.HTTP(string(from), secure), nil
}
