package config

import "slices"

// Where the arguments in the table come from. "npm" is the package's own list
// of programs in November 2026; "registry" is
// github.com/agentclientprotocol/registry as of February 2026:
//
//	claude      npm; registry: no arguments
//	codex       npm; its README; the package of zed-industries has moved there
//	gemini      geminicli.com/docs/cli/acp-mode (before: --experimental-acp)
//	opencode    registry
//	copilot     docs.github.com, "Copilot CLI ACP server": stdio is what --acp means by default
//	cursor      cursor.com/docs/cli/acp: `agent acp`; cursor-agent is the program's older name
//	goose       block.github.io/goose/docs/guides/acp-clients
//	qwen        qwenlm.github.io/qwen-code-docs/users/integration-zed
//	kimi        kimi.com/code/docs/kimi-code-cli/reference/kimi-acp
//	auggie      docs.augmentcode.com/cli/acp; the variable is the registry's
//	cline       docs.cline.bot/usage/acp
//	kilo        zed.dev/acp/agent/kilo; npm
//	droid       docs.factory.ai/integrations/zed; the variables are the registry's
//	vibe        registry: program vibe-acp, no arguments
//	junie       registry; npm
//	kiro        kiro.dev/docs/cli/acp
//	openhands   docs.openhands.dev/openhands/usage/run-openhands/acp
//	devin       zed.dev/acp/agent/devin
//	amp         zed.dev/acp/agent/amp-acp: program amp-acp, no arguments
//	qoder       docs.qoder.com/cli/acp
//	codebuddy   cloud.tencent.com/document/product/1831/137021
//	fast-agent  pypi.org/project/fast-agent-acp
//	stakpak     registry
//	pi          npm; used without arguments by github.com/openclaw/acpx
//	crow        zed.dev/acp/agent/crow-cli
//
// Not here: crush, whose ACP mode is in open pull requests only; Docker's
// agent, which needs an agent file as an argument and so a line of
// configuration.

