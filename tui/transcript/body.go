package transcript

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/terminal/screen"
	"parley/tui/diffview"
	"parley/tui/markdown"
	"parley/tui/toolview"
)

// How many lines of a body are shown while its tool call is collapsed.
const (
	textPeek     = 6
	diffPeek     = 14
	terminalPeek = 10
)

// rawMost bounds how much of a raw input or output is shown, in bytes.
const rawMost = 64 << 10

// body draws one content of a tool call.
type body interface {
	// len returns the number of lines at a width, draw adds some of them.
	len(width int, env *environment) int
	draw(s *sheet, from, to, width int, env *environment)
	// peek adds the collapsed body and returns how many lines it leaves out.
	peek(s *sheet, width int, env *environment) (more int)
}

// shortBody is a body that is drawn whole.
type shortBody struct {
	print     func(s *sheet, width int, env *environment)
	peekLines int // how many lines the collapsed body has at most
}

func (b *shortBody) all(copies bool, width int, env *environment) *sheet {
	s := sheet{copies: copies}
	b.print(&s, width, env)
	return &s
}

func (b *shortBody) len(width int, env *environment) int { return len(b.all(false, width, env).lines) }

func (b *shortBody) draw(s *sheet, from, to, width int, env *environment) {
	s.take(b.all(s.copies, width, env), from, to)
}

func (b *shortBody) peek(s *sheet, width int, env *environment) int {
	top := len(s.lines)
	b.print(s, width, env)
	shown, more := head(len(s.lines)-top, b.peekLines)
	s.cut(top + shown)
	return more
}

// between returns the lines from (inclusive) to (exclusive) that there are.
func between(lines []string, from, to int) []string {
	return lines[min(from, len(lines)):min(to, len(lines))]
}

// makeBodies returns the bodies of a call: the content of permission requests that the
// call has lost, the command, task list or questions of its input, its contents, and
// the terminals that no content embeds.
func (t *toolCall) makeBodies() []body {
	maker := t.bodyMaker()
	var bodies []body
	add := func(b body) {
		if b != nil {
			bodies = append(bodies, b)
		}
	}
	replaced := toolview.Replaced(t.item)
	for i := range replaced {
		add(maker.make(&replaced[i]))
	}
	add(t.commandBody())
	if tasks := t.item.Tasks; len(tasks) > 0 {
		add(&shortBody{func(s *sheet, width int, env *environment) {
			for _, task := range tasks {
				s.add(toolview.Task(task, env.theme, width)...)
			}
		}, diffPeek})
	}
	if len(maker.questions) > 0 {
		add(&shortBody{func(s *sheet, width int, env *environment) {
			for _, q := range maker.questions {
				s.wrap(q.Line, width, env.theme.Text)
				for _, o := range q.Options {
					s.wrap("• "+o, width, env.theme.Muted)
				}
			}
		}, textPeek})
	}
	for i := range t.item.Content {
		add(maker.make(&t.item.Content[i]))
	}
	for _, term := range t.item.Terminals {
		add(maker.Terminal(term.ID))
	}
	return bodies
}

func (t *toolCall) bodyMaker() *bodyMaker {
	m := &bodyMaker{
		call: t, kind: t.item.Kind, silent: toolview.Silent(t.item), terminals: map[acpclient.TerminalID]body{}, questions: toolview.Questions(t.item.RawInput),
	}
	line := ""
	if t.item.Kind == acpclient.ToolExecute {
		line = strings.TrimSpace(t.command().Line)
	}
	m.command = line
	for _, term := range t.item.Terminals {
		view := t.screens[term]
		m.terminals[term.ID] = view
		if term.Command != "" && term.Command != line && view.line != line {
			m.command = "" // another one is shown
		}
	}
	return m
}

// commandBody returns the body with the call's command, nil if the heading or a
// terminal shows all of it.
func (t *toolCall) commandBody() body {
	if t.item.Kind != acpclient.ToolExecute || t.head != nil {
		return nil // editors have an input of that name too
	}
	c := t.command()
	line := strings.TrimSpace(c.Line)
	if line == "" || c.Env == "" && slices.ContainsFunc(t.item.Terminals, func(term *conversation.Terminal) bool { return term.Command != "" }) {
		return nil
	}
	if title, whole := t.env.places.Heading(t.item); whole && c.Env == "" && strings.Contains(title, line) {
		return nil
	}
	return newCommandBody(c)
}

// command returns the command that the call, or a request about it, names, without the shell
// that it was given to.
func (t *toolCall) command() (c toolview.Command) {
	for _, call := range append([]*conversation.ToolCall{t.item}, t.item.Asked...) {
		if c = t.env.places.Command(call.RawInput); c.Line != "" {
			c.Line = toolview.WithoutShell(c.Line)
			break
		}
	}
	return c
}

