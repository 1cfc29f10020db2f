package config

import (
	"slices"
	"strings"
)

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

// knownAgent is an agent that parley knows how to start.
type knownAgent struct {
	id, name string
	// program starts it with args, which spaces separate.
	program, args string
	// install is the command that installs it, or where to get it, and url a page about it.
	install, url string
	// registry is its id in the registry, if that is another one; unlisted means that it is not there.
	registry string
	unlisted bool
	// homes are the directories below the home directory, separated by spaces, where it keeps
	// sign-in, settings and history. Without them, agents in the sandbox lose the sign-in.
	homes string
	env   map[string]string
}

// knownTable lists the agents that parley knows how to start, most used first.
var knownTable = []knownAgent{
	{id: "claude", name: "Claude Code", program: "claude-agent-acp", registry: "claude-acp", homes: ".claude .claude.json", install: npm + "@agentclientprotocol/claude-agent-acp", url: "https://claude.com/product/claude-code"},
	{id: "codex", name: "Codex CLI", program: "codex-acp", registry: "codex-acp", homes: ".codex", install: npm + "@agentclientprotocol/codex-acp", url: "https://developers.openai.com/codex/cli"},
	{id: "gemini", name: "Gemini CLI", program: "gemini", args: "--acp", homes: ".gemini", install: npm + "@google/gemini-cli", url: "https://geminicli.com"},
	{id: "opencode", name: "OpenCode", program: "opencode", args: "acp", homes: ".config/opencode .local/share/opencode .local/state/opencode .cache/opencode", install: npm + "opencode-ai", url: "https://opencode.ai"},
	{id: "copilot", name: "GitHub Copilot CLI", program: "copilot", args: "--acp", registry: "github-copilot-cli", homes: ".copilot .config/github-copilot", install: npm + "@github/copilot", url: "https://github.com/github/copilot-cli"},
	{id: "cursor", name: "Cursor CLI", program: "cursor-agent", args: "acp", homes: ".cursor .config/cursor", install: "curl https://cursor.com/install -fsS | bash", url: "https://cursor.com/docs/cli/acp"},
	{id: "goose", name: "Goose", program: "goose", args: "acp", homes: ".config/goose .local/share/goose .local/state/goose", install: "curl -fsSL https://github.com/block/goose/releases/download/stable/download_cli.sh | bash", url: "https://block.github.io/goose"},
	{id: "qwen", name: "Qwen Code", program: "qwen", args: "--acp", registry: "qwen-code", homes: ".qwen", install: npm + "@qwen-code/qwen-code", url: "https://qwenlm.github.io/qwen-code-docs"},
	{id: "kimi", name: "Kimi Code CLI", program: "kimi", args: "acp", homes: ".kimi", install: npm + "@moonshot-ai/kimi-code", url: "https://moonshotai.github.io/kimi-code"},
	{id: "auggie", name: "Auggie", program: "auggie", args: "--acp", homes: ".augment", install: npm + "@augmentcode/auggie", url: "https://docs.augmentcode.com/cli/acp", env: map[string]string{"AUGMENT_DISABLE_AUTO_UPDATE": "1"}},
	{id: "cline", name: "Cline", program: "cline", args: "--acp", homes: ".cline", install: npm + "cline", url: "https://docs.cline.bot/usage/acp"},
	{id: "kilo", name: "Kilo Code", program: "kilo", args: "acp", homes: ".kilocode .config/kilo .local/share/kilo .local/state/kilo", install: npm + "@kilocode/cli", url: "https://github.com/Kilo-Org/kilocode"},
	{
		id: "droid", name: "Factory Droid", program: "droid", args: "exec --output-format acp", registry: "factory-droid", homes: ".factory", install: npm + "droid", url: "https://docs.factory.ai",
		env: map[string]string{"DROID_DISABLE_AUTO_UPDATE": "true", "FACTORY_DROID_AUTO_UPDATE_ENABLED": "false"},
	},
	{id: "vibe", name: "Mistral Vibe", program: "vibe-acp", registry: "mistral-vibe", homes: ".vibe", install: "uv tool install mistral-vibe", url: "https://docs.mistral.ai/mistral-vibe/introduction/install"},
	{id: "junie", name: "Junie", program: "junie", args: "--acp=true", homes: ".junie", install: npm + "@jetbrains/junie", url: "https://junie.jetbrains.com"},
	{id: "kiro", name: "Kiro CLI", program: "kiro-cli", args: "acp", unlisted: true, homes: ".kiro", install: "curl -fsSL https://cli.kiro.dev/install | bash", url: "https://kiro.dev/docs/cli/acp"},
	{id: "openhands", name: "OpenHands", program: "openhands", args: "acp", unlisted: true, homes: ".openhands", install: "uv tool install openhands --python 3.12", url: "https://docs.openhands.dev"},
	{id: "devin", name: "Devin CLI", program: "devin", args: "acp", install: "see https://docs.devin.ai/cli", url: "https://docs.devin.ai/cli"},
	{id: "amp", name: "Amp", program: "amp-acp", registry: "amp-acp", install: "download it from https://github.com/tao12345666333/amp-acp/releases", url: "https://ampcode.com"},
	{id: "qoder", name: "Qoder CLI", program: "qodercli", args: "--acp", unlisted: true, install: npm + "@qoder-ai/qodercli", url: "https://docs.qoder.com/cli/acp"},
	{id: "codebuddy", name: "CodeBuddy Code", program: "codebuddy", args: "--acp", unlisted: true, install: "see https://cloud.tencent.com/document/product/1831/137021", url: "https://cloud.tencent.com/document/product/1831/137021"},
	{id: "fast-agent", name: "fast-agent", program: "fast-agent-acp", install: "uv tool install fast-agent-acp", url: "https://fast-agent.ai/acp"},
	{id: "stakpak", name: "Stakpak", program: "stakpak", args: "acp", install: "cargo install stakpak", url: "https://stakpak.dev"},
	{id: "pi", name: "pi", program: "pi-acp", registry: "pi-acp", homes: ".pi", install: npm + "pi-acp", url: "https://github.com/svkozak/pi-acp"},
	{id: "crow", name: "crow-cli", program: "crow-cli", args: "acp", unlisted: true, homes: ".crow", install: "uv tool install crow-cli", url: "https://crow-ai.dev"},
}

