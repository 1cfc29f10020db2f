package composer

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"parley/acpclient"
	"parley/internal/prompt"
	"parley/internal/termtext"
	"parley/tui/composer/vim"
	"parley/tui/list"
	"parley/tui/theme"
)

// slashCommand is a slash command, cleaned. own is one of parley's, alias another name of one;
// template, if not nil, is the prompt that it stands for.
type slashCommand struct {
	name, description, hint string
	own, alias              bool
	template                *prompt.Template
}

// commands are the slash commands: the agent's, then the user's prompts, then parley's.
type commands []slashCommand

// SetCommands says which slash commands the agent has, and which prompts the user has. Names
// that could not be typed are left out. It returns the names of prompts that a command of
// the agent or of parley hides.
func (c *Composer) SetCommands(list []acpclient.AvailableCommand, templates []prompt.Template) (hidden []string) {
	defer c.settle()
	c.commands = c.commands[:0]
	for _, a := range list {
		name := strings.TrimPrefix(a.Name, "/")
		if name == "" || clean(name) != name || strings.ContainsFunc(name, unicode.IsSpace) {
			continue
		}
		cmd := slashCommand{name: name, description: firstOf(a.Description)}
		if a.Input != nil {
			cmd.hint = firstOf(a.Input.Hint)
		}
		c.commands = append(c.commands, cmd)
	}
	own := commands{}.withOwn(c.Own)
	for _, t := range templates {
		_, agents := c.commands.find(t.Name)
		if _, parleys := own.find(t.Name); agents || parleys {
			hidden = append(hidden, t.Name)
			continue
		}
		c.commands = append(c.commands, slashCommand{name: t.Name, description: t.About, hint: "arguments", template: &t})
	}
	c.commands = c.commands.withOwn(c.Own)
	if c.completion.kind == commandCompletion {
		c.completion.stale = true
		c.complete()
	}
	return hidden
}

// firstOf is as much of an agent's text as a line can show: some agents
// describe a command on pages.
func firstOf(s string) string {
	const most = 500
	return termtext.Line(strings.TrimSpace(clean(termtext.Head(s, most, ""))))
}

type completionKind int

const (
	noCompletion completionKind = iota
	commandCompletion
	fileCompletion
	historyCompletion
)

// completion is the popup of offers above the editor.
type completion struct {
	kind  completionKind
	from  vim.Pos // where the word begins that is being completed
	query string
	items []item
	// found is how many offers there are, or, with atLeast, more; all is out of how
	// many, or, with allAtLeast, more.
	found, all          int
	atLeast, allAtLeast bool
	labels              int         // columns of the longest label, where there are details
	window              list.Window // on the items
	// note is shown instead of items: files are being listed, or why they are not.
	note string
	// keep is the label of the offer to mark after the query is matched again.
	keep string
	// chosen is set when the user has moved the mark since the query changed.
	chosen bool
	// closed is set when the user has closed the popup for this word.
	closed bool
	// stale is set when the items are to be found again though the query is the same.
	stale bool
}

// item is one offer: what is shown, and what comes into the draft.
type item struct {
	label, detail, text string
	hits                []int // where the letters that were found begin in the label, in bytes
	own                 bool  // it is parley's
}

func (p *completion) open() bool {
	return p.kind != noCompletion && !p.closed && (len(p.items) > 0 || p.note != "")
}

// complete updates the popup and the state of mentions. It returns the command that
// reads the project's files for that.
func (c *Composer) complete() tea.Cmd {
	return tea.Batch(c.offer(), c.lookUp())
}

// offer updates the popup for the text before the cursor.
func (c *Composer) offer() tea.Cmd {
	p := &c.completion
	kind, from, query := c.wordToComplete()
	if kind == noCompletion {
		*p = completion{}
		return nil
	}
	fresh := p.kind != kind || p.from != from
	if fresh {
		*p = completion{kind: kind, from: from, stale: true}
	}
	var cmd tea.Cmd
	if kind == fileCompletion && fresh {
		c.folder = folder{}
		cmd = c.listDue()
	}
	if p.query == query && !p.stale || p.closed {
		return cmd
	}
	if p.query != query {
		p.keep = ""
	}
	p.query, p.stale, p.window, p.note, p.chosen = query, false, list.Window{}, "", false
	if kind == commandCompletion {
		p.items, p.labels = c.commands.match(query), 0
		p.found, p.all, p.atLeast, p.allAtLeast = len(p.items), 0, false, false
		for _, cmd := range c.commands {
			if !cmd.alias {
				p.all++
			}
		}
		for _, it := range p.items {
			p.labels = max(p.labels, termtext.Width(it.label))
		}
		return cmd
	}
	return tea.Batch(cmd, c.offerFiles(query))
}

