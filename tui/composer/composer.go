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
	"parley/tui/composer/vim"
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
	// Vim is whether the draft is edited by the keys of vim.
	Vim bool
	// Now is time.Now when it is nil.
	Now func() time.Time
	// Exec is the command that runs a program on the terminal and then brings the
	// message of the callback. It is [tea.ExecProcess] when it is nil.
	Exec func(*exec.Cmd, tea.ExecCallback) tea.Cmd
	// NoImages says why images cannot be sent, "" if they can. They can if it is nil.
	NoImages func() string
	// Own are parley's own slash commands.
	Own []OwnCommand
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
	noImages    func() string
	own         []OwnCommand

	buf     *buffer
	chips   *chips
	kills   killRing
	pointer pointer
	vim     *vim.Editor // nil without the keys of vim
	vimText vimText     // what it edits
	known   watched     // what it knows of that
	walk    *walk       // nil when the draft itself is shown
	search  *search     // nil when no search is open

	commands   []command
	completion completion
	index      *fileIndex // nil until the files were listed once
	listing    bool
	matching   bool // a command matches the files
	listed     time.Time
	listError  string
	looked     lookup
	preview    preview

	width, maxHeight int
	top              place // the first row of the draft that is shown
}

// New makes an empty composer, 80 columns wide and at most 10 lines high.
func New(o Options) *Composer {
	c := &Composer{
		theme: o.Theme, keys: o.Keys, history: o.History, root: o.Root, placeholder: o.Placeholder, now: o.Now, exec: o.Exec, noImages: o.NoImages, own: o.Own,
		width: 80, maxHeight: 10,
	}
	if o.Vim {
		c.vim = &vim.Editor{}
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
	c.addOwn()
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
	c.looked = lookup{}
}

func (c *Composer) reset() {
	if c.chips != nil {
		c.kills.forget(c.chips)
	}
	if c.vim != nil {
		if text := c.vim.Register().Text; c.chips != nil && c.chips.expand(text, true) != text {
			c.vim.Forget()
		}
	}
	c.chips = &chips{}
	c.buf = newBuffer(c.chips)
	c.pointer.down = false
	if c.vim != nil {
		c.vimText, c.known = vimText{c.buf}, c.buf.watched()
		c.vim.Edit(c.vimText)
	}
	c.walk, c.search, c.completion, c.top = nil, nil, completion{}, place{}
	c.looked = lookup{}
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
	// Copy is text that the key has copied, for the clipboard; "" if it has not.
	Copy string
	// Own is the name of the command of parley's that the key sent, "" if it sent none.
	Own string
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
		was := c.buf.watched()
		if c.completionKey(name, action == config.ActionSend, action == config.ActionCancel) {
			c.typed(was)
			return Result{Used: true}, c.complete()
		}
	}
	if c.walk != nil && action != config.ActionHistoryPrev && action != config.ActionHistoryNext {
		c.walk.fresh = false
	}
	c.kills.turn()
	if result, taken := c.selectionKey(name, action); taken {
		return result, nil
	}
	if result, taken := c.vimKey(key, action, bound); taken {
		if !c.inserts() {
			c.completion = completion{}
			return result, nil
		}
		return result, c.complete()
	}
	was := c.buf.watched()
	result, cmd := c.edit(key, name, action, bound)
	if !result.Used {
		return result, cmd
	}
	c.typed(was)
	return result, tea.Batch(cmd, c.complete())
}

// edit does what a key does to the draft, or what it is bound to.
func (c *Composer) edit(key tea.KeyPressMsg, name string, action config.Action, bound bool) (Result, tea.Cmd) {
	switch edits, known := editing[name]; {
	case bound && !config.Types(name):
		return c.act(action, name)
	case bound && c.buf.empty():
		return Result{}, nil // "?" begins no prompt, it shows the help
	case known:
		c.perform(edits)
	case key.Text != "" && c.inserts():
		c.buf.typeText(strings.ReplaceAll(c.buf.cleanHere(key.Text), "\n", " "))
	default:
		return Result{}, nil
	}
	return Result{Used: true}, nil
}

// perform does what a key does to the draft.
func (c *Composer) perform(k editKey) {
	k.do(c, c.buf)
	if k.moves {
		c.buf.selecting = false
	}
}

// act does what a key is bound to, where that is the composer's business.
func (c *Composer) act(action config.Action, name string) (Result, tea.Cmd) {
	used := Result{Used: true}
	switch action {
	case config.ActionSend:
		return c.send()
	case config.ActionNewline:
		c.buf.insert("\n")
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
		c.perform(edits)
	}
	return used, nil
}

// edits reports whether the key of an action edits the draft, where it can do both:
// some scroll or quit when there is none.
func (c *Composer) edits(action config.Action) bool {
	switch action {
	case config.ActionQuit, config.ActionScrollTop, config.ActionScrollBottom:
		return !c.buf.empty()
	}
	return false
}

// previous goes a row up, or from the first row to the prompt before. A key
// that is no arrow always means the history.
func (c *Composer) previous(arrow bool) {
	walking := c.walk != nil && c.walk.fresh
	c.buf.selecting = false
	if arrow && !walking && c.buf.vertical(-1, c.textWidth()) {
		return
	}
	if !c.recall(-1) && arrow {
		c.buf.move(pos{})
	}
}

func (c *Composer) next(arrow bool) {
	walking := c.walk != nil && c.walk.fresh
	c.buf.selecting = false
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
	if at := b.left(b.cur); c.inserts() && b.cur.col > 0 && b.slice(at, b.cur) == `\` {
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
	if name := c.ownCommand(raw); name != "" {
		return c.sendOwn(name)
	}
	prompt := Prompt{raw: strings.TrimRight(raw, " \t\n"), root: c.root, chips: c.chips.frozen()}
	cmd := c.keep(c.abandoned(), prompt.raw)
	c.reset()
	return Result{Used: true, Prompt: &prompt}, cmd
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
	c.kills.turn()
	was := c.buf.watched()
	defer func() { c.typed(was) }()
	if len(text) <= foldBytes && lineCount(text) <= foldLines {
		c.buf.insert(c.buf.cleanHere(text))
		return tea.Batch(c.complete(), c.dropped(text))
	}
	mark, whole := c.chips.fold(text)
	c.buf.insert(mark)
	return tea.Batch(c.complete(), func() tea.Msg { whole(); return nil })
}

// Update handles the composer's own messages, those of other composers it
// leaves alone. The command may be nil.
func (c *Composer) Update(msg tea.Msg) tea.Cmd {
	defer c.settle()
	switch msg := msg.(type) {
	case filesListedMsg:
		if msg.owner == c {
			return c.takeList(msg)
		}
	case filesMatchedMsg:
		if msg.owner == c {
			return c.takeMatches(msg)
		}
	case previewMsg:
		if msg.owner == c {
			return c.takePreview(msg)
		}
	case mentionsMsg:
		if msg.owner == c {
			return c.takeLookup(msg)
		}
	case droppedMsg:
		if msg.owner == c {
			return c.takeDropped(msg)
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

// SetText replaces the draft; ctrl+_ takes that back.
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
	case config.ActionCancel:
		_, _, selected := c.selected()
		return selected || c.Mode() != "" && c.Mode() != vim.Normal.String()
	case config.ActionNewline, config.ActionEditor, config.ActionHistorySearch:
		return true
	}
	_, known := editing[name]
	return known || selects[name] != "" || config.Types(name)
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
