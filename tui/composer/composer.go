// Package composer is the editor in which a prompt is written: several lines,
// history, completion of the agent's commands and of the project's files, and
// long pastes folded away.
//
// A [Composer] is a plain struct: the root model hands it keys, pastes and
// messages, runs the commands it returns and puts its lines on the screen. It
// must be used from Update and View only; what it reads from disk it reads in
// commands.
package composer

import (
	"os/exec"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/theme"
)

// Options is what a composer is made of. Only Theme is required.
type Options struct {
	Theme *theme.Theme
	Keys  config.Keys
	// History may be nil: then nothing is remembered.
	History *History
	// Root is the directory of the project, where mentions are looked up; "" is
	// the current one.
	Root string
	// Placeholder is shown while there is no draft.
	Placeholder string
	// Now is time.Now when it is nil.
	Now func() time.Time
	// Exec is the command that runs a program on the terminal and then brings the
	// message of the callback. It is [tea.ExecProcess] when it is nil.
	Exec func(*exec.Cmd, tea.ExecCallback) tea.Cmd
}

// Composer edits one draft.
type Composer struct {
	theme       *theme.Theme
	keys        config.Keys
	history     *History
	root        string
	placeholder string
	now         func() time.Time
	exec        func(*exec.Cmd, tea.ExecCallback) tea.Cmd

	buf    *buffer
	chips  *chips
	killed string
	walk   *walk   // nil when the draft itself is shown
	search *search // nil when no search is open

	commands   []command
	completion completion
	index      *fileIndex // nil until the files were listed once
	listing    bool
	listed     time.Time
	listError  string

	width, maxHeight int
	top              place // the first row of the draft that is shown
}

