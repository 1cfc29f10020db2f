package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/internal/registry"
)

// publisher serves a registry of one script over TLS.
type publisher struct {
	mu    sync.Mutex
	files map[string][]byte
}

func (p *publisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	data, ok := p.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write(data)
}

type publisherKey struct{}

// publish publishes a registry with the agents of a file, in which $URL is where it is,
// $PLATFORM is this machine's and $SHA256 is the digest of /agent.tar.gz there: an
// archive of the program bin/agent, which is parley's own agent. parley is configured for
// it the first time.
//
//	publish FILE
func publish(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: publish FILE")
	}
	archive := programArchive(ts)
	p, _ := ts.Value(publisherKey{}).(*publisher)
	if ts.Getenv("URL") == "" {
		s := httptest.NewTLSServer(p)
		ts.Defer(s.Close)
		ts.Setenv("URL", s.URL)
		certificate := ts.MkAbs("certificate.pem")
		ts.Check(os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600))
		ts.Setenv("SSL_CERT_FILE", certificate)
		dir := ts.Getenv("XDG_CONFIG_HOME") + "/parley"
		ts.Check(os.MkdirAll(dir, 0o700))
		ts.Check(os.WriteFile(dir+"/config.toml", fmt.Appendf(nil, "registry = %q\n", s.URL+"/registry.json"), 0o600))
	}
	sum := sha256.Sum256(archive)
	text := strings.NewReplacer("$URL", ts.Getenv("URL"), "$SHA256", hex.EncodeToString(sum[:]), "$PLATFORM", registry.Platform(runtime.GOOS, runtime.GOARCH)).
		Replace(ts.ReadFile(args[0]))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files = map[string][]byte{"/registry.json": []byte(text), "/agent.tar.gz": archive}
}

func programArchive(ts *testscript.TestScript) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	const program = "#!/bin/sh\nexec parley demo-agent \"$@\"\n"
	ts.Check(w.WriteHeader(&tar.Header{Name: "bin/agent", Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(program))}))
	_, err := w.Write([]byte(program))
	ts.Check(err)
	ts.Check(w.Close())
	ts.Check(z.Close())
	return out.Bytes()
}