// wordToComplete returns the command or the mention before the cursor.
func (c *Composer) wordToComplete() (completionKind, vim.Pos, string) {
	cur := c.buf.cur
	line := c.buf.lines[cur.Row].text[:cur.Col]
	if c.search != nil || c.walk != nil && c.walk.fresh {
		return noCompletion, pos(0, 0), ""
	}
	if cur.Row == 0 && strings.HasPrefix(line, "/") && !strings.ContainsFunc(line, unicode.IsSpace) {
		return commandCompletion, pos(0, 0), line[1:]
	}
	if c.IsCommand() {
		return noCompletion, pos(0, 0), "" // "@" means nothing to a shell
	}
	if m, ok := prompt.MentionAt(line, cur.Col); ok {
		return fileCompletion, pos(cur.Row, m.From), m.Path
	}
	return noCompletion, pos(0, 0), ""
}

// find returns the command with a name.
func (l commands) find(name string) (cmd slashCommand, ok bool) {
	i := slices.IndexFunc(l, func(cmd slashCommand) bool { return cmd.name == name })
	if i < 0 {
		return slashCommand{}, false
	}
	return l[i], true
}

// match finds commands: the one whose whole name is typed, those whose name begins so, those whose
// name has the letters, and then by description. Of equals the agent's come before parley's.
func (l commands) match(query string) []item {
	hits := make([]list.Hit, len(l))
	for i := range hits {
		hits[i].Row = i
	}
	if query != "" {
		hits = list.NewFilter(len(l), func(i int) (name, about string) {
			if l[i].own {
				return l[i].name, ""
			}
			return l[i].name, l[i].description
		}).Find(query, nil)
	}
	hits = slices.DeleteFunc(hits, func(hit list.Hit) bool {
		const enough = 3 // letters, so that other names do not crowd the list
		return l[hit.Row].alias && (len(query) < enough || !strings.HasPrefix(l[hit.Row].name, query))
	})
	items := make([]item, len(hits))
	for i, hit := range hits {
		cmd := l[hit.Row]
		items[i] = item{label: "/" + cmd.name, detail: cmd.description, text: "/" + cmd.name, own: cmd.own}
		if cmd.hint != "" {
			items[i].text += " "
		}
		for _, at := range hit.Letters {
			items[i].hits = append(items[i].hits, at+len("/"))
		}
	}
	rank := func(it item) int {
		r := 6
		switch name := it.label[len("/"):]; {
		case name == query:
			r = 0
		case strings.HasPrefix(strings.ToLower(name), strings.ToLower(query)):
			r = 2
		case len(it.hits) > 0:
			r = 4
		}
		if it.own {
			r++
		}
		return r
	}
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(rank(a), rank(b)) })
	return items
}

// enters says what the key that sends does with the popup: it takes the marked offer, and runs it
// if it is a command that needs no more words. Otherwise it sends the draft: a name that no command
// has is not replaced by one that only says something like it.
func (p *completion) enters() (takes, runs bool) {
	if len(p.items) == 0 {
		return false, false
	}
	it := p.items[p.window.Mark]
	switch {
	case p.kind != commandCompletion, p.query == "" && !p.chosen:
		return true, false
	case it.label == "/"+p.query:
		return false, true
	case len(it.hits) == 0 && !p.chosen:
		return false, false
	}
	return true, !strings.HasSuffix(it.text, " ")
}

// Runs returns the command that the key that sends would run from the popup, "" for none.
func (c *Composer) Runs() string {
	if _, runs := c.completion.enters(); !runs || c.search != nil || !c.completion.open() {
		return ""
	}
	return c.completion.items[c.completion.window.Mark].label
}