// New makes an empty composer, 80 columns wide and at most 10 lines high.
func New(o Options) *Composer {
	c := &Composer{
		theme: o.Theme, keys: o.Keys, history: o.History, root: o.Root, placeholder: o.Placeholder, now: o.Now, exec: o.Exec,
		width: 80, maxHeight: 10,
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.exec == nil {
		c.exec = tea.ExecProcess
	}
	if c.root == "" {
		c.root = "."
	}
	c.reset()
	return c
}

// SetRoot says that the draft is for another project. The draft stays.
func (c *Composer) SetRoot(root string) {
	if root == "" {
		root = "."
	}
	if root == c.root {
		return
	}
	c.root, c.index, c.listing, c.listed, c.listError = root, nil, false, time.Time{}, ""
}

func (c *Composer) reset() {
	if c.chips != nil && c.chips.expand(c.killed, true) != c.killed {
		c.killed = "" // it has chips of the old draft
	}
	c.chips = &chips{}
	c.buf = newBuffer(c.chips)
	c.walk, c.search, c.completion, c.top = nil, nil, completion{}, place{}
}

// Result says what became of a key.
type Result struct {
	// Used is false when the composer has no use for the key: it is the root
	// model's.
	Used bool
	// Prompt is not nil when the key sent the draft. The editor is then empty.
	Prompt *Prompt
	// Command is not nil when the draft that the key sent is a command of the
	// person's: what stood behind the "!". It may be empty.
	Command *string
}

// Key handles a key. The command may be nil.
func (c *Composer) Key(key tea.KeyPressMsg) (Result, tea.Cmd) {
	defer c.settle()
	if c.search != nil && c.searchKey(key) {
		return Result{Used: true}, nil
	}
	name := key.String()
	action, bound := c.keys.Action(config.ContextPrompt, name)
	if c.completion.open() {
		if c.completionKey(name, action == config.ActionSend, action == config.ActionCancel) {
			return Result{Used: true}, c.complete()
		}
	}
	if c.walk != nil && action != config.ActionHistoryPrev && action != config.ActionHistoryNext {
		c.walk.fresh = false
	}
	result, cmd := Result{Used: true}, tea.Cmd(nil)
	types := config.Types(name)
	switch edits, known := editing[name]; {
	case bound && !types:
		result, cmd = c.act(action, name)
	case bound && c.buf.empty():
		return Result{}, nil // "?" begins no prompt, it shows the help
	case known:
		edits(c, c.buf)
	case key.Text != "":
		c.buf.typeText(strings.ReplaceAll(c.buf.cleanHere(key.Text), "\n", " "))
	default:
		return Result{}, nil
	}
	if !result.Used {
		return result, cmd
	}
	return result, tea.Batch(cmd, c.complete())
}

// act does what a key is bound to, where that is the composer's business.
func (c *Composer) act(action config.Action, name string) (Result, tea.Cmd) {
	used := Result{Used: true}
	switch action {
	case config.ActionSend:
		return c.send()
	case config.ActionNewline:
		c.buf.replace(c.buf.cur, c.buf.cur, "\n")
	case config.ActionHistoryPrev:
		c.previous(name == "up")
	case config.ActionHistoryNext:
		c.next(name == "down")
	case config.ActionHistorySearch:
		c.beginSearch()
	case config.ActionEditor:
		return used, c.openEditor()
	case config.ActionInterrupt:
		if c.buf.empty() {
			return Result{}, nil
		}
		return used, c.Clear()
	default:
		edits, known := editing[name]
		if !known || !c.edits(action) {
			return Result{}, nil
		}
		edits(c, c.buf)
	}
	return used, nil
}

// edits reports whether the key of an action edits the draft, where it can do both:
// some scroll or quit when there is none, and one suspends when nothing can be
// undone.
func (c *Composer) edits(action config.Action) bool {
	switch action {
	case config.ActionQuit, config.ActionScrollTop, config.ActionScrollBottom:
		return !c.buf.empty()
	case config.ActionSuspend:
		return c.buf.edited()
	}
	return false
}

// previous goes a row up, or from the first row to the prompt before. A key
// that is no arrow always means the history.
func (c *Composer) previous(arrow bool) {
	walking := c.walk != nil && c.walk.fresh
	if arrow && !walking && c.buf.vertical(-1, c.textWidth()) {
		return
	}
	if !c.recall(-1) && arrow {
		c.buf.move(pos{})
	}
}

func (c *Composer) next(arrow bool) {
	walking := c.walk != nil && c.walk.fresh
	if arrow && !walking && c.buf.vertical(1, c.textWidth()) {
		return
	}
	if c.walk == nil || !c.recall(1) {
		c.buf.move(c.buf.last())
	}
}

// send takes the draft. A backslash before the cursor makes a new line instead,
// for terminals where enter with shift is enter.
func (c *Composer) send() (Result, tea.Cmd) {
	b := c.buf
	if at := b.left(b.cur); b.cur.col > 0 && b.slice(at, b.cur) == `\` {
		b.replace(at, b.cur, "\n")
		return Result{Used: true}, nil
	}
	raw := strings.Trim(b.raw(), "\n")
	if strings.TrimSpace(raw) == "" {
		return Result{Used: true}, nil
	}
	if line, ok := strings.CutPrefix(raw, commandMark); ok {
		return c.sendCommand(strings.TrimSpace(c.chips.expand(line, false)), raw)
	}
	prompt := Prompt{raw: strings.TrimRight(raw, " \t\n"), root: c.root, chips: c.chips.frozen()}
	cmd := c.keep(c.abandoned(), prompt.raw)
	c.reset()
	return Result{Used: true, Prompt: &prompt}, cmd
}

// keep puts drafts into the history, and returns the command that saves them.
func (c *Composer) keep(raw ...string) tea.Cmd {
	chips, now := c.chips.frozen(), c.now()
	var texts []string
	for _, r := range raw {
		if text := chips.expand(r, false); strings.TrimSpace(text) != "" {
			texts = append(texts, text)
			c.history.add(text)
		}
	}
	h := c.history
	if h == nil || len(texts) == 0 {
		return nil
	}
	return func() tea.Msg {
		for _, text := range texts {
			if err := h.save(text, now); err != nil {
				return ErrorMsg{err}
			}
		}
		return nil
	}
}

// Paste inserts what was pasted at once. Long text is folded into a chip, a
// single character of the draft that stands for it.
func (c *Composer) Paste(text string) tea.Cmd {
	defer c.settle()
	if c.search != nil {
		c.takeMatch()
	}
	if c.walk != nil {
		c.walk.fresh = false
	}
	if len(text) <= foldBytes && lineCount(text) <= foldLines {
		c.buf.replace(c.buf.cur, c.buf.cur, c.buf.cleanHere(text))
		return c.complete()
	}
	mark, whole := c.chips.fold(text)
	c.buf.replace(c.buf.cur, c.buf.cur, mark)
	return tea.Batch(c.complete(), func() tea.Msg { whole(); return nil })
}

// Update handles the composer's own messages, those of other composers it
// leaves alone. The command may be nil.
func (c *Composer) Update(msg tea.Msg) tea.Cmd {
	defer c.settle()
	switch msg := msg.(type) {
	case filesListedMsg:
		if msg.owner == c {
			c.takeList(msg)
		}
	case editorReadyMsg:
		if msg.owner == c {
			return c.runEditor(msg)
		}
	case editorClosedMsg:
		if msg.owner == c {
			return msg.read
		}
	case editorTextMsg:
		if msg.owner == c {
			c.takeEdited(msg)
			return c.complete()
		}
	}
	return nil
}

// SetText replaces the draft; ctrl+z takes that back.
func (c *Composer) SetText(text string) {
	defer c.settle()
	c.toDraft()
	c.buf.replace(pos{}, c.buf.last(), clean(text))
	c.completion = completion{}
}

// Append puts text behind the draft.
func (c *Composer) Append(text string) {
	defer c.settle()
	c.toDraft()
	c.buf.replace(c.buf.last(), c.buf.last(), clean(text))
	c.completion = completion{}
}

// Text is the draft, with everything that was pasted.
func (c *Composer) Text() string { return c.chips.expand(c.buf.raw(), false) }

// Empty says whether there is no draft.
func (c *Composer) Empty() bool { return c.buf.empty() }

// Edits says whether a key changes the draft or moves in it, so that it cannot mean
// anything else while there is one. The arrows up and down do where the draft has
// several lines.
func (c *Composer) Edits(name string) bool {
	switch {
	case c.buf.empty():
		return false
	case name == "up", name == "down":
		return strings.Contains(c.buf.raw(), "\n")
	}
	switch action, _ := c.keys.Action(config.ContextPrompt, name); action {
	case config.ActionNewline, config.ActionEditor, config.ActionHistorySearch:
		return true
	}
	_, known := editing[name]
	return known || config.Types(name)
}

// Chooses says whether something is being chosen for the draft: a completion, or an
// earlier prompt.
func (c *Composer) Chooses() bool { return c.completion.open() || c.search != nil }

// Clear takes the draft away and keeps it in the history. The command that
// saves it may be nil.
func (c *Composer) Clear() tea.Cmd {
	defer c.settle()
	cmd := c.keep(c.abandoned(), strings.TrimSpace(c.buf.raw()))
	c.reset()
	return cmd
}

// SetTheme changes the colours.
func (c *Composer) SetTheme(t *theme.Theme) { c.theme = t }

// SetWidth says how many columns there are.
func (c *Composer) SetWidth(columns int) {
	defer c.settle()
	c.width = max(columns, narrowest)
}

// SetMaxHeight says how many lines the composer may take, the popup included.
func (c *Composer) SetMaxHeight(lines int) {
	defer c.settle()
	c.maxHeight = max(lines, 1)
}
