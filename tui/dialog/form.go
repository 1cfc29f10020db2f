package dialog

import (
	"slices"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/list"
	"parley/tui/theme"
)

// Form asks for values. It sends nothing that the agent's schema does not allow.
type Form struct {
	question
	asked   *conversation.Elicitation
	agent   string
	message *block // the agent's message
	form    *app.Form
	fields  []*field

	// focus is a field, or len(fields) for the answers.
	focus int
	// askedAgain says that the user was asked whether to send a form without any choice.
	askedAgain bool

	layout formLayout
	follow bool // keep the focused field visible
	// entered means that the form has the keys: it gets letters and digits even if the
	// prompt holds text. One of another session gets none before.
	entered bool
}

func newForm(env Env, e *conversation.Elicitation, agent string) *Form {
	d := &Form{asked: e, form: app.NewForm(e), agent: agent, follow: true}
	drafting := env.drafting
	env.Drafting = func() bool { return !d.entered && drafting() }
	d.question = newQuestion(env)
	respond := func(icon string, t tone, name string, a acpclient.ElicitationAction) reply {
		return reply{icon: icon, tone: t, name: name, action: Answer{app.Respond(e, a, nil)}}
	}
	d.replies = newReplies([]reply{
		respond("✓", good, "Accept", acpclient.ElicitAccept),
		respond("✗", bad, "Decline", acpclient.ElicitDecline),
		respond("•", neutral, "Cancel: no answer", acpclient.ElicitCancel),
	})
	d.answer = d.given
	d.message = newBlock(func(p renderContext) []string {
		said := styled(prose(e.Request.Message, p.width), p.th.Text)
		if s := e.Request.RequestedSchema; s != nil {
			said = append(said, styled(prose(s.Description, p.width), p.th.Muted)...)
		}
		return said
	})
	for _, f := range d.form.Fields {
		d.fields = append(d.fields, newField(f))
	}
	d.focus = -1
	d.step(1)
	return d
}

// Follow implements [AgentQuestion].
func (d *Form) Follow(c *conversation.Conversation) State {
	if c.Asks(d.asked) {
		return Open
	}
	return Over
}

// focusOn moves the focus. What was focused may have changed since it was laid out.
func (d *Form) focusOn(to int) {
	d.layout.left = append(d.layout.left, d.focus)
	d.focus = to
}

// step moves to the next field that can be filled in, or to the answers, of which it marks the first.
func (d *Form) step(by int) {
	to := d.focus + by
	for to >= 0 && to < len(d.fields) && d.fields[to].Kind == app.OtherField {
		to += by
	}
	if to < 0 {
		return
	}
	d.focusOn(min(to, len(d.fields)))
	if d.mark(-1); d.focus == len(d.fields) {
		d.mark(0)
	}
}

// current returns the focused field, or nil on the answers.
func (d *Form) current() *field {
	if d.focus < len(d.fields) {
		return d.fields[d.focus]
	}
	return nil
}

// Marked implements [AgentQuestion], as Begin and Unmark do.
func (d *Form) Marked() bool { return d.entered }

func (d *Form) Begin() Action {
	d.entered = !d.ignores()
	return nil
}

func (d *Form) Unmark() { d.entered = false }

// Key implements [Dialog]. One of another session keeps the characters once it is entered.
func (d *Form) Key(msg tea.KeyPressMsg) Action {
	switch {
	case !d.env.Foreign:
		return d.key(msg)
	case !d.entered:
		return NotTaken{}
	}
	a := d.key(msg)
	if d.entered = true; a == Action(NotTaken{}) && config.Types(msg.String()) {
		return nil
	}
	return a
}

