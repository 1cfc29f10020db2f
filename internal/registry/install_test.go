package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/config"
)

// secureServer serves over TLS, with a client that trusts it and follows as parley's does.
func secureServer(t *testing.T, h http.Handler) (address string, client *http.Client) {
	t.Helper()
	s := httptest.NewTLSServer(h)
	t.Cleanup(s.Close)
	client = s.Client()
	client.CheckRedirect = newClient().CheckRedirect
	return s.URL, client
}

func planFor(archive, digest string) config.Agent {
	return Entry{
		ID: "demo", Name: "Demo", Version: "1.2.3", License: "MIT", Repository: "https://example.com/demo",
		Distribution: Distribution{Binary: map[string]Target{"linux-x86_64": {Cmd: "bin/agent", Args: []string{"acp"}, Env: map[string]string{"A": "$HOME"}, Archive: archive, SHA256: digest}}},
	}.Plan("linux-x86_64", nothingFound)
}

func TestInstallOfAProgram(t *testing.T) {
	t.Parallel()
	archive := tarGz(t, file("bin/agent", "#!/bin/sh\n"), file("README", "x"))
	sum := sha256.Sum256(archive)
	address, client := secureServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved.tar.gz" {
			http.Redirect(w, r, "/agent.tar.gz?x=1", http.StatusFound)
			return
		}
		_, _ = w.Write(archive)
	}))
	var done int64
	home := t.TempDir()
	in := &Agents{Dir: filepath.Join(home, "agents"), Cache: &Cache{Client: client}, Saved: config.SavedBeside(filepath.Join(home, "config.toml"))}
	first, err := in.install(t.Context(), planFor(address+"/moved.tar.gz", hex.EncodeToString(sum[:])), func(n, _ int64) { done = n })
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(first.Command)
	if err != nil || info.Mode().Perm()&0o100 == 0 || !strings.HasPrefix(first.Command, filepath.Join(in.Dir, "demo", "1.2.3")) {
		t.Errorf("%s: %v, %v", first.Command, info, err)
	}
	if env, err := first.Env.Environ(os.LookupEnv); err != nil || len(env) != 1 || env[0] != "A=$HOME" {
		t.Errorf("the registry can read a variable: %v, %v", env, err)
	}
	if done != int64(len(archive)) || first.Origin.Version != "1.2.3" || first.Origin.License != "MIT" {
		t.Errorf("%+v, %d bytes", first, done)
	}
	// The same once more is beside it.
	second, err := in.install(t.Context(), planFor(address+"/agent.tar.gz", ""), nil)
	if err != nil || second.Command == first.Command {
		t.Fatal(second, err)
	}
	for _, a := range []config.Agent{first, second} {
		if _, err := os.Stat(a.Command); err != nil {
			t.Error(err)
		}
	}
	if _, err := in.Saved.Put(second); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"demo", "demo", "../agents"} {
		if _, err := in.Remove(id); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(in.Dir); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// Nothing is left of what did not succeed.
func TestInstallThatFails(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("asked without TLS") }))
	t.Cleanup(plain.Close)
	mux := http.NewServeMux()
	mux.HandleFunc("/agent.tgz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(tarGz(t, program("bin/agent"))) })
	mux.HandleFunc("/other.tgz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(tarGz(t, program("bin/other"))) })
	mux.HandleFunc("/evil.tgz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(tarGz(t, program("bin/agent"), file("../../evil", "x")))
	})
	mux.HandleFunc("/dir.tgz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(tarGz(t, program("bin/agent/x"))) })
	mux.HandleFunc("/plain.tgz", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, plain.URL+"/a.tgz", http.StatusFound)
	})
	mux.HandleFunc("/round.tgz", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round.tgz", http.StatusFound) })
	mux.HandleFunc("/huge.tgz", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "9000000000") })
	mux.HandleFunc("/short.tgz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte("x"))
	})
	address, client := secureServer(t, mux)
	home := t.TempDir()
	in := &Agents{Dir: filepath.Join(home, "agents"), Cache: &Cache{Client: client}}
	for _, c := range []struct {
		archive, digest, says string
		want                  error
	}{
		{address + "/agent.tgz", strings.Repeat("0", 64), "digest", ErrDigest},
		{address + "/other.tgz", "", "no program bin/agent", nil},
		{address + "/dir.tgz", "", "no program bin/agent", nil},
		{address + "/evil.tgz", "", "leads out", errOutside},
		{address + "/plain.tgz", "", "only https", nil},
		{address + "/round.tgz", "", "redirects", nil},
		{address + "/huge.tgz", "", "too large", errTooLarge},
		{address + "/short.tgz", "", "EOF", nil},
		{address + "/none.tgz", "", "404", nil},
		{plain.URL + "/a.tgz", "", "only https", nil},
		{"https://127.0.0.1:1/a.tgz", "", "offline", ErrOffline},
	} {
		_, err := in.install(t.Context(), planFor(c.archive, c.digest), nil)
		if err == nil || !strings.Contains(err.Error(), c.says) || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.archive, err)
		}
	}
	if left, err := os.ReadDir(filepath.Join(in.Dir, "demo")); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
	if left, err := os.ReadDir(home); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
	// A server whose certificate nobody knows is not believed.
	strange := &Agents{Dir: in.Dir, Cache: &Cache{}}
	if _, err := strange.install(t.Context(), planFor(address+"/agent.tgz", ""), nil); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Error(err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := in.install(stopped, planFor(address+"/agent.tgz", ""), nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A version that cannot be written down takes itself away again, and leaves the one alone
// that was installed before.
// Of two that install the same agent at once, neither removes what the other is making.
func TestTwoInstallsAtOnce(t *testing.T) {
	t.Parallel()
	archive := tarGz(t, file("bin/agent", "#!/bin/sh\n"))
	asked, goOn := make(chan struct{}), make(chan struct{})
	address, client := secureServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow.tar.gz" {
			close(asked)
			<-goOn
		}
		_, _ = w.Write(archive)
	}))
	dir := t.TempDir()
	a := &Agents{Cache: &Cache{Client: client}, Dir: filepath.Join(dir, "agents"), Saved: config.SavedBeside(filepath.Join(dir, "config.toml"))}
	type result struct {
		added config.Agent
		err   error
	}
	slow := make(chan result)
	go func() {
		added, err := a.Install(context.Background(), planFor(address+"/slow.tar.gz", ""), nil)
		slow <- result{added, err}
	}()
	<-asked
	for range 3 { // the last one removes the first
		if _, err := a.Install(t.Context(), planFor(address+"/agent.tar.gz", ""), nil); err != nil {
			t.Fatal(err)
		}
	}
	close(goOn)
	last := <-slow
	if last.err != nil {
		t.Fatal(last.err)
	}
	list, err := a.Saved.Agents()
	if err != nil || len(list) != 1 || list[0].Command != last.added.Command {
		t.Fatalf("%+v, %v", list, err)
	}
	if _, err := os.Stat(last.added.Command); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Join(a.Dir, "demo")); err != nil || len(left) != 3 {
		t.Errorf("%v, %v", left, err) // nothing stood there when the slow one began, so it has removed nothing
	}
}

