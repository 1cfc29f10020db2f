package dialog

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
)

// Form asks for values. It has three buttons, Accept, Decline and Cancel, and sends
// nothing that the agent's schema does not allow.
type Form struct {
	question
	asked   *conversation.Elicitation
	agent   string
	message *block // the agent's message
	form    *app.Form
	fields  []*field

	// focus is a field, or len(fields) for the buttons.
	focus  int
	button int // -1: none yet
	// askedAgain says that the person was asked whether to send a form without any choice.
	askedAgain bool
	// problem is why the form cannot be accepted.
	problem string

	lines  []formLine // the body as drawn last
	follow bool       // keep the focused field visible
	// entered means that the form has the keys: it gets letters and digits even if the
	// prompt holds text.
	entered bool
}

var buttons = []struct {
	name   string
	action acpclient.ElicitationAction
}{{"Accept", acpclient.ElicitAccept}, {"Decline", acpclient.ElicitDecline}, {"Cancel", acpclient.ElicitCancel}}

func newForm(env Env, e *conversation.Elicitation, agent string) *Form {
	d := &Form{question: newQuestion(env), asked: e, form: app.NewForm(e), agent: agent, button: -1, follow: true}
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
	if d.focus == len(d.fields) {
		d.button = -1 // without fields nothing is marked until a key marks it
	}
	return d
}

// Follow implements [AgentQuestion].
func (d *Form) Follow(c *conversation.Conversation) State {
	if isOpen(c, d.asked) {
		return Open
	}
	return Over
}

// step moves to the next field that can be filled in, or to the buttons.
func (d *Form) step(by int) {
	to := d.focus + by
	for to >= 0 && to < len(d.fields) && d.fields[to].Kind == app.OtherField {
		to += by
	}
	if to < 0 {
		return
	}
	d.focus = min(to, len(d.fields))
	if d.focus == len(d.fields) {
		d.button = 0
	}
}

// current returns the focused field, or nil on the buttons.
func (d *Form) current() *field {
	if d.focus < len(d.fields) {
		return d.fields[d.focus]
	}
	return nil
}

// Key implements [Dialog].
func (d *Form) Key(msg tea.KeyPressMsg) Action {
	if d.held() {
		return NotTaken{}
	}
	key, keys := msg.String(), d.env.Keys
	if !d.entered && (d.env.drafts(key) || d.env.drafting() && keys.Match(config.ActionDialogAccept, key)) {
		return d.typed()
	}
	d.entered = d.entered || key == "tab" || keys.Match(config.ActionDialogDown, key) || keys.Match(config.ActionDialogUp, key)
	f := d.current()
	d.follow = true
	switch {
	case f != nil && f.Kind == app.TextField && config.Types(key):
		f.key(msg)
		d.problem = ""
	case d.closes(msg):
		return response(d.asked, acpclient.ElicitCancel, nil)
	case key == "tab":
		d.step(1)
	case key == "shift+tab":
		d.step(-1)
	case keys.Match(config.ActionDialogAccept, key):
		return d.enter(msg)
	case keys.Match(config.ActionDialogDown, key):
		d.arrow(1)
	case keys.Match(config.ActionDialogUp, key):
		d.arrow(-1)
	case f == nil && (key == "left" || key == "right"):
		d.sideways(key)
	case f != nil && f.key(msg):
		d.problem = ""
	default:
		d.follow = !d.scroll.Key(keys, key)
		switch {
		case key == "space": // people press buttons with it
		case d.follow && config.Types(key):
			return d.leave()
		case d.follow:
			return NotTaken{}
		}
	}
	return nil
}

// leave gives text that the form does not take to the prompt, and unmarks the button.
func (d *Form) leave() Action {
	d.button, d.entered = -1, false
	return d.typed()
}

func (d *Form) arrow(by int) {
	f := d.current()
	switch {
	case f == nil && d.button < 0:
		d.button = 0
	case f == nil && by > 0:
	case f == nil || !f.move(by):
		d.step(by)
	}
}