// bodyMaker makes the body of a content, nil if the content shows nothing.
type bodyMaker struct {
	call      *toolCall
	kind      acpclient.ToolKind
	silent    bool
	terminals map[acpclient.TerminalID]body // without a body so far
	questions []toolview.Question           // shown by a body of their own
	command   string                        // of the call, if heading, body or terminal shows it
}

var _ toolview.Visitor[body] = (*bodyMaker)(nil)

func (m *bodyMaker) make(c *acpclient.ToolCallContent) body {
	b := toolview.Visit(c, m)
	if d, ok := b.(*diffBody); ok {
		d.deletes = toolview.Deletes(c, m.kind)
	}
	return b
}

func (m *bodyMaker) Block(b *acpclient.ContentBlock) body {
	switch {
	case !b.Annotations.ForUser():
		return nil
	case b.Type != acpclient.ContentText:
		words := m.call.env.places.Block(b)
		return &shortBody{func(s *sheet, width int, env *environment) {
			s.add(fit(words.Styled(env.theme), width))
			s.add(env.pictures.lines(b, width)...)
		}, pictureRows + 1}
	case strings.TrimSpace(b.Text) == "":
		return nil
	case m.silent && toolview.SaysNothing(m.call.item, b.Text):
		return nil // the header says it
	case len(m.call.item.Tasks) > 0 && json.Valid([]byte(b.Text)):
		return nil // the task list again, as JSON
	case m.command != "" && toolview.WithoutShell(toolview.Unfenced(b.Text)) == m.command:
		return nil
	case slices.ContainsFunc(m.questions, func(q toolview.Question) bool { return q.Text == strings.TrimSpace(b.Text) }):
		return nil
	case m.call.item.Failed() && !strings.ContainsFunc(b.Text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }):
		if code, fenced := toolview.Fenced(b.Text); fenced {
			return m.output(code, true)
		} else if toolview.VerbatimWhenAsked(m.kind, b.Text) {
			return m.output(b.Text, true)
		}
	case toolview.Verbatim(m.kind, b.Text):
		return m.output(b.Text, false)
	}
	text := termtext.VisibleBlanks(b.Text)
	doc := markdown.New(m.call.env.inner)
	doc.SetText(text)
	doc.Finish()
	return &textBody{doc: doc}
}

func (m *bodyMaker) output(text string, prose bool) body {
	return &outputBody{text: text, ends: m.kind == acpclient.ToolExecute, prose: prose}
}

func (m *bodyMaker) Diff(path string, before *string, after string) body {
	b := &diffBody{Diff: diffview.New(path, before, after), call: m.call.item, before: before, after: after}
	b.locate(m.call.env)
	return b
}

func (m *bodyMaker) Terminal(id acpclient.TerminalID) body {
	view := m.terminals[id]
	delete(m.terminals, id)
	return view
}

func (m *bodyMaker) Unknown(label string, raw json.RawMessage) body {
	return newRawBody(label, raw)
}

// textBody is Markdown that a tool produced.
type textBody struct {
	doc    *markdown.Document
	all    []string
	layout termtext.Layout
}

func (b *textBody) lines(width int) []string {
	if layout := termtext.NewLayout(width); b.layout != layout {
		b.all, b.layout = nil, layout
		for i := range b.doc.Len() {
			b.all = append(b.all, b.doc.Lines(i, width)...)
		}
		b.doc.Release()
	}
	return b.all
}

func (b *textBody) len(width int, _ *environment) int { return len(b.lines(width)) }

func (b *textBody) draw(s *sheet, from, to, width int, _ *environment) {
	all := sheet{lines: b.lines(width)}
	if s.copies {
		all = sheet{copies: true}
		for i := range b.doc.Len() {
			all.block(b.doc, i, width)
		}
	}
	s.take(&all, from, to)
}

// peek draws only the beginning of a long text.
func (b *textBody) peek(s *sheet, width int, _ *environment) int {
	top, shown, more := len(s.lines), 0, 0
	for i := 0; i < b.doc.Len() && more == 0; i++ {
		s.block(b.doc, i, width)
		shown, more = head(len(s.lines)-top, textPeek)
	}
	if s.cut(top + shown); more > 0 { // count the source's lines instead of drawing the rest
		more = max(lineCount(b.doc.Text())-textPeek, more)
	}
	return more
}

// rawBody is indented JSON below a label.
type rawBody struct {
	shortBody
	data   []byte
	kept   sheet
	layout termtext.Layout
}

