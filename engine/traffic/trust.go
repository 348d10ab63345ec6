package traffic

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// Trust says which certificates of https servers are good. The zero value: those
// of authorities that the machine trusts, and where it knows of none, as an
// agent's doesn't, those that browsers trust.
type Trust struct {
	CA       string `json:"ca,omitempty"`       // certificates, in PEM, of the only authorities
	Insecure bool   `json:"insecure,omitempty"` // every certificate is good
}

// OverTLS says whether a URL is asked over TLS.
func OverTLS(url string) bool {
	scheme, _, _ := strings.Cut(url, ":")
	return strings.EqualFold(scheme, "https")
}

// Config returns the form of it that crypto/tls takes.
func (t Trust) Config() (*tls.Config, error) {
	switch {
	case t.Insecure && t.CA != "":
		return nil, errors.New("insecure takes every certificate, so that ca would not be used")
	case t.Insecure:
		return &tls.Config{InsecureSkipVerify: true}, nil
	case t.CA == "":
		roots, err := rootsUnless(x509.SystemCertPool)
		return &tls.Config{RootCAs: roots}, err
	}
	authorities, err := parseAuthorities(t.CA)
	return &tls.Config{RootCAs: authorities}, err
}

// parseAuthorities reads certificates in PEM; what stands between them, as
// comments do, is passed over.
func parseAuthorities(text string) (*x509.CertPool, error) {
	pool, found := x509.NewCertPool(), 0
	for block, rest := pem.Decode([]byte(text)); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("ca holds a %s; it takes certificates only", block.Type)
		}
		found++
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d of ca: %w", found, err)
		}
		pool.AddCert(c)
	}
	if found == 0 {
		return nil, errors.New(`ca holds no certificate in PEM ("-----BEGIN CERTIFICATE-----"); file("ca.pem") reads one`)
	}
	return pool, nil
}

// rootsUnless returns the authorities that browsers trust, as they were when this
// program was built, unless the machine has some: then nil, which stands for
// those.
func rootsUnless(machine func() (*x509.CertPool, error)) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	system, err := machine()
	if err == nil && !system.Equal(pool) {
		return nil, nil
	}
	for root := range bundle.Roots() {
		c, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			return nil, fmt.Errorf("an authority that browsers trust: %w", err)
		}
		if root.Constraint == nil {
			pool.AddCert(c)
			continue
		}
		pool.AddCertWithConstraint(c, root.Constraint)
	}
	return pool, nil
}
