package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"parley/internal/policy"
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
		s.Hide = hidden(s.Write)
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

// secrets are the patterns of policy.Secrets below the home directory, without those of a project.
func secrets() []string {
	return slices.DeleteFunc(slices.Clone(policy.Secrets), func(p string) bool {
		return strings.HasPrefix(p, "!") || strings.HasPrefix(p, ".git/") || strings.HasPrefix(p, ".hg/")
	})
}

// hiddenSockets are the directories of sockets of programs outside.
var hiddenSockets = []string{"/run/user", "/run/docker.sock", "/run/podman", "/run/containerd"}

// hidden returns the paths that are unreadable in the sandbox by default: the secrets that there
// are, except for sign-ins below what the agent may write, and sockets. What is parley's own is
// hidden always: see [PrivatePaths].
func hidden(write []string) (paths []string) {
	for _, pattern := range secrets() {
		var found []string
		for _, one := range policy.Alternatives(pattern) {
			if home, rest := splitHome(one); home != "" && strings.Contains(one, "*") {
				names, _ := doublestar.Glob(os.DirFS(home), rest, doublestar.WithNoFollow()) // the patterns are valid
				for _, name := range names {
					found = append(found, filepath.Join(home, name))
				}
			} else {
				found = append(found, inHome([]string{one})...)
			}
		}
		if slices.Contains(policy.SignIns, pattern) {
			found = slices.DeleteFunc(found, func(path string) bool {
				return slices.ContainsFunc(write, func(dir string) bool {
					rel, err := filepath.Rel(dir, path)
					return err == nil && filepath.IsLocal(rel)
				})
			})
		}
		paths = append(paths, found...)
	}
	return append(paths, hiddenSockets...)
}

// inHome returns paths in the home directory; none if that is unknown.
func inHome(paths []string) (out []string) {
	for _, p := range paths {
		if home, rest := splitHome(p); home != "" {
			out = append(out, filepath.Join(home, rest))
		}
	}
	return out
}

// splitHome returns what a path in the home directory is relative to, and the rest of it. The
// directories of the XDG specification may be elsewhere. home is "" if it is unknown.
func splitHome(path string) (home, rest string) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", path
	}
	dirs := base()
	for prefix, dir := range map[string]string{".config/": dirs.config, ".local/share/": dirs.data, ".local/state/": dirs.state, ".cache/": dirs.cache} {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			return dir, rest
		}
	}
	return home, path
}
