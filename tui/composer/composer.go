// Package composer is the prompt editor: several lines, history, completion of the
// agent's commands and of the project's files, and folding of long pastes.
//
// A [Composer] is a plain struct: the root model passes it keys, pastes and messages,
// runs the commands it returns and draws its lines. Use it only from Update and View;
// it reads from disk in commands.
package composer

import (
	"cmp"
	"os/exec"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/command"
	"parley/tui/composer/vim"
	"parley/tui/theme"
)

// Options configure a Composer. Only Theme is required.
type Options struct {
	Theme *theme.Theme
	Keys  config.Keys
	// History may be nil: then nothing is remembered.
	History *History
	// Root is the project's directory for mentions; "" is the current one.
	Root string
	// Vim enables the keys of vim.
	Vim bool
	// Now may be nil for time.Now.
	Now func() time.Time
	// Exec returns the command that runs a program on the terminal and then returns the
	// message of the callback. Nil means [tea.ExecProcess].
	Exec func(*exec.Cmd, tea.ExecCallback) tea.Cmd
	// Save returns the command that saves the draft; it is nil if there is nothing to save, and
	// may be nil itself.
	Save func() tea.Cmd
	// NoImages returns why images cannot be sent, "" if they can. Nil means that they
	// can.
	NoImages func() string
	// Own are parley's own slash commands.
	Own []OwnCommand
}

// Composer edits one draft.
type Composer struct {
	Options
	placeholder string // shown while there is no draft

	buf     *buffer
	chips   *chips
	kills   killRing
	pointer pointer
	vim     *vim.Editor // nil without the keys of vim
	vimText *buffer     // the text that vim edits
	known   watched     // the state that vim knows
	walk    *walk       // nil when the draft itself is shown
	search  *search     // nil when no search is open

	commands   commands
	completion completion
	mentioned  bool       // the last key has completed a mention
	index      *fileIndex // nil until the files were listed once
	folder     folder     // of the mention
	listing    bool
	matching   bool // a command is matching files
	listed     time.Time
	listError  string
	// looked says whether the file of a mention of the draft exists, which decides how the
	// mention is shown; a path that is missing was not looked up on disk yet.
	looked map[string]bool

	width, maxHeight int
	unfocused        bool
	editing          string     // the file with the draft that is in an editor, or ""
	top              wrappedRow // the first visible row of the draft
}

// New returns an empty composer, 80 columns wide and at most 10 lines high.
func New(o Options) *Composer {
	c := &Composer{Options: o, width: 80, maxHeight: 10}
	if o.Vim {
		c.vim = &vim.Editor{}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Exec == nil {
		c.Exec = tea.ExecProcess
	}
	if c.Save == nil {
		c.Save = func() tea.Cmd { return nil }
	}
	c.Root = cmp.Or(c.Root, ".")
	c.commands = c.commands.withOwn(c.Own)
	c.reset()
	return c
}

// SetRoot changes the project of the draft, which stays.
func (c *Composer) SetRoot(root string) {
	if root = cmp.Or(root, "."); root == c.Root {
		return
	}
	c.Root, c.index, c.listing, c.listed, c.listError = root, nil, false, time.Time{}, ""
	c.looked = nil
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
		c.vimText, c.known = c.buf, c.buf.watched()
		c.vim.Edit(c.vimText)
	}
	c.walk, c.search, c.completion, c.top = nil, nil, completion{}, wrappedRow{}
	c.looked = nil
}

// Result is the effect of a key.
type Result struct {
	// Used is false for a key that the composer leaves to the root model.
	Used bool
	// Prompt is not nil when the key sent the draft. The editor is then empty.
	Prompt *Prompt
	// Command is not nil when the key sent a draft that is a command of the user's: the
	// text after "!". It may be empty.
	Command *string
	// Copy is text for the clipboard that the key has copied, or "".
	Copy string
	// Own is the name of parley's command that the key sent, or "", and Argument what
	// follows it.
	Own, Argument string
	// Unknown is the name of the unknown command that Prompt begins with, or "".
	Unknown string
}

