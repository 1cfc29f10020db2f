package config

import (
	"strings"
	"time"

	"parley/internal/policy"
)

const day = 24 * time.Hour

// fileRows are the keys of the configuration file, in the order of the example.
func fileRows() []row[Config] {
	const (
		maxMegabytes = 1 << 20
		maxDays      = 36_500
		maxStored    = 1_000_000 // days and megabytes of stored sessions
		auto         = "auto"
	)
	return []row[Config]{
		themeRow("theme", ThemeAuto, func(t *Themes) *Theme { return &t.Chosen },
			wrapped(`"auto" follows the terminal's background with theme_dark and theme_light. Or one theme: "`+
				strings.Join(words(builtInNames()), `", "`)+`", or your own: NAME is themes/NAME.toml beside this file.`)),
		themeRow("theme_dark", ThemeDark, func(t *Themes) *Theme { return &t.Dark }, ""),
		themeRow("theme_light", ThemeLight, func(t *Themes) *Theme { return &t.Light }, ""),
		choice("glyphs", GlyphsAuto, []Glyphs{GlyphsAuto, GlyphsUnicode, GlyphsASCII}, func(c *Config) *Glyphs { return &c.Glyphs },
			`The characters to draw with: "unicode", "ascii", or "auto", which follows the locale.`),
		flag("reduced_motion", func(c *Config) *bool { return &c.ReducedMotion },
			`Stop spinners and running clocks. PREFERS_REDUCED_MOTION does the same.`),
		{key: "markdown_style", standard: markdownAuto, about: `How to draw Markdown: "auto" is parley's own style. Or a style of Glamour: "ascii",
"dark", "dracula", "light", "notty", "pink", "tokyo-night". Or the path of a style file
(https://github.com/charmbracelet/glamour), relative to this directory. Without this
line, GLAMOUR_STYLE counts.`, read: func(c *Config, t *table, key string) { c.MarkdownStyle = t.markdownStyle(key) }},
		flag("plain", func(c *Config) *bool { return &c.Plain },
			`Write lines and read answers as lines, for screen readers and simple terminals.`),
		flag("inline", func(c *Config) *bool { return &c.Inline }, `Leave the conversation in the scrollback of the terminal.`),
		flagOn("mouse", func(c *Config) *bool { return &c.NoMouse }, `Use the mouse: scroll, click, select.`),
		flag("vim", func(c *Config) *bool { return &c.Vim }, `Edit the prompt with vim's keys.`),
		flagOn("journal", func(c *Config) *bool { return &c.NoJournal },
			`Record what files held before and after an agent changed them, for review and undo (f5).`),
		number("journal_megabytes", 512, 1, maxMegabytes, func(c *Config, n int64) { c.JournalBytes = n << 20 }, ""),
		number("journal_days", 30, 1, maxDays, func(c *Config, n int64) { c.JournalAge = time.Duration(n) * day }, ""),
		{
			key: "default_agent", standard: "", examples: []string{`"claude"`},
			about: `The agent to start when none is named: one configured below, or one that parley knows.`,
			read:  func(*Config, *table, string) {}, // read last: it names one of the agents
		},
		value("registry", func(c *Config) *string { return &c.Registry }, (*table).registry,
			`Another agent registry than the public one; for 'parley agents refresh'.`).standing(""),
		flagOn("store", func(c *Config) *bool { return &c.Store.Off },
			`Store sessions below ~/.local/state/parley/sessions, readable by you alone. parley
deletes sessions older than store_days, and the oldest beyond store_megabytes; 0: no limit.`),
		number("store_days", 365, 0, maxStored, func(c *Config, n int64) { c.Store.Age = time.Duration(n) * day }, ""),
		number("store_megabytes", 4000, 0, maxStored, func(c *Config, n int64) { c.Store.Bytes = n << 20 }, ""),
		flag("sandbox", func(c *Config) *bool { return &c.Sandbox.On },
			`Run agents and their commands in a sandbox of the system (bubblewrap or Landlock on
Linux, sandbox-exec on macOS). They write only to the session's directories, the agent's
own settings directory, and sandbox_write, and connect to no Unix socket of other programs
unless sandbox_write names it. Without such a system, parley refuses to start.`),
		value("sandbox_write", func(c *Config) *[]string { return &c.Sandbox.Write }, (*table).paths, "").standing(anyList(nil)).shown(`["~/go", "~/.cache"]`),
		{ // the default is shown with its patterns, which are looked for when an agent starts
			key: "sandbox_hide", standard: anyList(append(inHome(secrets()), hiddenSockets...)), examples: []string{`["~/.ssh"]`},
			about: `What agents cannot read. This replaces the default: the files in the home
directory that parley knows as secrets, except for the agent's own sign-in, and desktop and
container sockets.`,
			read: func(c *Config, t *table, key string) { c.Sandbox.Hide, c.Sandbox.HideSet = t.paths(key), t.has(key) },
		},
		flagOn("sandbox_network", func(c *Config) *bool { return &c.Sandbox.Offline }, ""),
		value("worktree_directory", func(c *Config) *string { return &c.Worktrees }, (*table).path,
			`Where --worktree creates worktrees; by default in REPOSITORY.worktrees beside the repository.`).standing("").shown(`"~/worktrees"`),
		{key: "worktree", about: `What a new worktree has of what is not committed: copies of ignored files, by the patterns of
.gitignore, and what a shell command makes in it, in the sandbox of its agent.`, rows: worktreeRows(func(c *Config) *Worktree { return &c.Worktree })},
		{key: "agents", about: `Agents. ` + "`parley -a NAME`" + ` starts the one with this name in the brackets. For an agent that
parley knows, every line is optional.`, names: writeAgents, read: func(c *Config, t *table, _ string) { c.Agents = t.agents() }},
		{key: "mcp", about: `MCP servers for the agents. "$NAME" in args, env, url and headers is a variable. A program:`, names: writeServers, read: func(c *Config, t *table, _ string) { c.MCP = t.mcpServers() }},
		{key: "files", about: `Files that parley asks about before an agent reads or writes them, after parley's own list
(see ` + "`parley guide`" + `). The last match wins; "!" removes files. "*" matches within a name,
"**" any folders; a folder means everything in it.`, rows: []row[Config]{
			value("ask_read", func(c *Config) *[]string { return &c.Files.AskRead }, (*table).globs, "").standing(anyList(nil)).shown(`["secrets", "~/diary", "!.env.test"]`),
			value("ask_write", func(c *Config) *[]string { return &c.Files.AskWrite }, (*table).globs, "").standing(anyList(nil)).shown(`["Makefile", "!.idea"]`),
		}},
		{key: "rules", about: `Rules answer permission requests, by the kind of tool and, in parentheses, what it is
about: files relative to the session's directory, the words of a command ("*" is one word,
at the end any number), a host, an MCP tool. Deny beats ask, ask beats allow.
Kinds: read, edit, delete, move, search, execute, fetch, mcp, other. "agent=NAME" and
"mode=ID" limit a rule: "read agent=claude mode=plan".`, rows: []row[Config]{
			rulesRow(policy.Allow, `["read", "search", "execute(go test *)", "execute(git diff *)", "fetch(*.example.com)"]`),
			rulesRow(policy.Ask, `["read(.env*)"]`),
			rulesRow(policy.Deny, `["execute(git push *)", "edit(vendor/**)", "mcp(mail__send)"]`),
		}},
		{key: "budget", about: `What a session may use up, as the agent reports it: an amount in its currency, and tokens.
parley warns at 80 %, and ends the turn and asks at 100 %. 0: no limit. [agents.NAME.budget]
is for one agent.`, rows: budgetRows(func(c *Config) *Budget { return &c.Budget })},
		{key: "prompt", about: `What enter does while the agent works: "queue" the prompt, or "steer" the running turn with
it, if the agent takes it.`, rows: []row[Config]{
			choice("enter", EnterQueues, []EnterKey{EnterQueues, EnterSteers}, func(c *Config) *EnterKey { return &c.Enter }, ""),
		}},
		{key: "questions", about: `What the key of an answer does: "mark" it, or "press": give it, once you pause typing, at a
question that is whole in sight and names, for certain, nothing outside the project and no
sensitive file. An "always" takes enter.`, rows: []row[Config]{
			choice("answer", AnswerMarks, []AnswerKey{AnswerMarks, AnswerPresses}, func(c *Config) *AnswerKey { return &c.AnswerKey }, ""),
		}},
		{key: "limits", about: `What follows when a turn ends at a limit of your plan: "ask", "always" wait until it resets and
send the prompt again, or "never" do.`, rows: []row[Config]{
			choice("wait", LimitWaitAsk, []LimitWait{LimitWaitAsk, LimitWaitAlways, LimitWaitNever}, func(c *Config) *LimitWait { return &c.LimitWait }, ""),
		}},
		{key: "attention", about: `Notifications.`, rows: []row[Config]{
			choice("when", WhenUnfocused, []When{WhenUnfocused, WhenAlways, WhenNever}, func(c *Config) *When { return &c.Attention.When },
				`"unfocused": only while the terminal reports that it has no focus; "always"; "never".`),
			value("on", func(c *Config) *[]AttentionEvent { return &c.Attention.On }, (*table).events,
				`A turn has ended, a question waits, the agent exited.`).standing(anyList(words(attentionEvents))),
			choice("notify", NoticeAuto, []Notice{NoticeAuto, NoticeOSC9, NoticeOSC777, NoticeOSC99, NoticeBell, NoticeNone}, func(c *Config) *Notice { return &c.Attention.Notify },
				`"auto" uses what the terminal knows, else the bell; or "osc9", "osc777", "osc99", "bell",
"none".`),
			value("command", func(c *Config) *[]string { return &c.Attention.Command }, (*table).program,
				`A program to run, without a shell. parley replaces "{title}" and "{text}", and sets
PARLEY_EVENT, PARLEY_TITLE and PARLEY_TEXT.`).standing(anyList(nil)).shown(`["notify-send", "--app-name=parley", "{title}", "{text}"]`),
			flagOn("title", func(c *Config) *bool { return &c.Attention.NoTitle }, `Set the title of the window.`),
			{
				key: "progress", standard: auto,
				about: `Show progress in the tab or task bar (OSC 9;4): true, false, or "auto", where the terminal
is known to support it.`,
				read: func(c *Config, t *table, key string) {
					c.Attention.Progress = nil
					if t.values[key] == auto {
						t.asked = append(t.asked, key)
					} else if on := t.flag(key); t.has(key) {
						c.Attention.Progress = &on
					}
				},
			},
		}},
		{key: "host", about: `Kept sessions (not on Windows).`, rows: []row[Config]{
			flag("keep", func(c *Config) *bool { return &c.Host.Keep },
				`Run sessions in a process of their own, which goes on when the terminal is closed.`),
			duration("idle", 12*time.Hour, func(c *Config) *time.Duration { return &c.Host.Idle },
				`How long a kept session goes on that is idle and has no viewer; "1m" at least.`),
		}},
		{key: "serve", about: `What 'parley serve' does for an editor.`, rows: []row[Config]{
			flag("editor_files", func(c *Config) *bool { return &c.EditorFiles },
				`When an agent reads a file of the project, ask the editor for its unsaved changes.`),
		}},
		{
			key: "notify", hint: "[attention] sets the notifications of the terminal",
			about: `A program to run, without a shell, when a kept session without a viewer opens a question,
ends a turn or loses its agent. parley sets PARLEY_SESSION (its ID), PARLEY_EVENT ("question",
"turn" or "lost"),
PARLEY_TITLE, PARLEY_TEXT and PARLEY_CWD (its directory).`,
			rows: []row[Config]{
				value("command", func(c *Config) *[]string { return &c.NotifyCommand }, (*table).program, "").standing(anyList(nil)).
					shown(`["sh", "-c", 'printf %s "$PARLEY_TEXT" | mail -s "$PARLEY_TITLE" me@example.com']`),
			},
		},
		{key: "keys", about: `Keys. Each takes one key, a list of keys, or [] for none; what you set
replaces the default. Modifiers are ctrl, alt, shift, meta, hyper and super,
as in "ctrl+shift+p". Two actions of one group cannot share a key.`, names: writeKeys, read: func(c *Config, t *table, _ string) { c.Keys = t.keyBindings() }},
	}
}

// wrapped breaks a text into lines for the example.
func wrapped(text string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column+1+len(word) > 88:
			b.WriteByte('\n')
			column = 0
		case column > 0:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// rulesRow are the rules of a verdict. They come in the order of the rows.
func rulesRow(v policy.Verdict, example string) row[Config] {
	return row[Config]{key: v.String(), standard: anyList(nil), examples: []string{example}, read: func(c *Config, t *table, _ string) {
		c.Rules = append(c.Rules, t.rulesOf(v)...)
	}}
}

// Example returns a configuration file that explains every setting and sets none.
func Example(actions *Actions) string {
	var b strings.Builder
	writeAbout(&b, `parley's configuration: ~/.config/parley/config.toml, or below $XDG_CONFIG_HOME.
Everything is optional. A "#" directly before a setting comments it out: it shows the
default or an example. Unknown keys are errors.`)
	writeRows(&b, fileRows(), actions, false)
	return b.String()
}
