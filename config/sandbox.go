package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Sandbox says whether agents and their commands run in the system's sandbox, and what
// they may access besides the session's directories.
type Sandbox struct {
	On bool
	// Write are additional writable paths.
	Write []string
	// Hide are unreadable paths. HideSet says that the user has chosen them, so that
	// nothing less will do.
	Hide    []string
	HideSet bool
	// Offline disables the network.
	Offline bool
}

// AgentSandbox is the sandbox in an agent's own table.
type AgentSandbox struct {
	On, Set bool
	Write   []string
}

// SandboxFor returns the sandbox of an agent: the general one, with the agent's own
// settings, and the directories in which the agent keeps its state.
func (c *Config) SandboxFor(a Agent) Sandbox {
	s := c.Sandbox
	if a.Sandbox.Set {
		s.On = a.Sandbox.On
	}
	s.Write = slices.Concat(s.Write, a.Sandbox.Write, homesOf(a))
	if !s.HideSet {
		s.Hide = hidden()
	}
	return s
}

// path reads an absolute path, which may begin with "~"; "" if there is none.
func (t *table) path(key string) string {
	p := expandHome(t.text(key))
	if p != "" && !filepath.IsAbs(p) {
		t.fail(key, `begin it with "/" or "~/"`, "is not an absolute path: %q", p)
	}
	return p
}

// paths reads a list of absolute paths, which may begin with "~".
func (t *table) paths(key string) []string {
	list := t.texts(key, true)
	for i, p := range list {
		if list[i] = expandHome(p); !filepath.IsAbs(list[i]) {
			t.fail(key, `begin it with "/" or "~/"`, "has a path that is not absolute: %q", p)
		}
	}
	return list
}

// homesOf returns the directories for an agent's own state, and for the programs that
// its package runner downloads.
func homesOf(a Agent) []string {
	var homes []string
	if i := Popularity(a.ID); i < len(knownTable) {
		homes = strings.Fields(knownTable[i].homes)
	}
	switch filepath.Base(a.Command) {
	case "npx", "npm":
		homes = append(homes, ".npm")
	case "uvx", "uv":
		homes = append(homes, ".cache/uv", ".local/share/uv")
	}
	return inHome(homes)
}

// hidden returns the paths that are unreadable in the sandbox by default: keys, and sockets
// of programs outside. What is parley's own is hidden always: see [PrivatePaths].
func hidden() []string {
	paths := inHome([]string{
		".ssh", ".gnupg", ".aws", ".azure", ".config/gcloud", ".kube", ".docker/config.json", ".netrc",
		".password-store", ".local/share/keyrings", ".mozilla", ".config/google-chrome", ".config/chromium",
	})
	return append(paths, "/run/user", "/run/docker.sock", "/run/podman", "/run/containerd")
}

func inHome(paths []string) []string {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	dirs := base()
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = filepath.Join(home, p)
		// The directories of the XDG specification may be elsewhere.
		for prefix, dir := range map[string]string{".config/": dirs.config, ".local/share/": dirs.data, ".local/state/": dirs.state, ".cache/": dirs.cache} {
			if rest, ok := strings.CutPrefix(p, prefix); ok {
				out[i] = filepath.Join(dir, rest)
			}
		}
	}
	return out
}