// completionKey handles a key while the popup is open.
func (c *Composer) completionKey(name string, send, closes bool) (handled bool) {
	p := &c.completion
	n := len(p.items)
	takes, runs := p.enters()
	switch {
	case closes:
		p.closed = true
	case n == 0:
		return false
	case name == "up", name == "ctrl+p":
		p.window.Step(-1, n)
		p.chosen = true
	case name == "down", name == "ctrl+n":
		if takes || runs { // else nothing is marked yet
			p.window.Step(1, n)
		}
		p.chosen = true
	case name == "tab", send && takes:
		c.accept()
		return !send || !runs
	case name == AnotherFile && p.kind == fileCompletion:
		c.accept()
		c.buf.Replace(c.buf.cur, c.buf.cur, "@")
	default:
		return false
	}
	return true
}

// accept inserts the marked item into the draft.
func (c *Composer) accept() {
	p := &c.completion
	text := p.items[p.window.Mark].text
	if text == c.buf.Slice(p.from, c.buf.cur) {
		p.closed = true // the draft has it already
		return
	}
	c.buf.Replace(p.from, c.buf.cur, text)
	if next := c.buf.right(c.buf.cur); strings.HasSuffix(text, " ") && c.buf.Slice(c.buf.cur, next) == " " {
		c.buf.cut(next) // there was a space already
	}
	if p.kind == commandCompletion {
		p.closed = true
	} else if strings.HasSuffix(text, " ") {
		c.mentioned = true
	}
}

// OwnCommand is one of parley's slash commands.
type OwnCommand struct {
	Name, About string
	// Alias says that it is another name of a command: it is offered only once typed.
	Alias bool
}

// ownMark follows the name of one of parley's commands.
const ownMark = "parley  "

// withOwn returns the commands with parley's after those of the agent. An agent's
// command hides parley's with the same name.
func (l commands) withOwn(own []OwnCommand) commands {
	for _, o := range own {
		if _, known := l.find(o.Name); !known {
			l = append(l, slashCommand{name: o.Name, description: o.About, own: true, alias: o.Alias})
		}
	}
	return l
}

// ownOf returns parley's command in a draft, and its argument; or "".
func (l commands) ownOf(raw string) (name, argument string) {
	text, command := strings.CutPrefix(strings.TrimRight(raw, " \t\n"), "/")
	name = text
	if at := strings.IndexFunc(text, unicode.IsSpace); at >= 0 {
		name, argument = text[:at], text[at:]
	}
	if cmd, _ := l.find(name); command && cmd.own {
		return name, strings.TrimSpace(argument)
	}
	return "", ""
}

// expand replaces a command that stands for a prompt by that prompt, with what is written
// behind the command.
func (l commands) expand(raw string) string {
	text, command := strings.CutPrefix(raw, "/")
	name, words := text, ""
	if at := strings.IndexFunc(text, unicode.IsSpace); at >= 0 {
		name, words = text[:at], text[at:]
	}
	if cmd, _ := l.find(name); command && cmd.template != nil {
		return cmd.template.With(words)
	}
	return raw
}

// unknownIn returns the name of the command that a draft begins with, if neither the agent
// nor parley has it, or "". Paths and text after a space are not commands.
func (l commands) unknownIn(raw string) string {
	if !strings.HasPrefix(raw, "/") {
		return ""
	}
	name := strings.Fields(raw)[0][1:]
	strange := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_:", r)
	}
	if _, known := l.find(name); known || name == "" || strings.ContainsFunc(name, strange) {
		return ""
	}
	return name
}

// CompletesFile reports whether a file is being chosen.
func (c *Composer) CompletesFile() bool {
	return c.completion.kind == fileCompletion && c.completion.open() && len(c.completion.items) > 0
}

// Usage returns the usage of the draft's command while its arguments are being typed,
// or "".
func (c *Composer) Usage() string {
	name, isCommand := strings.CutPrefix(c.buf.lines[0].text, "/")
	name, _, behind := strings.Cut(name, " ")
	if !isCommand || !behind || c.search != nil {
		return ""
	}
	for _, cmd := range c.commands {
		if cmd.name == name && cmd.hint != "" {
			return "/" + name + " " + termtext.Truncate(cmd.hint, 60, "…")
		}
	}
	return ""
}

// Take takes the draft as enter does.
func (c *Composer) Take() (Result, tea.Cmd) {
	defer c.settle()
	if c.search != nil {
		c.takeMatch()
	}
	return c.send()
}

// Load is SetText for a text that was a prompt: its mentions are looked up.
func (c *Composer) Load(text string) tea.Cmd {
	c.SetText(text)
	defer c.settle()
	return c.lookUp()
}