// Key handles a key. The command may be nil.
func (c *Composer) Key(key tea.KeyPressMsg) (Result, tea.Cmd) {
	defer c.settle()
	if c.search != nil && c.searchKey(key) {
		return Result{Used: true}, nil
	}
	name := key.String()
	if at := c.buf.left(c.buf.cur); c.mentioned && key.Text == ":" && c.inserts() && c.buf.Slice(at, c.buf.cur) == " " {
		c.buf.cut(at) // lines of the file follow, where completion has put a space
	}
	c.mentioned = false
	action, bound := c.Keys.Action(config.ContextPrompt, name)
	if c.completion.open() {
		was := c.buf.watched()
		if c.completionKey(name, action == command.Send, action == command.Cancel) {
			c.typed(was)
			return Result{Used: true}, c.complete()
		}
	}
	if c.walk != nil && action != command.HistoryPrev && action != command.HistoryNext {
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
	result := Result{Used: true}
	var cmd tea.Cmd
	switch edits, known := editing[name]; {
	case bound && !config.Types(name):
		if result, cmd = c.act(action, name); !result.Used {
			return result, cmd
		}
	case bound && c.buf.empty():
		return Result{}, nil // a "?" at the start of a draft shows the help
	case known && c.buf.empty() && (name == "ctrl+t" || name == "ctrl+b"):
		return Result{}, nil // nothing to edit: other clients have other uses of them
	case known:
		c.perform(edits)
	case key.Text != "" && c.inserts():
		c.buf.typeText(strings.ReplaceAll(c.buf.cleanHere(key.Text), "\n", " "))
	default:
		return Result{}, nil
	}
	c.typed(was)
	return result, tea.Batch(cmd, c.complete())
}

// perform applies an editing key to the draft.
func (c *Composer) perform(k editKey) {
	k.do(c, c.buf)
	if k.moves {
		c.buf.selecting = false
	}
}

// composerFunc does a command in the prompt. It gets the key, "" if it was none, and leaves
// Result.Used false if the command is not the composer's now.
type composerFunc = func(c *Composer, name string) (Result, tea.Cmd)

// rows are the composer's commands. Those without Help are others' without a draft.
func rows() command.Rows[composerFunc] {
	just := func(do func(*Composer)) composerFunc {
		return func(c *Composer, _ string) (Result, tea.Cmd) { do(c); return Result{Used: true}, nil }
	}
	return command.Rows[composerFunc]{
		{ID: command.Newline, Keys: "shift+enter ctrl+j", Help: "New line", Absent: "it is about the key itself, which writes", Do: just(func(c *Composer) { c.buf.insert("\n") })},
		{ID: command.Editor, Keys: "ctrl+g", Help: "Edit the prompt in $EDITOR", Words: "editor external compose", Do: func(c *Composer, _ string) (Result, tea.Cmd) {
			return Result{Used: true}, c.openEditor()
		}},
		{ID: command.HistoryNext, Keys: "down", Help: "Next prompt", Absent: "it is one step of many", Do: func(c *Composer, name string) (Result, tea.Cmd) {
			c.vertical(1, name == "down")
			return Result{Used: true}, nil
		}},
		{ID: command.HistorySearch, Keys: "ctrl+r", Help: "Search earlier prompts", Words: "history past recall", Do: just((*Composer).beginSearch)},

		{ID: command.Send, Do: func(c *Composer, _ string) (Result, tea.Cmd) { return c.send() }},
		{ID: command.HistoryPrev, Do: func(c *Composer, name string) (Result, tea.Cmd) {
			c.vertical(-1, name == "up")
			return Result{Used: true}, nil
		}},
		{ID: command.Interrupt, Do: (*Composer).interrupt},
		{ID: command.Quit, Do: (*Composer).editInstead},
		{ID: "scroll_top", Do: (*Composer).editInstead},
		{ID: "scroll_bottom", Do: (*Composer).editInstead},
	}
}

// Commands returns the commands that are the composer's own. Their functions perform them
// without a key.
func Commands() command.Rows[func(*Composer) tea.Cmd] {
	var own command.Rows[func(*Composer) tea.Cmd]
	for _, r := range rows() {
		if r.Help != "" {
			own = append(own, command.Row[func(*Composer) tea.Cmd]{
				ID: r.ID, Keys: r.Keys, Help: r.Help, Words: r.Words, Absent: r.Absent,
				Do: func(c *Composer) tea.Cmd {
					defer c.settle()
					_, cmd := r.Do(c, "")
					return cmd
				},
			})
		}
	}
	return own
}

// act performs a command, if it is the composer's.
func (c *Composer) act(id config.Action, name string) (Result, tea.Cmd) {
	if row := rows().Named(id); row != nil {
		return row.Do(c, name)
	}
	return Result{}, nil
}

// interrupt clears the draft.
func (c *Composer) interrupt(string) (Result, tea.Cmd) {
	if c.buf.empty() {
		return Result{}, nil
	}
	return Result{Used: true}, c.Clear()
}

// editInstead edits a draft by a key that has its own meaning only without one.
func (c *Composer) editInstead(name string) (Result, tea.Cmd) {
	edits, known := editing[name]
	_, _, selected := c.buf.selection()
	if !known || c.buf.empty() || name == "ctrl+d" && c.buf.cur == c.buf.last() && !selected {
		return Result{}, nil // nothing to delete: the caller may quit
	}
	c.perform(edits)
	return Result{Used: true}, nil
}

// vertical goes a row up (by = -1) or down (1), or beyond the draft's ends to the prompt
// before or after it in the history. A key that is not an arrow always uses the history.
func (c *Composer) vertical(by int, arrow bool) {
	walking := c.walk != nil && c.walk.fresh
	c.buf.selecting = false
	switch {
	case arrow && !walking && c.buf.vertical(by, c.textWidth()):
	case by < 0:
		if !c.recall(by) && arrow {
			c.buf.Move(pos(0, 0))
		}
	case c.walk == nil || !c.recall(by):
		c.buf.Move(c.buf.last())
	}
}

// send sends the draft. A backslash before the cursor inserts a new line instead, for
// terminals where shift+enter is enter.
func (c *Composer) send() (Result, tea.Cmd) {
	b := c.buf
	if at := b.left(b.cur); c.inserts() && b.cur.Col > 0 && b.Slice(at, b.cur) == `\` {
		b.Replace(at, b.cur, "\n")
		return Result{Used: true}, nil
	}
	raw := strings.Trim(b.raw(), "\n")
	if strings.TrimSpace(raw) == "" {
		return Result{Used: true}, nil
	}
	result, kept := Result{Used: true}, []string{c.walk.leftDraft(c.buf)}
	if line, ok := strings.CutPrefix(raw, commandMark); ok {
		line = strings.TrimSpace(c.chips.expand(line, false))
		if result.Command = &line; line != "" {
			kept = append(kept, strings.TrimRight(raw, " \t\n"))
		}
	} else if result.Own, result.Argument = c.commands.ownOf(c.chips.expand(raw, false)); result.Own == "" {
		result.Unknown = c.commands.unknownIn(raw)
		raw = strings.TrimRight(raw, " \t\n")
		result.Prompt = &Prompt{raw: c.commands.expand(raw), chips: c.chips.frozen()}
		kept = append(kept, raw)
	}
	cmd := c.Keep(kept...)
	c.reset()
	return result, cmd
}

// Paste inserts pasted text. It folds long text into a chip, a single character of the
// draft.
func (c *Composer) Paste(text string) tea.Cmd {
	defer c.settle()
	if c.search != nil {
		c.takeMatch()
	}
	if c.walk != nil {
		c.walk.fresh = false
	}
	c.kills.turn()
	c.mentioned = false
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

// resultMsg is the result of a command of a composer, and what the composer does with it.
type resultMsg struct {
	owner *Composer
	take  func() tea.Cmd
}

// Update handles the composer's own messages and ignores those of other composers. The
// command may be nil.
func (c *Composer) Update(msg tea.Msg) tea.Cmd {
	result, ok := msg.(resultMsg)
	if !ok || result.owner != c {
		return nil
	}
	defer c.settle()
	return result.take()
}

// SetText replaces the draft; ctrl+_ undoes that.
func (c *Composer) SetText(text string) {
	defer c.settle()
	c.toDraft()
	c.buf.Replace(pos(0, 0), c.buf.last(), clean(text))
}

// AddLine adds words to the draft, on a line of their own.
func (c *Composer) AddLine(words string) {
	if words == "" {
		return
	}
	defer c.settle()
	c.toDraft()
	if !c.Empty() {
		words = "\n" + words
	}
	c.buf.Replace(c.buf.last(), c.buf.last(), clean(words))
}

// Text returns the draft, with everything that was pasted.
func (c *Composer) Text() string { return c.chips.expand(c.buf.raw(), false) }

// Empty reports whether there is no draft.
func (c *Composer) Empty() bool { return c.buf.empty() }

// Blank reports whether the draft holds blanks at most.
func (c *Composer) Blank() bool { return c.buf.blankFrom(0) }

// Edits reports whether a key changes the draft or moves in it, so that it has no other
// meaning while there is one. The arrows up and down do in a draft of several lines.
func (c *Composer) Edits(name string) bool {
	switch {
	case c.buf.empty():
		return false
	case name == "up", name == "down":
		return len(c.buf.lines) > 1
	}
	switch action, _ := c.Keys.Action(config.ContextPrompt, name); action {
	case command.Cancel:
		_, _, selected := c.selected()
		return selected || c.Mode() != "" && c.Mode() != vim.Normal.String()
	case command.Newline, command.Editor, command.HistorySearch:
		return true
	}
	_, known := editing[name]
	return known || selects[name] != "" || config.Types(name)
}

// Chooses reports whether a completion or an earlier prompt is being chosen.
func (c *Composer) Chooses() bool { return c.completion.open() || c.search != nil }

// Clear removes the draft and stores it in the history. The command that saves it may
// be nil.
func (c *Composer) Clear() tea.Cmd {
	defer c.settle()
	cmd := c.Keep(c.walk.leftDraft(c.buf), strings.TrimSpace(c.buf.raw()))
	c.reset()
	return cmd
}

// SetTheme sets the colours.
func (c *Composer) SetTheme(t *theme.Theme) { c.Theme = t }

// SetWidth sets the number of columns.
func (c *Composer) SetWidth(columns int) {
	defer c.settle()
	c.width = max(columns, narrowest)
}

// SetPlaceholder sets what is shown while there is no draft.
func (c *Composer) SetPlaceholder(text string) { c.placeholder = text }

// SetFocused shows the prompt sign, or leaves it to what has the focus.
func (c *Composer) SetFocused(focused bool) { c.unfocused = !focused }

// SetMaxHeight bounds the lines of the composer, including the popup.
func (c *Composer) SetMaxHeight(lines int) {
	defer c.settle()
	c.maxHeight = max(lines, 1)
}
