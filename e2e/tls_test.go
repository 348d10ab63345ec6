package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"testing"
	"time"
)

// TestACertificateIsTrustedWhereTheFileSaysSo has a node with a certificate of
// its own authority. What is asked from the engine and what an agent sends take it
// if they are given that, and not otherwise.
func TestACertificateIsTrustedWhereTheFileSaysSo(t *testing.T) {
	needDocker(t)
	t.Parallel()
	certificate, key := selfSigned(t, "web")
	r := scenarioRun(t, dockerLimit, nil, write(t, "tls.hcl", fmt.Sprintf(`scenario "tls" {}

locals {
  ca  = %[2]q
  key = %[3]q

  server = <<-EOT
import http.server, ssl
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"up 1\n")
server = http.server.ThreadingHTTPServer(("", 8443), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("/ca.pem", "/key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
  EOT
}

node "web" {
  image   = %[1]q
  command = ["python3", "-c", local.server]
  files   = { "/ca.pem" = local.ca, "/key.pem" = local.key }
  ready { https = ":8443/" }
}

probe "http" "strict" { url = "https://web:8443/" }

probe "http" "trusting" {
  url = "https://web:8443/"
  ca  = local.ca
}

probe "metrics" "careless" {
  url      = "https://${node.web.ip}:8443/"
  insecure = true
}

workload "http" "clients" {
  url  = "https://web:8443/"
  ca   = local.ca
  rate = 20
}

workload "http" "strangers" {
  url      = "https://web:8443/"
  rate     = 20
  baseline = 0
}

action "http" "once" {
  url = "https://web:8443/"
  ca  = local.ca
}

assert "trusted_where_told" {
  condition = probe.trusting.ok && probe.careless.values.up == 1 && workload.clients.ok >= 20 && workload.clients.failed == 0
}

assert "not_trusted_elsewhere" {
  condition = !probe.strict.ok && strcontains(probe.strict.error, "unknown authority") && workload.strangers.ok == 0 && workload.strangers.failed > 0
  within    = "10s"
}
`, baseImage(t), certificate, key)))
	r.wantExit(t, 0)
	wantNothingLeft(t, r.summary.RunID)
}

// selfSigned makes a certificate for a host that is its own authority, and its
// key, in PEM.
func selfSigned(t *testing.T, host string) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(kind string, bytes []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}))
	}
	return encode("CERTIFICATE", der), encode("PRIVATE KEY", secret)
}