func TestAnInstallThatCannotBeWrittenDown(t *testing.T) {
	t.Parallel()
	archive := tarGz(t, program("bin/agent"))
	address, client := secureServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive) }))
	home := t.TempDir()
	a := &Agents{
		Cache: &Cache{Client: client}, Dir: filepath.Join(home, "agents"), Saved: config.SavedBeside(filepath.Join(home, "config.toml")),
	}
	first, err := a.Install(t.Context(), planFor(address+"/agent.tgz", ""), nil)
	if err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(home, "saved.toml.lock")
	if err := errors.Join(os.Remove(lock), os.Mkdir(lock, 0o700)); err != nil { // nobody can lock that
		t.Fatal(err)
	}
	if _, err := a.Install(t.Context(), planFor(address+"/agent.tgz", ""), nil); err == nil {
		t.Error("it was written down")
	}
	if _, err := os.Stat(first.Command); err != nil {
		t.Errorf("the one before is gone: %v", err)
	}
	if left, err := os.ReadDir(filepath.Join(a.Dir, "demo")); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}

// Of a package nothing is fetched: what runs is written down, with its version.
func TestInstallOfAPackage(t *testing.T) {
	t.Parallel()
	x, err := Parse(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	e, err := x.Find("auggie")
	if err != nil {
		t.Fatal(err)
	}
	a, err := (&Agents{Dir: "/nowhere/at/all"}).install(t.Context(), e.Plan("linux-x86_64", allFound), nil)
	env, _ := a.Env.Environ(os.LookupEnv)
	if err != nil || a.Command != "npx" || strings.Join(a.Args, " ") != "-y @augmentcode/auggie@"+e.Version+" --acp" || !slices.Equal(env, []string{"AUGMENT_DISABLE_AUTO_UPDATE=1"}) || a.Origin.Dir != "" {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	const one = `{"version": "1.0.0", "agents": [{"id": "one", "name": "One", "version": "1.0.0", "description": "d", "distribution": {"npx": {"package": "one@1.0.0"}}}, 3]}`
	content, full := one, 0
	address, client := secureServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		if content == one && r.Header.Get("If-None-Match") == `"1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		full++
		_, _ = w.Write([]byte(content))
	}))
	s := &Cache{URL: address + "/registry.json", File: filepath.Join(t.TempDir(), "cache", "registry.json"), Client: client}
	if e, err := s.Open(); err != nil || !e.BuiltIn || len(e.Entries) != 0 {
		t.Errorf("what is built in is not what somebody else publishes: %+v, %v", e, err)
	}
	for i, want := range []bool{true, false} {
		e, changed, err := s.Refresh(t.Context())
		if err != nil || changed != want || len(e.Entries) != 1 || len(e.Faults) != 1 || full != 1 {
			t.Fatalf("time %d: %+v, %v, %v, fetched %d times", i, e, changed, err, full)
		}
	}
	if e, err := s.Open(); err != nil || e.BuiltIn || len(e.Entries) != 1 || time.Since(e.Date) > time.Hour {
		t.Errorf("%+v, %v", e, err)
	}
	// What is no registry, and a server that is not there, leave what was known.
	content = `{"version": "7"}`
	if _, _, err := s.Refresh(t.Context()); err == nil {
		t.Error("no error")
	}
	content = strings.Repeat(" ", maxIndex+1)
	if _, _, err := s.Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Error(err)
	}
	if e, err := s.Open(); err != nil || len(e.Entries) != 1 {
		t.Errorf("%+v, %v", e, err)
	}
	public := &Cache{File: s.File}
	if e, err := public.Open(); err != nil || !e.BuiltIn || len(e.Entries) < 20 {
		t.Errorf("%v", err)
	}
	offline := &Cache{URL: "https://127.0.0.1:1/", File: s.File}
	if _, _, err := offline.Refresh(t.Context()); !errors.Is(err, ErrOffline) {
		t.Error(err)
	}
	if err := os.WriteFile(s.File, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if e, err := public.Open(); err == nil || len(e.Entries) < 20 {
		t.Errorf("%v, %v", e, err)
	}
}