func (d *Form) key(msg tea.KeyPressMsg) Action {
	if d.ignores() {
		return NotTaken{}
	}
	f, key, keys := d.current(), msg.String(), d.env.Keys
	if bare, alt := strings.CutPrefix(key, "alt+"); f != nil && d.env.drafting() {
		switch {
		case alt && d.answers(bare), d.leadsBack(key):
			d.entered = true
			return nil
		case d.env.drafts(key) || d.answers(key):
			return d.typed()
		}
	}
	d.why, d.follow = "", true
	switch {
	case f != nil && f.Kind == app.TextField && config.Types(key):
		f.key(msg)
		return nil
	case d.closes(msg):
		if d.env.Foreign {
			return Close{}
		}
		return Answer{app.Respond(d.asked, acpclient.ElicitCancel, nil)}
	case f == nil && d.env.drafting(), f == nil && key != "tab" && key != "shift+tab" && (d.replies.marked > 0 || !keys.Match(command.DialogUp, key)):
		a := d.question.Key(msg)
		if a == Action(NotTaken{}) {
			d.entered = false
		}
		return a
	}
	d.entered = d.entered || key == "tab" || keys.Match(command.DialogDown, key) || keys.Match(command.DialogUp, key)
	switch {
	case key == "tab":
		d.step(1)
	case key == "shift+tab":
		d.step(-1)
	case keys.Match(command.DialogAccept, key):
		if f.enterPicks() && !msg.IsRepeat {
			f.pick(f.at)
		}
		if !msg.IsRepeat {
			d.step(1)
		}
	case keys.Match(command.DialogDown, key):
		d.arrow(1)
	case keys.Match(command.DialogUp, key):
		d.arrow(-1)
	case f.key(msg):
	default:
		if d.follow = !d.scroll.Key(keys, key); d.follow {
			d.entered = d.entered && !config.Types(key)
			return d.passOn(msg)
		}
	}
	return nil
}

// answers reports whether a key marks or gives an answer, and needs alt while the prompt
// holds text.
func (d *Form) answers(key string) bool {
	keys := d.env.Keys
	return keys.Match(command.DialogAccept, key) || keys.Match(command.DialogUp, key) || keys.Match(command.DialogDown, key)
}

// leadsBack reports whether a key leads from the prompt back to the fields: one that moves
// between them, and for which the prompt has no use.
func (d *Form) leadsBack(key string) bool {
	keys := d.env.Keys
	moves := key == "tab" || key == "shift+tab" || keys.Match(command.DialogUp, key) || keys.Match(command.DialogDown, key)
	return moves && !d.env.drafts(key)
}

func (d *Form) arrow(by int) {
	if f := d.current(); f == nil || !f.move(by) {
		d.step(by)
	}
}

// given returns what an answer does, nil if the form cannot be accepted as it is.
func (d *Form) given(r reply) Action {
	if r.name != d.replies.list[0].name {
		return r.action
	}
	content, ok := d.content()
	switch {
	case !ok:
		return nil
	case d.form.Blank() && !d.askedAgain:
		d.askedAgain = true
		d.why = "nothing chosen or written: enter again sends it empty"
		return nil
	}
	return Answer{app.Respond(d.asked, acpclient.ElicitAccept, content)}
}

// content returns the values of the fields. On errors it shows them and focuses the first
// invalid field.
func (d *Form) content() (map[string]any, bool) {
	for _, f := range d.fields {
		f.Text = f.input.Text()
		_, _, f.problem = f.Value()
	}
	d.layout = formLayout{} // the problems have lines
	content, invalid, problem := d.form.Content()
	if invalid >= 0 {
		d.focus, d.follow = invalid, true
		d.mark(-1)
	}
	d.why = problem
	return content, invalid < 0 && problem == ""
}

// Paste implements [Dialog].
func (d *Form) Paste(text string) Action {
	if d.ignores() || d.env.drafting() || d.env.Foreign && !d.entered {
		return NotTaken{}
	}
	f := d.current()
	if f == nil || f.Kind != app.TextField {
		d.entered = false
		return d.typed()
	}
	f.input.Paste(text)
	f.problem, d.why = "", ""
	return nil
}

// Mouse implements [Dialog]: the wheel scrolls, a click focuses a field, toggles a choice
// or gives an answer.
func (d *Form) Mouse(msg tea.MouseMsg, x, y int) Action {
	d.follow = false
	line, inBody := d.placement.bodyLine(y)
	line += d.scroll.Top
	if m, click := msg.(tea.MouseClickMsg); !click || !inBody {
		if _, foot := d.placement.footLine(y); click && foot {
			d.focusOn(len(d.fields))
		}
		return d.question.Mouse(msg, x, y)
	} else if d.ignores() {
		return NotTaken{}
	} else if m.Button != tea.MouseLeft {
		return nil
	}
	i, choice := d.layout.target(d, line)
	if i < 0 || d.fields[i].Kind == app.OtherField {
		return nil
	}
	f := d.fields[i]
	d.focusOn(i)
	d.entered = true
	d.mark(-1)
	switch {
	case choice < 0:
	case f.Kind == app.OneField:
		f.pick(choice)
	default:
		f.toggle(choice)
	}
	return nil
}