func (d *Form) sideways(key string) {
	by := 1
	if key == "left" {
		by = -1
	}
	d.button = max(0, min(d.button+by, len(buttons)-1))
}

// enter selects the choice under the cursor and moves on, or presses the button.
func (d *Form) enter(msg tea.KeyPressMsg) Action {
	f := d.current()
	if f != nil {
		if f.Kind == app.OneField {
			f.pick(f.at)
		}
		d.step(1)
		return nil
	}
	if d.button < 0 || msg.IsRepeat {
		return nil
	}
	return d.press(d.button, msg.String())
}

func (d *Form) press(button int, key string) Action {
	var content map[string]any
	if buttons[button].action == acpclient.ElicitAccept {
		if !d.viewed.complete() {
			d.problem = "scroll up to see the whole form first, or enlarge the window"
			return nil
		}
		var ok bool
		if content, ok = d.content(); !ok {
			return nil
		}
		if d.form.ChoosesNothing() && !d.askedAgain {
			d.askedAgain = true
			d.problem = "nothing chosen: enter again sends it empty"
			return nil
		}
	}
	d.env.Guard.answer(key)
	return response(d.asked, buttons[button].action, content)
}

// content returns the values of the fields. On errors it shows them and focuses the first
// invalid field.
func (d *Form) content() (map[string]any, bool) {
	for _, f := range d.fields {
		f.Text = f.input.Text()
		_, _, f.problem = f.Value()
	}
	content, invalid, problem := d.form.Content()
	if invalid >= 0 {
		d.focus = invalid
	}
	d.problem = problem
	return content, invalid < 0 && problem == ""
}

// Paste implements [Dialog].
func (d *Form) Paste(text string) Action {
	if d.held() || !d.entered && d.env.drafting() {
		return NotTaken{}
	}
	f := d.current()
	if f == nil || f.Kind != app.TextField {
		return d.leave()
	}
	f.input.Paste(text)
	f.problem, d.problem = "", ""
	return nil
}

// Mouse implements [Dialog]: the wheel scrolls, a click focuses a field or toggles a
// choice.
func (d *Form) Mouse(msg tea.MouseMsg, _, y int) Action {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		d.scroll.Wheel(m)
		d.follow = false
	case tea.MouseClickMsg:
		if d.env.Guard.inert() {
			return NotTaken{}
		}
		line, ok := d.placement.bodyLine(y)
		line += d.scroll.Top
		if !ok || m.Button != tea.MouseLeft || line >= len(d.lines) {
			return nil
		}
		d.click(d.lines[line])
	}
	return nil
}

func (d *Form) click(l formLine) {
	if l.field < 0 || d.fields[l.field].Kind == app.OtherField {
		return
	}
	f := d.fields[l.field]
	d.focus, d.entered = l.field, true
	switch {
	case l.choice < 0:
	case f.Kind == app.OneField:
		f.pick(l.choice)
	default:
		f.at, f.problem = l.choice, ""
		f.Picked[l.choice] = !f.Picked[l.choice]
	}
}

// Hints implements [Dialog].
func (d *Form) Hints() []Hint {
	if d.env.Guard.inert() {
		return nil
	}
	var hints []Hint
	switch f := d.current(); {
	case f == nil:
		hints = append(hints, Hint{"←→", "choose"})
		if d.button >= 0 {
			hints = d.env.hint(hints, config.ActionDialogAccept, buttons[d.button].name)
		}
	case f.Kind == app.ManyField:
		hints = append(hints, Hint{"space", "tick"})
		hints = d.env.hint(hints, config.ActionDialogAccept, "next")
	case f.Kind == app.OneField:
		hints = d.env.hint(hints, config.ActionDialogAccept, "choose, next")
		hints = append(hints, Hint{"space", "choose"})
	default:
		hints = d.env.hint(hints, config.ActionDialogAccept, "next")
	}
	hints = append(hints, Hint{"tab", "next"})
	return d.env.hint(hints, config.ActionDialogClose, "cancel")
}
