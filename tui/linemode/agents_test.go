package linemode_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/config"
	"parley/internal/app"
	"parley/internal/registry"
	"parley/tui/linemode"
)

// The user chooses an agent among those of this machine and those to install, as on the screen. What
// cannot be installed, or is not, brings the list back.
func TestAnAgentIsChosenOrInstalled(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	dir := t.TempDir()
	raw, err := json.Marshal(map[string]any{
		"url": server.URL, "fetched": "2026-11-01T00:00:00Z", "registry": map[string]any{"version": "1.0.0", "agents": []any{
			map[string]any{
				"id": "demo", "name": "Demo", "version": "1.2.3", "description": "Shows the way", "repository": "https://example.com/demo",
				"distribution": map[string]any{"binary": map[string]any{registry.Platform(runtime.GOOS, runtime.GOARCH): map[string]any{
					"archive": server.URL + "/agent.tar.gz", "sha256": strings.Repeat("0", 64), "cmd": "./agent",
				}}},
			},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "registry.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	r := runs(t, "handshake\nexpect session/prompt\nsay Hello.\nend-turn\n", nil, func(opt *linemode.Options) {
		opt.Agent = nil
		opt.Available = func() ([]config.Agent, error) {
			return []config.Agent{{ID: app.TourID, Name: "The tour", Source: config.SourceBuiltIn}}, nil
		}
		opt.Registry = &registry.Agents{
			Cache: &registry.Cache{URL: server.URL, File: file, Client: server.Client()},
			Dir:   filepath.Join(dir, "agents"), Saved: config.SavedBeside(filepath.Join(dir, "config.toml")),
		}
	})
	const list = "No agent is installed. Take the tour, or install one:\nWhich agent?"
	r.reads(list, "1. Built in: The tour: a two-minute tour: no account needed", "2. Install: Demo: Shows the way", "3. Quit")
	r.looks().reads("Answer 1 to 3").types("2\n").reads("parley asks: Install Demo?", "1. Install and start", "2. Not now")
	r.looks().reads("Answer 1 to 2").types("2\n").reads(list)
	r.looks().reads("Answer 1 to 3").types("2\n").reads("parley asks: Install Demo?")
	r.looks().reads("Answer 1 to 2").types("1\n").reads("parley asks: Demo was not installed", "404")
	r.looks().reads("Answer 1").types("1\n").reads(list)
	r.looks().reads("Answer 1 to 3").types("1\n").reads("Hello.") // the tour begins by itself
	r.types("/agent\n").reads("1. Built in: The tour", "(current)", "3. None")
	r.looks().reads("Answer 1 to 3").types("3\n").types("/status\n").reads("Agent: The tour") // the session stays
}

// Leaving the list that there is first quits.
func TestNoAgentIsChosen(t *testing.T) {
	r := runs(t, "", nil, func(opt *linemode.Options) {
		opt.Agent = nil
		opt.Available = func() ([]config.Agent, error) { return []config.Agent{{ID: "one", Name: "One"}}, nil }
	})
	r.reads("Which agent?\n", "1. New session: One", "2. Quit").looks().reads("Answer 1 to 2").types("2\n").leaves()
}