// Hints implements [Dialog].
func (d *Form) Hints() []Hint {
	f, closing := d.current(), d.env.closing("cancel")
	switch {
	case f == nil, d.env.Guard.inert():
		return d.hints(closing)
	case d.env.drafting():
		hints := append([]Hint{{d.accepting() + ":", "to the form"}}, d.promptHints()...)
		return d.env.hint(hints, command.DialogClose, "cancel")
	}
	words := "next"
	var hints, other []Hint
	switch f.Kind {
	case app.ManyField:
		other = []Hint{{"space", "tick"}}
	case app.OneField:
		other = []Hint{{"space", "choose"}}
		if f.enterPicks() {
			words = "choose, next"
		}
	}
	if keys := d.env.Keys.For(command.DialogAccept); len(keys) > 0 {
		hints = append(hints, Hint{keys[0] + ":", words})
	}
	hints = append(append(hints, other...), Hint{"tab", "next"})
	return d.env.hint(hints, command.DialogClose, closing)
}

// field is a field of a form on the screen.
type field struct {
	*app.FormField
	about   *block     // its description
	input   list.Input // the value of a text field
	at      int        // the choice that the arrows are at
	moved   bool       // the arrows were used
	problem string
}

func newField(of *app.FormField) *field {
	f := &field{FormField: of}
	f.about = newBlock(func(on renderContext) []string { return styled(prose(of.Schema.Description, on.width), on.th.Muted) })
	f.input.Set(of.Text)
	if of.Kind == app.OneField {
		f.at = max(0, slices.Index(of.Picked, true))
	}
	return f
}

// key handles a key that edits the field.
func (f *field) key(msg tea.KeyPressMsg) bool {
	key := msg.String()
	taken := true
	switch {
	case f.Kind == app.TextField:
		taken = f.input.Key(msg)
	case len(f.Choices) == 0:
		return false
	case key == "space" && f.Kind == app.OneField:
		f.pick(f.at)
	case key == "space":
		f.toggle(f.at)
	case key == "backspace" || key == "delete":
		clear(f.Picked)
		f.moved = false
	case digit(key) >= 0 && digit(key) < len(f.Choices) && f.Kind == app.OneField:
		f.pick(digit(key))
	case digit(key) >= 0 && digit(key) < len(f.Choices):
		f.toggle(digit(key))
	case key == "home":
		f.at = 0
	case key == "end":
		f.at = len(f.Choices) - 1
	default:
		return false
	}
	if taken {
		f.problem = ""
	}
	return taken
}

// toggle selects a choice, or no longer.
func (f *field) toggle(i int) {
	f.Picked[i] = !f.Picked[i]
	f.at, f.problem = i, ""
}

// pick selects a choice instead of the previous one.
func (f *field) pick(i int) {
	if i >= len(f.Choices) {
		return
	}
	clear(f.Picked)
	f.Picked[i], f.at, f.problem = true, i, ""
}

// move goes to another choice, and reports whether there is one.
func (f *field) move(by int) bool {
	if f.Kind != app.OneField && f.Kind != app.ManyField {
		return false
	}
	to := f.at + by
	if to < 0 || to >= len(f.Choices) {
		return false
	}
	f.at, f.moved = to, true
	return true
}

// enterPicks reports whether enter picks the choice under the cursor: not that of a switch
// that may stay untouched.
func (f *field) enterPicks() bool {
	return f.Kind == app.OneField && (f.Required || f.moved || f.Schema.Type != acpclient.PropertyBoolean)
}

// formLine is a line of a field, and the choice that a click on it takes, -1 for none.
type formLine struct {
	text   string
	choice int
}

// formLayout has the lines at which the fields begin, each with an empty line, and at the end their
// number. Only the focused field changes, and those that were focused since the last time: the others are
// not drawn to lay the form out.
type formLayout struct {
	starts  []int
	on      renderContext
	widths  termtext.Layout
	focused int   // -1: none
	left    []int // fields that were focused since
}