// commandMark begins a draft that is a command of the user's instead of a prompt.
const commandMark = "!"

// IsCommand reports whether the draft is a command of the user's: it begins with "!". A
// space before that makes it a prompt.
func (c *Composer) IsCommand() bool {
	return c.search == nil && strings.HasPrefix(c.buf.lines[0].text, commandMark)
}

// IsShell reports whether the draft is "!" alone, which means the user's shell.
func (c *Composer) IsShell() bool {
	return c.IsCommand() && strings.TrimSpace(c.buf.lines[0].text) == commandMark && c.buf.blankFrom(1)
}

// commandHighlights adds the highlights of a command line to its chips: the text
// between them has a colour of its own.
func commandHighlights(chips []highlight, from, to int) []highlight {
	var list []highlight
	for _, ch := range chips {
		if ch.from > from {
			list = append(list, highlight{from, ch.from, markShell})
		}
		list = append(list, ch)
		from = ch.to
	}
	if from < to {
		list = append(list, highlight{from, to, markShell})
	}
	return list
}

// popupLines appends the popup, n lines of it.
func (c *Composer) popupLines(lines []string, n int) []string {
	p := c.offered()
	if n > 0 && len(p.items) == 0 {
		return append(lines, strings.Repeat(" ", gutter)+c.Theme.Faint.Render(p.fit(p.note, c.textWidth())))
	}
	for i := range n {
		line := ""
		if at, ok := p.window.At(i); ok {
			line = p.line(c.Theme, at, c.textWidth())
		}
		lines = append(lines, line)
	}
	return lines
}

// line draws offer i, with the descriptions of all offers in one column where there is
// room for it.
func (p *completion) line(t *theme.Theme, i, width int) string {
	const roomy = 30
	it := p.items[i]
	sign, style := "  ", t.Choice
	if takes, runs := p.enters(); i == p.window.Mark && (takes || runs) {
		sign, style = t.Selected.Render("›")+" ", t.ChoiceSelected
	}
	if it.detail == "" || width < roomy {
		return sign + p.label(t, it, width, style)
	}
	column := min(p.labels, width/2)
	gap := strings.Repeat(" ", column-termtext.Width(p.fit(it.label, column))+2)
	room, mark := width-column-2, ""
	if it.own {
		mark = t.Accent.Render(ownMark)
		room = max(0, room-len(ownMark))
	}
	return sign + p.label(t, it, column, style) + gap + mark + t.Muted.Render(p.fit(it.detail, room))
}

// label draws the label of an offer, with the matching letters marked.
func (p *completion) label(t *theme.Theme, it item, width int, style lipgloss.Style) string {
	shown := p.fit(it.label, width)
	before := 0 // the offset of the visible part
	if rest, cutOff := strings.CutPrefix(shown, "…"); cutOff {
		before = len(it.label) - len(rest) - len("…")
	}
	hits := make([]int, 0, len(it.hits))
	for _, h := range it.hits {
		if h -= before; h >= 0 && (before == 0 || h >= len("…")) {
			hits = append(hits, h)
		}
	}
	return theme.Letters(shown, hits, style, style.Foreground(t.Accent.GetForeground()).Bold(true).Underline(true))
}

// PopupHeight returns how many of the first lines of View are the popup; 0 without one.
func (c *Composer) PopupHeight() int { return c.layout().popup }

// PopupCount returns how many of all matches the popup offers, "" if there is nothing
// to count.
func (c *Composer) PopupCount() string {
	p := c.offered()
	if !p.open() || len(p.items) == 0 {
		return ""
	}
	count := func(n int, atLeast bool) string {
		if atLeast {
			return theme.Grouped(n) + "+"
		}
		return theme.Grouped(n)
	}
	return count(p.found, p.atLeast) + " of " + count(p.all, p.allAtLeast)
}

// fit cuts text to a width. It cuts the beginning of a path, whose end says more.
func (p *completion) fit(text string, width int) string {
	if p.kind == fileCompletion && p.note == "" {
		return termtext.TruncateStart(text, width, "…")
	}
	return termtext.Truncate(text, width, "…")
}

// offered returns what the popup shows: prompts of the history during a search.
func (c *Composer) offered() *completion {
	if c.search != nil {
		return &c.search.list
	}
	return &c.completion
}