// knownTable lists the agents that parley knows how to start, most used first.
var knownTable = []Agent{
	npm("claude", "Claude Code", "claude-agent-acp", "@agentclientprotocol/claude-agent-acp", "https://claude.com/product/claude-code"),
	npm("codex", "Codex CLI", "codex-acp", "@agentclientprotocol/codex-acp", "https://developers.openai.com/codex/cli"),
	npm("gemini", "Gemini CLI", "gemini", "@google/gemini-cli", "https://geminicli.com", "--acp"),
	npm("opencode", "OpenCode", "opencode", "opencode-ai", "https://opencode.ai", "acp"),
	npm("copilot", "GitHub Copilot CLI", "copilot", "@github/copilot", "https://github.com/github/copilot-cli", "--acp"),
	{
		ID: "cursor", Name: "Cursor CLI", Command: "cursor-agent", Args: []string{"acp"},
		InstallHint: "curl https://cursor.com/install -fsS | bash", URL: "https://cursor.com/docs/cli/acp",
	},
	{
		ID: "goose", Name: "Goose", Command: "goose", Args: []string{"acp"},
		InstallHint: "curl -fsSL https://github.com/block/goose/releases/download/stable/download_cli.sh | bash",
		URL:         "https://block.github.io/goose",
	},
	npm("qwen", "Qwen Code", "qwen", "@qwen-code/qwen-code", "https://qwenlm.github.io/qwen-code-docs", "--acp"),
	npm("kimi", "Kimi Code CLI", "kimi", "@moonshot-ai/kimi-code", "https://moonshotai.github.io/kimi-code", "acp"),
	npm("auggie", "Auggie", "auggie", "@augmentcode/auggie", "https://docs.augmentcode.com/cli/acp", "--acp").
		with(map[string]string{"AUGMENT_DISABLE_AUTO_UPDATE": "1"}),
	npm("cline", "Cline", "cline", "cline", "https://docs.cline.bot/usage/acp", "--acp"),
	npm("kilo", "Kilo Code", "kilo", "@kilocode/cli", "https://github.com/Kilo-Org/kilocode", "acp"),
	npm("droid", "Factory Droid", "droid", "droid", "https://docs.factory.ai", "exec", "--output-format", "acp").
		with(map[string]string{"DROID_DISABLE_AUTO_UPDATE": "true", "FACTORY_DROID_AUTO_UPDATE_ENABLED": "false"}),
	{
		ID: "vibe", Name: "Mistral Vibe", Command: "vibe-acp",
		InstallHint: "uv tool install mistral-vibe", URL: "https://docs.mistral.ai/mistral-vibe/introduction/install",
	},
	npm("junie", "Junie", "junie", "@jetbrains/junie", "https://junie.jetbrains.com", "--acp=true"),
	{
		ID: "kiro", Name: "Kiro CLI", Command: "kiro-cli", Args: []string{"acp"},
		InstallHint: "curl -fsSL https://cli.kiro.dev/install | bash", URL: "https://kiro.dev/docs/cli/acp",
	},
	{
		ID: "openhands", Name: "OpenHands", Command: "openhands", Args: []string{"acp"},
		InstallHint: "uv tool install openhands --python 3.12", URL: "https://docs.openhands.dev",
	},
	{
		ID: "devin", Name: "Devin CLI", Command: "devin", Args: []string{"acp"},
		InstallHint: "see https://docs.devin.ai/cli", URL: "https://docs.devin.ai/cli",
	},
	{
		ID: "amp", Name: "Amp", Command: "amp-acp",
		InstallHint: "download it from https://github.com/tao12345666333/amp-acp/releases", URL: "https://ampcode.com",
	},
	npm("qoder", "Qoder CLI", "qodercli", "@qoder-ai/qodercli", "https://docs.qoder.com/cli/acp", "--acp"),
	{
		ID: "codebuddy", Name: "CodeBuddy Code", Command: "codebuddy", Args: []string{"--acp"},
		InstallHint: "see https://cloud.tencent.com/document/product/1831/137021",
		URL:         "https://cloud.tencent.com/document/product/1831/137021",
	},
	{
		ID: "fast-agent", Name: "fast-agent", Command: "fast-agent-acp",
		InstallHint: "uv tool install fast-agent-acp", URL: "https://fast-agent.ai/acp",
		Alternative: []string{"uvx", "fast-agent-acp"},
	},
	{
		ID: "stakpak", Name: "Stakpak", Command: "stakpak", Args: []string{"acp"},
		InstallHint: "cargo install stakpak", URL: "https://stakpak.dev",
	},
	npm("pi", "pi", "pi-acp", "pi-acp", "https://github.com/svkozak/pi-acp"),
	{
		ID: "crow", Name: "crow-cli", Command: "crow-cli", Args: []string{"acp"},
		InstallHint: "uv tool install crow-cli", URL: "https://crow-ai.dev",
	},
}

// Popularity returns the place of a known agent in the order of use, 0 for the most used;
// unknown agents come after all known ones.
func Popularity(id string) int {
	if i := slices.IndexFunc(knownTable, func(a Agent) bool { return a.ID == id }); i >= 0 {
		return i
	}
	return len(knownTable)
}

// knownAgents returns the known agents. The caller may change the slice.
func knownAgents() []Agent {
	agents := slices.Clone(knownTable)
	for i := range agents {
		agents[i].Source = SourceBuiltIn
		agents[i].Args = slices.Clone(agents[i].Args)
	}
	return agents
}

// npm returns an agent that is a package of the npm registry.
func npm(id, name, command, pkg, url string, args ...string) Agent {
	return Agent{
		ID: id, Name: name, Command: command, Args: args, URL: url,
		InstallHint: "npm install -g " + pkg,
		Alternative: append([]string{"npx", "-y", pkg}, args...),
	}
}

func (a Agent) with(env map[string]string) Agent {
	a.Env = NewSecrets(env)
	return a
}

// known returns the agent that has a command without the configuration file: one that is
// saved, or a known one.
func (d *document) known(id string) (Agent, bool) {
	all := slices.Concat(d.saved, knownAgents())
	i := slices.IndexFunc(all, func(a Agent) bool { return a.ID == id })
	if i < 0 {
		return Agent{}, false
	}
	return all[i], true
}

// knows reports whether an agent is known.
func (d *document) knows(id string) bool {
	_, known := d.known(id)
	return known
}
