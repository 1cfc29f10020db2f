package e2e

import (
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Agent is one agent, ready to be started by a client.
type Agent struct {
	Name string
	Cmd  []string
	// Env is all that the agent needs besides PATH, as KEY=value: its home,
	// the way to the fake model, and nothing that leaves this machine.
	Env []string
	// Home holds the agent's settings and state.
	Home string
}

// OpenCode sets up opencode for a fake model at the URL (without a path). It
// asks before it edits and before it runs a command.
func (a Agents) OpenCode(t testing.TB, modelURL string) Agent {
	t.Helper()
	agent := newAgent(t, "opencode", a.path(a.openCode, "bin", "opencode"), "acp")
	for _, name := range []string{
		"AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE",
	} {
		agent.Env = append(agent.Env, "OPENCODE_DISABLE_"+name+"=1")
	}
	agent.Env = append(agent.Env, "OPENCODE_PURE=1")
	type object = map[string]any
	model := func(name string) object {
		return object{"name": name, "tool_call": true, "reasoning": true, "limit": object{"context": 200_000, "output": 8_000}}
	}
	agent.writeSettings(t, ".config/opencode/opencode.json", object{
		"enabled_providers": []string{"fake"},
		"model":             "fake/fake-model",
		"permission":        object{"edit": "ask", "bash": "ask"},
		"autoupdate":        false,
		"share":             "disabled",
		"provider": object{"fake": object{
			"npm":     "@ai-sdk/openai-compatible",
			"options": object{"baseURL": modelURL + "/v1", "apiKey": "fake"},
			"models":  object{"fake-model": model("Fake Model"), "other-model": model("Other Model")},
		}},
	})
	return agent
}

// Claude sets up the ACP adapter of Claude for a fake model at the URL.
func (a Agents) Claude(t testing.TB, modelURL string) Agent {
	t.Helper()
	agent := newAgent(t, "claude", a.path(a.node, "bin", "node"), a.path("@agentclientprotocol", "claude-agent-acp", "dist", "index.js"))
	agent.Env = append(agent.Env,
		"CLAUDE_CONFIG_DIR="+filepath.Join(agent.Home, ".claude"),
		"ANTHROPIC_BASE_URL="+modelURL, "ANTHROPIC_API_KEY=fake",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1",
		"DISABLE_BUG_COMMAND=1", "DISABLE_INSTALLATION_CHECKS=1", "ENABLE_TOOL_SEARCH=false",
		"CLAUDE_CODE_ENABLE_TODO_TOOLS=1")
	// By default it asks a model instead of its user.
	agent.writeSettings(t, ".claude/settings.json", map[string]any{"permissions": map[string]any{"defaultMode": "default"}})
	return agent
}

// Gemini sets up Gemini CLI for a fake model at the URL.
func (a Agents) Gemini(t testing.TB, modelURL string) Agent {
	t.Helper()
	agent := newAgent(t, "gemini", a.path(a.node, "bin", "node"), a.path("@google", "gemini-cli", "bundle", "gemini.js"), "--acp")
	agent.Env = append(agent.Env,
		"GOOGLE_GEMINI_BASE_URL="+modelURL, "GEMINI_API_KEY=fake-key",
		"GEMINI_TELEMETRY_ENABLED=false", "GEMINI_CLI_NO_RELAUNCH=true", "GEMINI_CLI_TRUST_WORKSPACE=true")
	type object = map[string]any
	agent.writeSettings(t, ".gemini/settings.json", object{
		"security":  object{"auth": object{"selectedType": "gemini-api-key"}},
		"privacy":   object{"usageStatisticsEnabled": false},
		"telemetry": object{"enabled": false},
		"general":   object{"disableAutoUpdate": true, "disableUpdateNag": true},
	})
	return agent
}

// Codex sets up the ACP adapter of Codex for a fake model at the URL. It is installed by
// itself: it is larger than all others together.
func (a Agents) Codex(t testing.TB, modelURL string) Agent {
	t.Helper()
	dir := a.install(t, "codex_"+codexVersion, "@agentclientprotocol/codex-acp@"+codexVersion)
	agent := newAgent(t, "codex", a.path(a.node, "bin", "node"),
		filepath.Join(dir, "node_modules", "@agentclientprotocol", "codex-acp", "dist", "index.js"))
	agent.Env = append(agent.Env, "CODEX_HOME="+filepath.Join(agent.Home, ".codex"), "INITIAL_AGENT_MODE=read-only", "NO_BROWSER=1")
	agent.writeFile(t, ".codex/config.toml", fmt.Appendf(nil, `model = "fake-model"
model_provider = "fake"
check_for_update_on_startup = false
analytics.enabled = false
feedback.enabled = false

[model_providers.fake]
name = "Fake"
base_url = "%s/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`, modelURL))
	return agent
}

// Qwen sets up Qwen Code for a fake model at the URL. It is installed by itself.
func (a Agents) Qwen(t testing.TB, modelURL string) Agent {
	t.Helper()
	dir := a.install(t, "qwen_"+qwenVersion, "@qwen-code/qwen-code@"+qwenVersion)
	agent := newAgent(t, "qwen", a.path(a.node, "bin", "node"), filepath.Join(dir, "node_modules", "@qwen-code", "qwen-code", "cli.js"), "--acp")
	agent.Env = append(agent.Env,
		"OPENAI_BASE_URL="+modelURL+"/v1", "OPENAI_API_KEY=fake-key", "OPENAI_MODEL=fake-model",
		"QWEN_TELEMETRY_ENABLED=false", "QWEN_CODE_NO_RELAUNCH=true", "GEMINI_CLI_NO_RELAUNCH=true")
	type object = map[string]any
	agent.writeSettings(t, ".qwen/settings.json", object{
		"security":  object{"auth": object{"selectedType": "openai"}},
		"model":     object{"name": "fake-model"},
		"privacy":   object{"usageStatisticsEnabled": false},
		"telemetry": object{"enabled": false},
		"general":   object{"disableAutoUpdate": true, "disableUpdateNag": true, "enableAutoUpdate": false},
	})
	return agent
}

//go:embed sdkagent/*.mjs
var sdkAgent embed.FS

// SDK sets up a small agent on the protocol's TypeScript package, which speaks both
// versions. It needs no model: it does what a prompt names.
func (a Agents) SDK(t testing.TB) Agent {
	t.Helper()
	// Where it stands it finds the package.
	dir, err := os.MkdirTemp(a.sdk, "agent-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.CopyFS(dir, sdkAgent); err != nil {
		t.Fatal(err)
	}
	return newAgent(t, "sdk", a.path(a.node, "bin", "node"), filepath.Join(dir, "sdkagent", "agent.mjs"))
}

// Listen has the agent of SDK listen until the test ends: over WebSocket and over
// streamable HTTP, at one address of this machine. What crosses the network is noted in
// the file wire, as a tap of the package e2e does.
func (agent Agent) Listen(t testing.TB, wire string) (address string) {
	t.Helper()
	cmd := exec.Command(agent.Cmd[0], append(agent.Cmd[1:], "listen")...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "WIRE=" + wire}, agent.Env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if _, err := fmt.Fscanln(out, &address); err != nil {
		t.Fatalf("the agent does not say where it listens: %v", err)
	}
	return address
}

func newAgent(t testing.TB, name string, cmd ...string) Agent {
	t.Helper()
	home := t.TempDir()
	return Agent{Name: name, Cmd: cmd, Home: home, Env: []string{
		"HOME=" + home,
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"XDG_DATA_HOME=" + filepath.Join(home, ".local", "share"),
		"XDG_STATE_HOME=" + filepath.Join(home, ".local", "state"),
		"XDG_CACHE_HOME=" + filepath.Join(home, ".cache"),
		"DO_NOT_TRACK=1", "NO_PROXY=127.0.0.1,localhost",
	}}
}

func (agent Agent) writeSettings(t testing.TB, name string, settings any) {
	t.Helper()
	data, err := json.MarshalIndent(settings, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	agent.writeFile(t, name, data)
}

func (agent Agent) writeFile(t testing.TB, name string, data []byte) {
	t.Helper()
	path := filepath.Join(agent.Home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