const npm = "npm install -g "

// agent returns the agent that the row describes.
func (k knownAgent) agent() Agent {
	return Agent{
		ID: k.id, Name: k.name, Command: k.program, Args: strings.Fields(k.args), Env: NewSecrets(k.env),
		InstallHint: k.install, URL: k.url, Source: SourceBuiltIn,
	}
}

// knownAgents returns the known agents. The caller may change the slice.
func knownAgents() []Agent {
	agents := make([]Agent, len(knownTable))
	for i, k := range knownTable {
		agents[i] = k.agent()
	}
	return agents
}

// Popularity returns the place of a known agent in the order of use, 0 for the most used;
// unknown agents come after all known ones. word is any of its names: parley's short one, the
// registry's, its own, or that of its program.
func Popularity(word string) int {
	if i := slices.IndexFunc(knownTable, func(k knownAgent) bool {
		return slices.ContainsFunc([]string{k.id, k.registry, k.name, k.program}, func(name string) bool { return name != "" && strings.EqualFold(name, word) })
	}); i >= 0 {
		return i
	}
	return len(knownTable)
}

// KnownAs returns parley's id for an agent, by any of the names that Popularity takes; for an
// unknown agent, the same name.
func KnownAs(word string) string {
	if i := Popularity(word); i < len(knownTable) {
		return knownTable[i].id
	}
	return word
}

// KnownName returns the name that parley has for a known agent, or else the one that somebody else has.
func KnownName(id, name string) string {
	if i := Popularity(id); i < len(knownTable) {
		return knownTable[i].name
	}
	return name
}

// InstallText says how to install a known agent that is not on this machine, parley's own installer
// first; "" if the user starts it in a way of their own.
func (a Agent) InstallText() string {
	switch {
	case a.Installable():
		return "To install it: parley agents install " + a.ID + "\nOr: " + a.InstallHint
	case a.InstallHint != "":
		return "To install it: " + a.InstallHint
	}
	return ""
}

// Installable reports whether it is a known agent of the registry, which parley can install.
func (a Agent) Installable() bool {
	i := Popularity(a.ID)
	return a.InstallHint != "" && i < len(knownTable) && !knownTable[i].unlisted
}

// known returns the agent that has a command without the configuration file: one that is
// saved, under any of its names if it was installed, or a known one.
func (d *document) known(id string) (Agent, bool) {
	all := slices.Concat(d.saved, knownAgents())
	i := slices.IndexFunc(d.saved, func(a Agent) bool { return a.ID == id })
	if i < 0 {
		i = slices.IndexFunc(all, func(a Agent) bool { return a.Source != SourceConfigured && SameAgent(a.ID, id) })
	}
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
