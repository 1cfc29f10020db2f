package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSandboxFor(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, "")
	}
	secret := func(name string) string {
		path := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	secret("README")
	c := parse(t, `
sandbox = true
sandbox_write = ["~/go"]
[agents.claude]
command = "npx"
sandbox_write = "/data"
[agents.mine]
command = "mine"
sandbox = false
`)
	claude := c.SandboxFor(c.Agents[0])
	if !claude.On || claude.Offline || claude.HideSet {
		t.Errorf("%+v", claude)
	}
	for _, want := range []string{filepath.Join(home, "go"), "/data", filepath.Join(home, ".claude"), filepath.Join(home, ".npm")} {
		if !slices.Contains(claude.Write, want) {
			t.Errorf("%s cannot be written: %v", want, claude.Write)
		}
	}
	for _, name := range []string{"deploy.pem", ".env.local", ".cargo/credentials.toml", ".local/share/keyrings/login.keyring", ".config/google-chrome-beta/Cookies", ".gemini/oauth_creds.json"} {
		secret(name)
	}
	claude = c.SandboxFor(c.Agents[0])
	for _, want := range []string{
		".ssh", ".git-credentials", ".npmrc", ".config/gh/hosts.yml", "deploy.pem", ".env.local", ".cargo/credentials.toml", ".config/op", ".local/share/keyrings",
		".config/google-chrome-beta", ".pulumi/credentials.json", ".config/vercel", ".bash_history", ".minikube", ".codex/auth.json", ".gemini/oauth_creds.json", "/run/user",
	} {
		if want[0] != '/' {
			want = filepath.Join(home, want)
		}
		if !slices.Contains(claude.Hide, want) {
			t.Errorf("%s is not hidden: %v", want, claude.Hide)
		}
	}
	for _, free := range []string{"README", ".claude/.credentials.json", ".git/config"} { // the second is its own
		if slices.Contains(claude.Hide, filepath.Join(home, free)) {
			t.Errorf("%s is hidden", free)
		}
	}
	if mine := c.SandboxFor(c.Agents[1]); mine.On {
		t.Errorf("%+v", mine)
	}
	c = parse(t, "sandbox_hide = []\nsandbox_network = false")
	if s := c.SandboxFor(Agent{}); s.On || !s.Offline || !s.HideSet || len(s.Hide) > 0 {
		t.Errorf("%+v", s)
	}
}

func TestSandboxPathsBeginSomewhere(t *testing.T) {
	_, err := Parse("x", []byte(`sandbox_write = ["go"]`), TestActions)
	const want = `x:1:17: sandbox_write has a path that is not absolute: "go": begin it with "/" or "~/"`
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestWorktreeDirectory(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	if c, err := Parse("x", []byte(`worktree_directory = "~/trees"`), TestActions); err != nil || c.Worktrees != "/home/me/trees" {
		t.Errorf("%v, %v", c, err)
	}
	_, err := Parse("x", []byte(`worktree_directory = "trees"`), TestActions)
	const want = `x:1:22: worktree_directory is not an absolute path: "trees": begin it with "/" or "~/"`
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
