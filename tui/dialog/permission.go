package dialog

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/safetext"
	"parley/internal/session"
	"parley/tui/theme"
)

// Permission asks the person about a tool call. It shows the call, and every
// option as the agent sent it; none is marked until an arrow marks one.
type Permission struct {
	env     Env
	asked   *session.Permission
	waiting int

	answers answers
	scroll  scroller
	raw     bool

	about   stack
	version uint64

	place placement
}

// NewPermission shows a permission that has come up, or that comes next after
// an answer: either way it is inert at first. waiting is how many are open,
// this one included.
func NewPermission(env Env, p *session.Permission, waiting int) *Permission {
	env.Guard.open()
	d := &Permission{env: env, asked: p, waiting: waiting}
	d.answers = newAnswers(optionAnswers(env, p))
	return d
}

// ID is that of the permission.
func (d *Permission) ID() int { return d.asked.ID }

// SetWaiting says how many permissions are open, this one included.
func (d *Permission) SetWaiting(n int) { d.waiting = n }

// SetTheme implements [Dialog].
func (d *Permission) SetTheme(th *theme.Theme) { d.env.Theme = th }

// ArmsIn implements [Guarded].
func (d *Permission) ArmsIn(now time.Time) time.Duration { return d.env.Guard.ArmsIn(now) }

var optionFaces = map[acpclient.PermissionOptionKind]struct {
	icon     string
	tone     tone
	shortcut config.Action
}{
	acpclient.AllowOnce:    {"✓", good, config.ActionAllowOnce},
	acpclient.AllowAlways:  {"✓", good, config.ActionAllowAlways},
	acpclient.RejectOnce:   {"✗", bad, config.ActionRejectOnce},
	acpclient.RejectAlways: {"✗", bad, config.ActionRejectAlways},
}

// optionAnswers are the options in the agent's order. Kinds only give icon,
// colour and a key; a key only where it can mean one option.
func optionAnswers(env Env, p *session.Permission) []answer {
	kinds := map[acpclient.PermissionOptionKind]int{}
	names := map[string]int{}
	for _, o := range p.Options {
		kinds[o.Kind]++
		names[safetext.Line(o.Name)]++
	}
	list := make([]answer, len(p.Options))
	for i, o := range p.Options {
		a := answer{name: visibleLine(o.Name), icon: "•", action: Answer{p.ID, o.OptionID}}
		if a.name == "" {
			a.name = "an option without a name"
		}
		if safetext.Line(o.Name) == "" || names[safetext.Line(o.Name)] > 1 {
			a.more = visibleLine(string(o.OptionID))
		}
		if f, ok := optionFaces[o.Kind]; ok {
			a.icon, a.tone = f.icon, f.tone
			if kinds[o.Kind] == 1 {
				a.key = env.key(f.shortcut)
			}
			if digit(a.key) >= 0 {
				a.key = "" // numbers are positions, always
			}
		}
		list[i] = a
	}
	return list
}

// Key implements [Dialog].
func (d *Permission) Key(msg tea.KeyPressMsg) Action {
	if d.env.Guard.inert() {
		d.env.Guard.Typed()
		return NotTaken{}
	}
	key := msg.String()
	if a, ok := d.answerTo(key); ok {
		if msg.IsRepeat {
			return nil // a key held down answers nothing
		}
		d.env.Guard.answer(key)
		return a.action
	}
	switch keys := d.env.Keys; {
	case keys.Match(config.ActionDialogClose, key):
		return CancelTurn{}
	case keys.Match(config.ActionDialogUp, key):
		d.answers.move(-1)
	case keys.Match(config.ActionDialogDown, key):
		d.answers.move(1)
	case key == "i":
		d.raw = !d.raw
		d.about = nil
	default:
		d.scroll.key(d.env.Keys, key)
	}
	return nil
}

// answerTo is the option that a key answers with: by its number, by the key of
// its kind, or, once one is marked, by the key that accepts.
func (d *Permission) answerTo(key string) (answer, bool) {
	if d.env.Keys.Match(config.ActionDialogAccept, key) {
		return d.answers.current()
	}
	if a, ok := d.answers.byKey(key); ok {
		return a, true
	}
	// A second key of an action works too, though only the first is shown.
	if action, ok := d.env.Keys.Action(config.ContextDialog, key); ok && digit(key) < 0 {
		if first := d.env.key(action); first != key {
			return d.answers.byKey(first)
		}
	}
	return answer{}, false
}

// Paste implements [Dialog]: pasted text is never an answer.
func (d *Permission) Paste(string) Action {
	if d.env.Guard.inert() {
		d.env.Guard.Typed()
	}
	return NotTaken{}
}

// Mouse implements [Dialog]: the wheel scrolls, a click marks an option.
func (d *Permission) Mouse(msg tea.MouseMsg, _, y int) Action {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		d.scroll.wheel(m)
	case tea.MouseClickMsg:
		if d.env.Guard.inert() {
			return NotTaken{}
		}
		if line, ok := d.place.footLine(y); ok && m.Button == tea.MouseLeft {
			d.answers.marked = d.answers.at(line)
		}
	}
	return nil
}

// View implements [Dialog].
func (d *Permission) View(width, maxHeight int) View {
	inert := d.env.Guard.inert()
	if d.about == nil || d.version != d.asked.ToolCall.Version() {
		d.version = d.asked.ToolCall.Version()
		d.about = aboutCall(d.asked.ToolCall, d.env.Cwd)
		if d.raw {
			d.about = append(d.about, gap{}, rawPart(d.asked.ToolCall.RawInput))
		}
	}
	p := panel{
		th: d.env.Theme, title: "Permission", lit: !inert,
		head: []string{""}, body: d.about, scroll: &d.scroll,
	}
	if maxHeight < roomy {
		p.head = nil
	}
	if d.waiting > 1 {
		p.note = fmt.Sprintf("1 of %d waiting", d.waiting)
	}
	if inert {
		p.status = inertWords
	}
	p.foot, p.keep = d.answers.draw(inner(width, maxHeight), inert, d.env.Theme)
	if len(d.answers.list) == 0 {
		p.foot = prose("The agent offered nothing to answer with. "+d.env.key(config.ActionDialogClose)+" cancels the turn.", inner(width, maxHeight))
	}
	v, place := p.view(width, maxHeight)
	d.place = place
	return v
}

// inertWords say why a dialog does not take keys yet.
const inertWords = "takes no keys until you pause"

// roomy is the height from which on there is room for empty lines.
const roomy = 14

// Hints implements [Dialog].
func (d *Permission) Hints() []Hint {
	if d.env.Guard.inert() {
		return nil
	}
	var hints []Hint
	if n := min(9, len(d.answers.list)); n == 1 {
		hints = append(hints, Hint{"1", "answer"})
	} else if n > 1 {
		hints = append(hints, Hint{fmt.Sprintf("1-%d", n), "answer"})
	}
	if d.answers.marked >= 0 {
		hints = d.env.hint(hints, config.ActionDialogAccept, "answer with the marked one")
	} else if len(d.answers.list) > 0 {
		hints = d.env.hint(hints, config.ActionDialogDown, "mark")
	}
	hints = d.env.hint(hints, config.ActionDialogClose, "cancel the turn")
	if d.scroll.scrolls() {
		hints = d.env.hint(hints, config.ActionDialogPageDown, "scroll")
	}
	if len(d.asked.ToolCall.RawInput) > 0 {
		word := "raw input"
		if d.raw {
			word = "hide raw input"
		}
		hints = append(hints, Hint{"i", word})
	}
	return hints
}
