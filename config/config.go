// Package config reads the configuration: agents and how to start them, themes, keys,
// rules. It parses the file strictly, knows the common agents, and says where parley
// keeps its own files.
package config

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"parley/internal/policy"
)

// Config is the whole configuration. It does not change after loading, and is then safe
// for concurrent use.
type Config struct {
	// Themes selects the colours.
	Themes        Themes
	MarkdownStyle MarkdownStyle
	// Attention configures notifications.
	Attention Attention
	// Glyphs selects the characters for symbols.
	Glyphs Glyphs
	// ReducedMotion turns animations off.
	ReducedMotion bool
	// Vim edits the prompt with vim's keys.
	Vim bool
	// Plain writes lines of text instead of drawing a screen.
	Plain bool
	// Inline leaves the conversation in the terminal's scrollback and draws only at its
	// end.
	Inline bool
	// NoMouse leaves the mouse to the terminal.
	NoMouse bool
	// NoJournal turns off the journal of agents' changes. JournalBytes bounds the disk
	// space of all journals, JournalAge how long they are kept; 0 means parley's
	// default.
	NoJournal    bool
	JournalBytes int64
	JournalAge   time.Duration
	// DefaultAgent is the ID of the agent to start when none is named, or "". It is the
	// ID of a configured or of a known agent.
	DefaultAgent string
	// Agents are the configured agents, in the order of the file.
	Agents []Agent
	// Registry is the URL of the agent registry; "" for the public one.
	Registry string
	// MCP are the servers for all agents, in the order of the file.
	MCP []MCPServer
	// Files selects the files that agents may only use after the user agrees.
	Files Files
	Keys  Keys
	// Store says which sessions are kept.
	Store Store
	// Sandbox applies to all agents; see [Config.SandboxFor].
	Sandbox Sandbox
	// Worktrees is the directory for git worktrees; "" for one beside each repository.
	Worktrees string
	// Rules say what agents may do without asking. Their sources name file and line.
	Rules []policy.Rule
}

// Glyphs selects the characters for symbols.
type Glyphs string

// GlyphsAuto follows the environment.
const (
	GlyphsAuto    Glyphs = "auto"
	GlyphsUnicode Glyphs = "unicode"
	GlyphsASCII   Glyphs = "ascii"
)

// Default returns the configuration without a file.
func Default() *Config {
	return &Config{Themes: DefaultThemes(), Attention: DefaultAttention(), Glyphs: GlyphsAuto, Keys: DefaultKeys(), Store: DefaultStore()}
}

// maxFileSize bounds the configuration file, in bytes. It is far above any real file,
// and keeps a wrong path from filling the memory.
const maxFileSize = 256 << 10

// Load reads the configuration file at path. A missing file means the default
// configuration. Load reports everything wrong with the file at once, as [*Error]
// values joined with [errors.Join]; a file that cannot be read is one [*Error]. Unless
// the file says otherwise, GLAMOUR_STYLE sets the style of Markdown and
// PREFERS_REDUCED_MOTION turns animations off.
func Load(path string) (*Config, error) {
	c, err := load(path)
	if err == nil && os.Getenv(motionVariable) != "" {
		c.ReducedMotion = true
	}
	if err == nil && c.MarkdownStyle.Name == "" {
		c.MarkdownStyle, err = styleFromEnvironment()
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// motionVariable is the environment variable that turns animations off. CSS uses the
// same name for that preference.
const motionVariable = "PREFERS_REDUCED_MOTION"

func load(path string) (*Config, error) {
	data, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist): // like an empty file
	case err != nil:
		return nil, &Error{File: printable(path), Message: "cannot be read: " + printable(reason(err))}
	}
	added, err := AddedBeside(path).Agents()
	if err != nil {
		return nil, err
	}
	return parseWith(path, data, added)
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.New("it is a directory")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	if err == nil && len(data) > maxFileSize {
		err = fmt.Errorf("it is larger than %d KiB", maxFileSize>>10)
	}
	return data, err
}

// reason returns err without the path, which the message already begins with.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// Parse reads a configuration from data. file is its name in errors, which are those of
// [Load]; relative paths start at its directory.
func Parse(file string, data []byte) (*Config, error) { return parseWith(file, data, nil) }

// parseWith is Parse with the agents of an AddedFile.
func parseWith(file string, data []byte, added []Added) (*Config, error) {
	d, root := open(file, data)
	if root == nil {
		return nil, d.err()
	}
	d.added = added
	c := &Config{
		Themes:        root.themes(file),
		Attention:     root.attention(),
		Glyphs:        oneOf(root, "glyphs", GlyphsAuto, GlyphsAuto, GlyphsUnicode, GlyphsASCII),
		ReducedMotion: root.flag("reduced_motion"),
		MarkdownStyle: root.markdownStyle(filepath.Dir(file)),
		Vim:           root.flag("vim"),
		Plain:         root.flag("plain"),
		Inline:        root.flag("inline"),
		NoMouse:       root.off("mouse"),
		NoJournal:     root.off("journal"),
		JournalBytes:  root.number("journal_megabytes", maxMegabytes) << 20,
		JournalAge:    time.Duration(root.number("journal_days", maxDays)) * 24 * time.Hour,
		Agents:        root.agents(),
		Registry:      root.registry(),
		MCP:           root.mcpServers(),
		Files:         root.files(),
		Store:         root.store(),
		Sandbox:       root.sandbox(),
		Worktrees:     root.path("worktree_directory"),
		Rules:         root.rules(),
	}
	c.Rules = slices.Clip(c.Rules)
	for _, a := range c.Agents {
		c.Rules = append(c.Rules, a.Rules...)
	}
	c.DefaultAgent = root.defaultAgent(c)
	for i := range c.Agents {
		c.Agents[i] = c.mark(c.Agents[i])
	}
	c.Keys = root.keyBindings()
	root.done()
	if err := d.err(); err != nil {
		return nil, err
	}
	return c, nil
}

