package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"parley/internal/registry"
	"parley/internal/test"
	"parley/internal/test/ptytest"
	"parley/tui/theme"
)

// withRegistry starts parley without an agent, with a registry of its own that was
// fetched: it has the agent Demo, which is parley's tour, and one whose download is not
// what it should be.
func withRegistry(t *testing.T) *Parley {
	t.Helper()
	bin := test.Parley(t)
	home, project := resolved(t, t.TempDir()), resolved(t, t.TempDir())
	archive := shellProgram(t, fmt.Sprintf("#!/bin/sh\nexec %s demo-agent\n", bin))
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/agent.tar.gz" {
			_, _ = w.Write(archive)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	sum := sha256.Sum256(archive)
	entry := func(id, name, digest string) string {
		return fmt.Sprintf(`{"id": %q, "name": %q, "version": "1.2.3", "description": "Shows the way", "license": "MIT", "repository": "https://example.com/demo",
			"distribution": {"binary": {%q: {"archive": "%s/agent.tar.gz", "sha256": %q, "cmd": "./bin/agent"}}}}`,
			id, name, registry.Platform(runtime.GOOS, runtime.GOARCH), s.URL, digest)
	}
	must(t, os.MkdirAll(filepath.Join(home, ".config", "parley"), 0o700))
	must(t, os.MkdirAll(filepath.Join(home, ".cache", "parley"), 0o700))
	must(t, os.WriteFile(filepath.Join(home, ".config", "parley", "config.toml"), fmt.Appendf(nil, "registry = %q\n[agents.lost]\ncommand = \"no-such-agent\"\n", s.URL), 0o600))
	must(t, os.WriteFile(filepath.Join(home, ".cache", "parley", "registry.json"), fmt.Appendf(nil,
		`{"url": %q, "fetched": "2026-11-01T00:00:00Z", "registry": {"version": "1.0.0", "agents": [%s, %s]}}`,
		s.URL, entry("demo", "Demo", fmt.Sprintf("%x", sum)), entry("forged", "Forged", fmt.Sprintf("%064d", 0))), 0o600))
	certificate := filepath.Join(home, "certificate.pem")
	must(t, os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600))
	return &Parley{t: t, project: home, focused: hex(theme.New(true).BorderFocused), Terminal: ptytest.Start(t, ptytest.Options{
		Cmd: []string{bin}, Dir: project, Home: home, Env: []string{"PARLEY_DEMO_SPEED=0", "SSL_CERT_FILE=" + certificate, noAgents(t)},
	})}
}

// shellProgram is an archive of the program bin/agent.
func shellProgram(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	must(t, w.WriteHeader(&tar.Header{Name: "bin/agent", Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(text))}))
	_, err := w.Write([]byte(text))
	must(t, err)
	must(t, w.Close())
	must(t, z.Close())
	return out.Bytes()
}

// An agent of the registry is chosen, shown in full, installed and started; the next time
// it is one of this machine.
func TestInstallsAnAgentOfTheRegistry(t *testing.T) {
	t.Parallel()
	p := withRegistry(t)
	p.Shows("Choose an agent", "more agents…", "no-such-agent is not installed, or not on PATH")
	p.Type("demo").Shows("❯   Demo", "parley agents install demo").Press("enter")
	p.Question("Install Demo?", "licence    MIT", "https://127.0.0.1", "sha256", "runs", "/agents/demo/1.2.3-…/bin/agent").Answer("Install and start")
	p.Shows("I am the tour")
	p.Press("ctrl+d").Exits(0)
	if made, err := filepath.Glob(filepath.Join(p.project, ".local", "share", "parley", "agents", "demo", "1.2.3-*", "bin", "agent")); err != nil || len(made) != 1 {
		t.Errorf("%v, %v", made, err)
	}
}

// What is not what the registry describes is not installed, and the user is told.
func TestRefusesAForgedAgent(t *testing.T) {
	t.Parallel()
	p := withRegistry(t)
	p.Shows("Choose an agent", "more agents…").Type("forged").Shows("❯   Forged").Press("enter")
	p.Question("Install Forged?").Answer("Install and start")
	p.Question("Forged was not installed", "does not match the digest").Answer("Go back")
	p.Shows("Choose an agent", "❯   Forged").Gone("was not installed")
	if made, err := filepath.Glob(filepath.Join(p.project, ".local", "share", "parley", "agents", "forged", "*")); err != nil || len(made) != 0 {
		t.Errorf("%v, %v", made, err)
	}
}