// of returns the body of some data, b itself if its data is the same; nil without data.
func (b *rawBody) of(label string, data []byte) *rawBody {
	switch {
	case len(data) == 0:
		return nil
	case b != nil && sameArray(b.data, data):
		return b
	}
	return newRawBody(label, data)
}

func newRawBody(label string, data []byte) *rawBody {
	b := &rawBody{data: data}
	b.shortBody = shortBody{func(s *sheet, width int, env *environment) {
		if layout := termtext.NewLayout(width); b.layout != layout || b.kept.copies != s.copies {
			b.layout, b.kept = layout, sheet{copies: s.copies}
			b.kept.add(env.theme.Faint.Render(label))
			b.kept.wrap(toolview.JSON(b.data, rawMost), width, env.theme.Muted)
		}
		s.take(&b.kept, 0, len(b.kept.lines))
	}, 1}
	return b
}

// newCommandBody returns the body with the whole command of a call whose heading does not
// show it.
func newCommandBody(c toolview.Command) body {
	return &shortBody{func(s *sheet, width int, env *environment) {
		th := env.theme
		for i, line := range termtext.Break(c.Line, width-2) {
			lead := "  "
			if i == 0 {
				lead = th.Muted.Render("$ ")
			}
			s.add(lead + th.Text.Render(line))
		}
		if c.Dir != "" {
			s.add(fit(th.Muted.Render("  in "+c.Dir), width))
		}
		if c.Env != "" {
			for _, line := range termtext.Break("with "+c.Env, width-2) {
				s.add("  " + th.Muted.Render(line))
			}
		}
	}, textPeek}
}

// diffBody draws a change of a file.
type diffBody struct {
	*diffview.Diff
	call   *conversation.ToolCall
	before *string
	after  string

	position toolview.DiffPosition
	asOf     uint64 // the version of the facts when position was looked up
	deletes  bool   // the agent says that it deletes the file
	headed   bool   // one of several: its path is above it
}

// locate looks up the position of the change in its file.
func (b *diffBody) locate(env *environment) {
	b.asOf = env.facts.Version()
	if position := env.facts.PositionIn(b.call, b.Path(), b.before, b.after); position != b.position {
		b.position = position
		before, after := position.Whole(b.before, b.after)
		b.Diff = diffview.New(b.Path(), before, after)
	}
	b.SetFirstLine(b.position.Line)
}

// fate says whether the change creates or deletes the file, else "".
func (b *diffBody) fate() string {
	switch {
	case b.deletes || b.position.Deleted:
		return "deleted"
	case b.Change() == diffview.Created && (b.call.FileSeen(b.Path()) == nil || !b.call.FileSeen(b.Path()).Exists):
		return "new file"
	}
	return ""
}

// heading names the file of one change among several.
func (b *diffBody) heading(width int, env *environment) string {
	th := env.theme
	added, removed := b.Stats()
	line := th.DiffPath.Render(env.places.Path(b.Path())) + " " + toolview.Counts{Added: added, Removed: removed}.Styled(th)
	if fate := b.fate(); fate != "" {
		line += " " + th.Muted.Render(fate)
	}
	return fit(line, width)
}

func (b *diffBody) len(width int, env *environment) int {
	length := env.diffs.Layout(b.Diff, width).Len()
	if b.headed {
		length++
	}
	return length
}

func (b *diffBody) draw(s *sheet, from, to, width int, env *environment) {
	l := env.diffs.Layout(b.Diff, width)
	if b.headed {
		if from, to = from-1, to-1; from < 0 {
			s.add(b.heading(width, env))
		}
	}
	b.layout(s, l, from, to, env)
}

func (b *diffBody) peek(s *sheet, width int, env *environment) (more int) {
	if b.headed {
		s.add(b.heading(width, env))
	}
	l := b.Layout(width, false)
	shown, more := head(l.Len(), diffPeek)
	b.layout(s, l, 0, shown, env)
	return more
}

// layout adds lines of a layout.
func (b *diffBody) layout(s *sheet, l *diffview.Layout, from, to int, env *environment) {
	s.add(l.Lines(from, to, env.theme)...)
	if s.copies {
		s.tell(l.Rows(from, to)...)
	}
}

// changedFiles returns the paths of the files that the call changes.
func (t *toolCall) changedFiles() []string {
	var paths []string
	seen := map[string]bool{}
	for _, d := range t.diffs {
		if !seen[d.Path()] {
			seen[d.Path()] = true
			paths = append(paths, d.Path())
		}
	}
	return paths
}