// Bounds of numbers in the configuration.
const (
	maxMegabytes = 1 << 20
	maxDays      = 36_500
)

// off reads a switch that is on by default and reports whether it is off.
func (t *table) off(key string) bool {
	on := t.flag(key)
	return t.has(key) && !on
}

// agents reads [agents.ID].
func (t *table) agents() []Agent {
	var agents []Agent
	var marked *table
	for _, a := range t.children("agents") {
		agent := a.agent()
		if agent.Default {
			if marked != nil {
				a.fail("default", fmt.Sprintf("keep it on one of %q and %q", marked.name(), a.name()),
					"sets a second default agent")
			}
			marked = a
		}
		agents = append(agents, agent)
	}
	for _, a := range t.doc.added {
		if !slices.ContainsFunc(agents, func(own Agent) bool { return own.ID == a.ID }) {
			agents = append(agents, a.Agent())
		}
	}
	return agents
}

func (t *table) agent() Agent {
	known, isKnown := t.doc.known(t.name())
	a := Agent{
		ID:       t.name(),
		Name:     t.text("name"),
		Command:  t.text("command"),
		Args:     t.texts("args", false),
		Cwd:      expandHome(t.text("cwd")),
		Env:      t.secrets("env", isEnvName),
		Address:  t.text("url"),
		Headers:  t.secrets("headers", isHeaderName),
		Default:  t.flag("default"),
		Source:   SourceConfigured,
		Sandbox:  AgentSandbox{On: t.flag("sandbox"), Set: t.has("sandbox"), Write: t.paths("sandbox_write")},
		Protocol: oneOf(t, "protocol", "", ProtocolV1, ProtocolAuto),
		Mode:     t.text("mode"),
		Options:  t.optionValues(),
		MCP:      t.mcpServers(),
		Roots:    t.paths("roots"),
		Rules:    t.agentRules(),
	}
	a.Insecure, a.ServeFiles, a.ServeTerminals = t.flag("insecure"), t.flag("serve_files"), t.flag("serve_terminals")
	a.RemoteRoot = t.text("remote_root")
	t.done()
	if !isKnown {
		a.Name = cmp.Or(a.Name, a.ID)
	}
	if known.Address != "" && !t.has("command") && !t.has("url") { // it listens
		a.Name = cmp.Or(a.Name, known.Name)
		a.Address, a.Headers, a.Insecure = known.Address, a.Headers.over(known.Headers), a.Insecure || known.Insecure
	}
	if t.checkRemote(a) {
		return a
	}
	if isKnown {
		a = a.withKnown(known, t.has("command"), t.has("args"))
	}
	switch {
	case t.has("command") && t.values["command"] == "":
		t.fail("command", "name the program that starts the agent", "is empty")
	case a.Command == "" && !t.has("command"):
		t.doc.fail(t.at, `write command = "…", or url = "…" if it listens`, "%s has no command", t.at)
	}
	return a
}

// withKnown fills in from parley's table what the user left out about an agent.
// Arguments belong to their command: a command of the user's own gets none of ours.
func (a Agent) withKnown(known Agent, ownCommand, ownArgs bool) Agent {
	a.Name, a.URL = cmp.Or(a.Name, known.Name), known.URL
	if ownCommand {
		return a
	}
	a.Command, a.InstallHint, a.Alternative, a.Origin = known.Command, known.InstallHint, known.Alternative, known.Origin
	a.Cwd = cmp.Or(a.Cwd, known.Cwd)
	if !ownArgs {
		a.Args = known.Args
	}
	a.Env = a.Env.over(known.Env)
	return a
}

// defaultAgent returns the default agent: the one that default_agent names, or the one
// that is marked.
func (t *table) defaultAgent(c *Config) string {
	marked := ""
	for _, a := range c.Agents {
		if a.Default {
			marked = a.ID
		}
	}
	named := t.text("default_agent")
	if !t.has("default_agent") {
		return marked
	}
	agent, err := c.Agent(named)
	var unknown *UnknownAgentError
	switch {
	case named == "" && t.values["default_agent"] == "":
		t.fail("default_agent", "name an agent or leave the line out", "is empty")
	case errors.As(err, &unknown) && named != "":
		t.fail("default_agent", unknown.Hint(), "names no agent: %q", named)
	case marked != "" && agent.ID != marked:
		t.fail("default_agent", fmt.Sprintf("remove one of the two: agents.%s.default is set", marked),
			"sets a second default agent")
	}
	return agent.ID
}

//go:embed example.toml
var example string

// Example returns a configuration file that explains every setting and sets none.
func Example() string { return example }
