package composer

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/prompt"
	"parley/internal/termtext"
	"parley/tui/composer/vim"
	"parley/tui/list"
)

// command is a slash command, cleaned. own is one of parley's, alias another name of one.
type command struct {
	name, description, hint string
	own, alias              bool
}

// commands are the slash commands: the agent's, then parley's.
type commands []command

// SetCommands says which slash commands the agent has. Names that could not be
// typed are left out.
func (c *Composer) SetCommands(list []acpclient.AvailableCommand) {
	defer c.settle()
	c.commands = c.commands[:0]
	for _, a := range list {
		name := strings.TrimPrefix(a.Name, "/")
		if name == "" || clean(name) != name || strings.ContainsFunc(name, unicode.IsSpace) {
			continue
		}
		cmd := command{name: name, description: firstOf(a.Description)}
		if a.Input != nil {
			cmd.hint = firstOf(a.Input.Hint)
		}
		c.commands = append(c.commands, cmd)
	}
	c.commands = c.commands.withOwn(c.own)
	if c.completion.kind == commandCompletion {
		c.completion.stale = true
		c.complete()
	}
}

// firstOf is as much of an agent's text as a line can show: some agents
// describe a command on pages.
func firstOf(s string) string {
	const most = 500
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return termtext.Line(strings.TrimSpace(clean(s)))
}

type completionKind int

const (
	noCompletion completionKind = iota
	commandCompletion
	fileCompletion
	historyCompletion
)

// completion is what the popup above the editor offers.
type completion struct {
	kind  completionKind
	from  vim.Pos // where the word begins that is being completed
	query string
	items []item
	// found is how many offers there are, or, with atLeast, more; all is out of how
	// many.
	found, all int
	atLeast    bool
	labels     int         // columns of the longest label, where there are details
	window     list.Window // on the items
	// note stands in the place of items: that files are being listed, or why not.
	note string
	// keep is the label of the offer that was marked when the same query was matched anew.
	keep string
	// closed is set when the person has closed the popup for this word.
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
	cmd := c.offer()
	return tea.Batch(cmd, c.lookUp(), c.previewDue())
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
		cmd = c.listDue()
	}
	if p.query == query && !p.stale || p.closed {
		return cmd
	}
	if p.query != query {
		p.keep = ""
	}
	p.query, p.stale, p.window, p.note = query, false, list.Window{}, ""
	if kind == commandCompletion {
		p.items, p.labels = c.commands.match(query), 0
		p.found, p.all, p.atLeast = len(p.items), c.commands.listed(), false
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
func (l commands) find(name string) (cmd command, ok bool) {
	i := slices.IndexFunc(l, func(cmd command) bool { return cmd.name == name })
	if i < 0 {
		return command{}, false
	}
	return l[i], true
}

// match finds commands by name, best first, then by description.
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
	agents := slices.DeleteFunc(slices.Clone(items), func(it item) bool { return it.own })
	return append(agents, slices.DeleteFunc(items, func(it item) bool { return !it.own })...)
}

// completionKey handles a key while the popup is open.
func (c *Composer) completionKey(name string, send, closes bool) (handled bool) {
	p := &c.completion
	n := len(p.items)
	_, known := c.commands.find(p.query)
	exact := p.kind == commandCompletion && known
	switch {
	case closes:
		p.closed = true
	case n == 0:
		return false
	case name == "up", name == "ctrl+p":
		p.window.Step(-1, n)
	case name == "down", name == "ctrl+n":
		p.window.Step(1, n)
	case name == "tab", send && !exact:
		c.accept()
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
	if text == c.buf.slice(p.from, c.buf.cur) {
		p.closed = true // the draft has it already
		return
	}
	c.buf.Replace(p.from, c.buf.cur, text)
	if next := c.buf.right(c.buf.cur); strings.HasSuffix(text, " ") && c.buf.slice(c.buf.cur, next) == " " {
		c.buf.cut(next) // there was a space already
	}
	if p.kind == commandCompletion {
		p.closed = true
	}
}