// lay lays the form out. focused is the field that has the keys, -1 for none.
func (l *formLayout) lay(d *Form, on renderContext, focused int) {
	if widths := termtext.NewLayout(on.width); l.starts == nil || l.on != on || l.widths != widths {
		*l = formLayout{starts: []int{d.message.height(on)}, on: on, widths: widths, focused: focused}
		for i := range d.fields {
			l.starts = append(l.starts, l.starts[i]+l.height(d, i))
		}
		return
	}
	again := append(l.left, l.focused, focused)
	l.focused, l.left = focused, l.left[:0]
	for _, i := range again {
		if i < 0 || i >= len(d.fields) {
			continue
		}
		if more := l.height(d, i) - (l.starts[i+1] - l.starts[i]); more != 0 {
			for at := i + 1; at < len(l.starts); at++ {
				l.starts[at] += more
			}
		}
	}
}

// height returns the height of a field with the line above it.
func (l *formLayout) height(d *Form, i int) int {
	lines, _ := d.fields[i].draw(l.on.width, i == l.focused, l.on.th)
	return 1 + len(lines)
}

// at returns the field on a line, -1 for none.
func (l *formLayout) at(line int) int {
	i := sort.Search(len(l.starts), func(i int) bool { return l.starts[i] > line }) - 1
	if i >= len(l.starts)-1 {
		return -1
	}
	return i
}

// target returns the field and the choice on a line, -1 for none.
func (l *formLayout) target(d *Form, line int) (field, choice int) {
	i := l.at(line)
	if i < 0 || line == l.starts[i] {
		return -1, -1
	}
	lines, _ := d.fields[i].draw(l.on.width, i == l.focused, l.on.th)
	if at := line - l.starts[i] - 1; at < len(lines) { // it may have become lower since
		return i, lines[at].choice
	}
	return -1, -1
}

// formBody is the content of a form that is laid out.
type formBody struct{ *Form }

func (b formBody) height(renderContext) int { return b.layout.starts[len(b.fields)] }

func (b formBody) lines(on renderContext, from, to int) []string {
	l := &b.layout
	said := l.starts[0]
	out := b.message.lines(on, min(from, said), min(to, said))
	if to <= said {
		return out
	}
	first := l.at(max(from, said))
	var drawn []string
	for i := first; i >= 0 && i < len(b.fields) && l.starts[i] < to; i++ {
		lines, _ := b.fields[i].draw(on.width, i == l.focused, on.th)
		drawn = append(drawn, "")
		for _, line := range lines {
			drawn = append(drawn, line.text)
		}
	}
	if first < 0 {
		return out
	}
	return append(out, drawn[max(from, said)-l.starts[first]:min(to, b.height(on))-l.starts[first]]...)
}

// maxChoices is how many choices of a field are visible.
const maxChoices = 6

// View implements [Dialog].
func (d *Form) View(width, maxHeight int) View {
	width = min(width, widest)
	w := inner(width, maxHeight)
	on, focused := renderContext{w, d.env.Theme}, -1
	if f := d.current(); f != nil && !d.env.Guard.inert() && (!d.env.Foreign || d.entered) {
		focused = d.focus
	}
	d.layout.lay(d, on, focused)
	starts := d.layout.starts
	from, to := 0, 0
	var cursor *tea.Cursor
	if d.current() != nil {
		from, to = starts[d.focus]+1, starts[d.focus+1]
	} else if len(d.fields) > 0 {
		to = starts[len(d.fields)]
		from = to - 1
	}
	if focused >= 0 {
		if _, cursor = d.current().draw(w, true, d.env.Theme); cursor != nil {
			cursor.Y += from
		}
	}
	if !d.follow {
		to = 0
	}
	return d.view(panel{title: d.title(), body: formBody{d}, asked: d.message, cursor: cursor, inBody: true, from: from, to: to}, width, maxHeight)
}

func (d *Form) title() string {
	title := cut(termtext.Line(d.agent), 40) + " asks"
	if s := d.asked.Request.RequestedSchema; s != nil && termtext.Line(s.Title) != "" {
		title += ": " + termtext.Line(list.Clip(s.Title))
	}
	return title
}

