package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adrg/xdg"
)

// Sandbox says whether agents and their commands are put behind the system's
// walls, and what they may touch besides the session's directories.
type Sandbox struct {
	On bool
	// Write are further paths that may be written.
	Write []string
	// Hide are the paths that cannot be read. HideSet says that the person has
	// chosen them, so that nothing less will do.
	Hide    []string
	HideSet bool
	// Offline takes the network away.
	Offline bool
}

// AgentSandbox is what an agent's own part of the file says about it.
type AgentSandbox struct {
	On, Set bool
	Write   []string
}

// SandboxFor is the sandbox of an agent: that of all, with what its own part of the
// file says, and the directories in which the agent keeps its own state.
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

// sandbox reads the sandbox of all agents.
func (t *table) sandbox() Sandbox {
	s := Sandbox{
		On: t.flag("sandbox"), Write: t.paths("sandbox_write"),
		Hide: t.paths("sandbox_hide"), HideSet: t.has("sandbox_hide"),
	}
	network := t.flag("sandbox_network")
	s.Offline = t.has("sandbox_network") && !network
	return s
}

// agentSandbox reads what an agent's own part says.
func (t *table) agentSandbox() AgentSandbox {
	return AgentSandbox{On: t.flag("sandbox"), Set: t.has("sandbox"), Write: t.paths("sandbox_write")}
}

// path reads an absolute path, of which "~" may begin it; "" if there is none.
func (t *table) path(key string) string {
	p := expandHome(t.text(key))
	if p != "" && !filepath.IsAbs(p) {
		t.fail(key, `begin it with "/" or "~/"`, "is the path %q, which begins nowhere", p)
	}
	return p
}

// paths reads a list of absolute paths, of which "~" may begin one.
func (t *table) paths(key string) []string {
	list := t.texts(key, true)
	for i, p := range list {
		if list[i] = expandHome(p); !filepath.IsAbs(list[i]) {
			t.fail(key, `begin it with "/" or "~/"`, "has the path %q, which begins nowhere", p)
		}
	}
	return list
}

// agentHomes are the directories in the home directory in which known agents keep
// sign-in, settings and history, by the agent's ID. Without them they forget who
// signed in.
var agentHomes = map[string][]string{
	"claude": {".claude", ".claude.json"}, "codex": {".codex"}, "gemini": {".gemini"}, "qwen": {".qwen"},
	"opencode": {".config/opencode", ".local/share/opencode", ".local/state/opencode", ".cache/opencode"},
	"copilot":  {".copilot", ".config/github-copilot"}, "cursor": {".cursor", ".config/cursor"},
	"goose": {".config/goose", ".local/share/goose", ".local/state/goose"},
	"kimi":  {".kimi"}, "auggie": {".augment"}, "cline": {".cline"}, "kilo": {".kilocode", ".config/kilo", ".local/share/kilo", ".local/state/kilo"},
	"droid": {".factory"}, "vibe": {".vibe"}, "junie": {".junie"}, "kiro": {".kiro"}, "openhands": {".openhands"},
	"pi": {".pi"}, "crow": {".crow"},
}

// registryIDs are the ids of known agents by those that the registry has for them, where
// the two differ.
var registryIDs = map[string]string{
	"claude-acp": "claude", "codex-acp": "codex", "qwen-code": "qwen", "github-copilot-cli": "copilot",
	"factory-droid": "droid", "mistral-vibe": "vibe", "pi-acp": "pi", "amp-acp": "amp",
}

// KnownAs is the id under which parley knows an agent of the registry; an agent that it
// does not know has the same id.
func KnownAs(registryID string) string {
	if id := registryIDs[registryID]; id != "" {
		return id
	}
	return registryID
}

// homesOf are the directories in which an agent keeps its own state, and in which
// what fetches it keeps the programs.
func homesOf(a Agent) []string {
	homes := slices.Clone(agentHomes[KnownAs(a.ID)])
	switch filepath.Base(a.Command) {
	case "npx", "npm":
		homes = append(homes, ".npm")
	case "uvx", "uv":
		homes = append(homes, ".cache/uv", ".local/share/uv")
	}
	return inHome(homes)
}

// hidden are the paths that nobody may read behind the walls, unless the person
// says otherwise: keys, what parley itself keeps, and doors to programs that stand
// outside.
func hidden() []string {
	paths := inHome([]string{
		".ssh", ".gnupg", ".aws", ".azure", ".config/gcloud", ".kube", ".docker/config.json", ".netrc",
		".password-store", ".local/share/keyrings", ".mozilla", ".config/google-chrome", ".config/chromium",
	})
	return append(paths, filepath.Dir(ConfigFile()), StateDir(), "/run/user", "/run/docker.sock", "/run/podman", "/run/containerd")
}

func inHome(paths []string) []string {
	environment.Lock()
	defer environment.Unlock()
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = filepath.Join(home, p)
		// The directories of the XDG specification may be elsewhere.
		for prefix, base := range map[string]string{".config/": xdg.ConfigHome, ".local/share/": xdg.DataHome, ".local/state/": xdg.StateHome, ".cache/": xdg.CacheHome} {
			if rest, ok := strings.CutPrefix(p, prefix); ok {
				out[i] = filepath.Join(base, rest)
			}
		}
	}
	return out
}
