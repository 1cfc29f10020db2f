package config

import (
	"net/url"
	"strings"
)

// Remote reports whether the agent may run on another machine: it listens, or has a
// RemoteRoot.
func (a Agent) Remote() bool { return a.Address != "" || a.RemoteRoot != "" }

// Listens returns where the agent listens, for display: its Address without the query,
// which may hold a secret. It is "" if the agent is started with a command.
func (a Agent) Listens() string {
	u, err := url.Parse(a.Address)
	if err != nil {
		return "a URL that cannot be read"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// Words returns the agent's command line, or only its Address if it listens.
func (a Agent) Words() []string {
	if a.Address != "" {
		return []string{a.Address}
	}
	return append([]string{a.Command}, a.Args...)
}

// checkRemote checks the settings of an agent on another machine. It reports whether
// the agent listens, and so is not started.
func (t *table) checkRemote(a Agent) (listens bool) {
	if t.has("remote_root") && !strings.HasPrefix(a.RemoteRoot, "/") {
		t.fail("remote_root", `begin it with "/", as the agent's machine has it`, "is the path %q, which begins nowhere", a.RemoteRoot)
	}
	if a.Address == "" && !t.has("url") { // started with a command
		for _, key := range []string{"headers", "insecure"} {
			if t.has(key) {
				t.fail(key, "remove it, or write url", "has no meaning for an agent that is started with a command")
			}
		}
		for _, key := range []string{"serve_files", "serve_terminals"} {
			if t.has(key) && !t.has("remote_root") {
				t.fail(key, "remove it, or write remote_root or url", "has no meaning for an agent of this machine")
			}
		}
		return false
	}
	if !isAgentURL(a.Address) {
		at := t.at.child("url") // the value may hold a password
		t.doc.record(at, true, "it begins with https://, wss://, http:// or ws://; a name and password go into headers", at.String()+" is not the URL of an agent")
	}
	for _, key := range []string{"command", "args", "env", "cwd"} {
		if t.has(key) {
			t.fail(key, "remove it or remove url", "has no meaning for an agent that listens at a url")
		}
	}
	return true
}

func isAgentURL(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	switch u.Scheme {
	case "http", "https", "ws", "wss":
		return true
	}
	return false
}