// draw draws the field: name, description, value and error.
func (f *field) draw(w int, focused bool, th *theme.Theme) (lines []formLine, cursor *tea.Cursor) {
	const indent = "  "
	room := max(1, w-len(indent))
	add := func(s string) { lines = append(lines, formLine{s, -1}) }

	for _, l := range f.heading(w, focused, th) {
		add(l)
	}
	about := renderContext{room, th}
	for _, l := range f.about.lines(about, 0, f.about.height(about)) {
		add(indent + l)
	}
	switch f.Kind {
	case app.TextField:
		bar := th.Faint.Render("│ ")
		if focused {
			bar = accent(th).Render("│ ")
		}
		text, column := f.input.Draw(max(1, room-2), th)
		if focused {
			cursor = tea.NewCursor(len(indent)+2+column, len(lines))
		}
		add(indent + bar + text)
	case app.OneField, app.ManyField:
		lines = append(lines, f.drawChoices(w, focused, th)...)
	case app.OtherField:
		for _, l := range prose("unsupported field, left out", room) {
			add(indent + th.Warning.Render(l))
		}
	}
	for _, l := range marked("✗", f.problem, room, th.Error) {
		add(indent + l)
	}
	return lines, cursor
}

// heading draws the name of a field, with its constraints beside it or below.
func (f *field) heading(w int, focused bool, th *theme.Theme) []string {
	const indent = "  "
	mark, name := indent, th.Strong
	if focused {
		mark, name = accent(th).Render("❯")+" ", accent(th).Bold(true)
	}
	lines := hang(mark, indent, styled(termtext.Wrap(f.Label(), max(1, w-len(indent))), name))
	rules := f.Rules()
	if last := len(lines) - 1; last >= 0 && rules != "" && termtext.Width(lines[last])+2+termtext.Width(rules) <= w {
		lines[last] += "  " + th.Faint.Render(rules)
		return lines
	}
	for _, l := range prose(rules, max(1, w-len(indent))) {
		lines = append(lines, indent+th.Faint.Render(l))
	}
	return lines
}

// drawChoices draws the choices around the cursor. An unfocused field shows the picked
// ones.
func (f *field) drawChoices(w int, focused bool, th *theme.Theme) []formLine {
	var lines []formLine
	from, to := 0, len(f.Choices)
	if len(f.Choices) > maxChoices {
		from = max(0, min(f.at-maxChoices/2, len(f.Choices)-maxChoices))
		to = from + maxChoices
	}
	hidden := func(n int, arrow string) {
		if n > 0 {
			lines = append(lines, formLine{accent(th).Render("    " + arrow + " " + termtext.Count(n, "more choice")), -1})
		}
	}
	hidden(from, "↑")
	for i := from; i < to; i++ {
		c := f.Choices[i]
		mark, name := "  ", th.Text
		if focused && i == f.at {
			mark, name = accent(th).Render("❯")+" ", th.Strong
		}
		box := map[bool]string{true: "●", false: "○"}
		if f.Kind == app.ManyField {
			box = map[bool]string{true: "■", false: "□"}
		}
		tick := th.Muted.Render(box[false])
		if f.Picked[i] {
			tick = th.Success.Render(box[true])
		}
		title := termtext.VisibleLine(list.Clip(c.Title))
		if title == "" {
			title = termtext.VisibleLine(list.Clip(c.Const))
		}
		line := "  " + mark + tick + " " + name.Render(title)
		about := termtext.Line(list.Clip(c.Description))
		whole := line
		if about != "" {
			whole += "  " + th.Faint.Render(about)
		}
		if !focused || i != f.at || termtext.Width(whole) <= w {
			lines = append(lines, formLine{cut(whole, w), i})
			continue
		}
		// Describe the choice under the cursor in full.
		const indent = "      "
		for _, l := range hang("  "+mark+tick+" ", indent, styled(termtext.Wrap(title, max(1, w-len(indent))), name)) {
			lines = append(lines, formLine{l, i})
		}
		for _, l := range prose(about, max(1, w-len(indent))) {
			lines = append(lines, formLine{indent + th.Muted.Render(l), i})
		}
	}
	hidden(len(f.Choices)-to, "↓")
	return lines
}