// Diffs returns the session's preference for diffs, for other views to share.
func (l *List) Diffs() *diffview.Preference { return l.diffs }

// barWidth is the width of the rule left of a tool call's bodies.
const barWidth = 2

// ToggleDiffs toggles side-by-side diffs. It reports false if the view is too narrow
// for them.
func (l *List) ToggleDiffs() bool { return l.diffs.Toggle(l.width - gutter - 1 - barWidth) }

// HasDiff reports whether the selected item shows a change of a file.
func (l *List) HasDiff() bool {
	if l.Selected() == nil {
		return false
	}
	call, ok := l.at(l.selected).drawing.(*toolCall)
	return ok && len(call.diffs) > 0
}

// WidenContext expands the selected item and shows more lines around its changes: some,
// then all of the file, then the default. It reports false if the item has no diff.
func (l *List) WidenContext() bool {
	if !l.HasDiff() {
		return false
	}
	if !l.expanded[l.selected] {
		l.Toggle()
	}
	l.context[l.selected] = diffview.MoreContext(l.context[l.selected])
	l.reveal(l.selected)
	return true
}

// widthOf returns the width of a body. A diff is wider than text: its lines are code.
func (t *toolCall) widthOf(b body, width int) int {
	d, ok := b.(*diffBody)
	switch {
	case !ok:
	case t.env.diffs.SideBySide(d.Diff, t.env.diffWidth-barWidth):
		width = t.env.diffWidth
	default:
		width = max(width, t.env.diffWidth)
	}
	return width - barWidth
}

// partBytes bounds how much of a text is read to draw the few lines of a collapsed
// call.
const partBytes = 16 << 10

// outputBody is the output of a program or the text of a file, drawn by a terminal
// emulator.
type outputBody struct {
	text string
	ends bool // the collapsed body shows the end, where a command reports its result
	// prose breaks lines between words: it is what an agent says about a failure.
	prose bool

	all    *screen.Screen
	layout termtext.Layout
}

// outputTab is the distance of tab stops.
const outputTab = 8

// emulate draws a part of the text, whose lines end in bare line feeds.
func (b *outputBody) emulate(text string, width int) *screen.Screen {
	if b.prose {
		text = strings.Join(termtext.Wrap(termtext.ExpandTabs(text, outputTab), width), "\n")
	}
	rows := strings.Count(text, "\n") + len(text)/max(width, 1) + 1
	s := screen.New(width, TerminalRows, rows)
	s.SetImpliedCR(true)
	_, _ = s.Write([]byte(text))
	return s
}

func (b *outputBody) screen(width int, env *environment) *screen.Screen {
	if layout := termtext.NewLayout(width); b.all == nil || b.layout != layout {
		b.all, b.layout = b.emulate(b.text, width), layout
		*env.emulated += b.all.Len()
	}
	return b.all
}

func (b *outputBody) len(width int, env *environment) int { return b.screen(width, env).Len() }

func (b *outputBody) draw(s *sheet, from, to, width int, env *environment) {
	s.emulated(b.screen(width, env), from, to, b.text)
}

func (b *outputBody) peek(s *sheet, width int, env *environment) int {
	if b.ends {
		part := lastLines(b.text, terminalPeek+2)
		above := b.text[:len(b.text)-len(part)]
		s.tail(b.emulate(part, width), strings.Count(above, "\n"), env, part)
		return 0
	}
	part := firstLines(b.text, textPeek+2)
	emu := b.emulate(part, width)
	shown, more := head(emu.Len(), textPeek)
	if part != b.text {
		shown = min(textPeek, emu.Len())
		more = max(2, emu.Len()-shown+lineCount(b.text[len(part):]))
	}
	s.emulated(emu, 0, shown, part)
	return more
}

// lineCount counts the lines of a text; the last one may lack its line feed.
func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// firstLines cuts a text after its first n lines, or earlier if those are long.
func firstLines(text string, n int) string {
	end := 0
	for range n {
		i := strings.IndexByte(text[end:], '\n')
		if i < 0 {
			end = len(text)
			break
		}
		end += i + 1
	}
	return text[:min(end, partBytes)]
}

// lastLines cuts a text before its last n lines, or later if those are long.
func lastLines(text string, n int) string {
	trimmed := strings.TrimRight(text, "\n")
	start := len(trimmed)
	for range n {
		i := strings.LastIndexByte(trimmed[:start], '\n')
		if i < 0 {
			start = 0
			break
		}
		start = i
	}
	if start > 0 {
		start++ // behind the line feed
	}
	start = max(start, len(text)-partBytes)
	for start < len(text) && !utf8.RuneStart(text[start]) {
		start++
	}
	return text[start:]
}
