package inspector

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/dialog"
)

// purpose is what a person writes for.
type purpose uint8

const (
	noPurpose purpose = iota
	filtering
	searching
	saving
)

// writing is a line that the person writes.
type writing struct {
	purpose purpose
	line    dialog.Line
}

// Key implements dialog.Dialog.
func (v *View) Key(k tea.KeyPressMsg) dialog.Action {
	if v.line.purpose != noPurpose {
		return stay(v.writingKey(k))
	}
	v.note = ""
	name := k.String()
	if a, ok := v.opt.Keys.Action(config.ContextInspector, name); ok {
		return v.do(a)
	}
	switch a, _ := v.opt.Keys.Action(config.ContextPrompt, name); a {
	case config.ActionInspector:
		return v.close()
	case config.ActionPageUp, config.ActionPageDown:
		return stay(v.page(direct(a == config.ActionPageDown)))
	case config.ActionLineUp, config.ActionLineDown:
		return stay(v.scroll(direct(a == config.ActionLineDown)))
	}
	return nil
}

// direct is 1 for forward and -1 for backward.
func direct(forward bool) int {
	if forward {
		return 1
	}
	return -1
}

// stay is what carries a command out, which may be nil; the view stays.
func stay(cmd tea.Cmd) dialog.Action {
	if cmd == nil {
		return nil
	}
	return dialog.Stay(func() tea.Cmd { return cmd })
}

func (v *View) close() dialog.Action {
	v.Close()
	return dialog.Close{}
}

// do does what an action of the configuration says.
func (v *View) do(a config.Action) dialog.Action {
	switch a {
	case config.ActionInspectorClose:
		if v.detail == nil {
			return v.close()
		}
		v.detail = nil
	case config.ActionInspectorShow:
		return stay(v.toggleDetail())
	case config.ActionInspectorNext, config.ActionInspectorPrev:
		return stay(v.move(direct(a == config.ActionInspectorNext)))
	case config.ActionInspectorFirst:
		return stay(v.move(-1 << 30))
	case config.ActionInspectorLast:
		return stay(v.move(1 << 30))
	case config.ActionInspectorUp, config.ActionInspectorDown:
		return stay(v.scroll(direct(a == config.ActionInspectorDown)))
	case config.ActionInspectorFilter:
		v.line = writing{purpose: filtering}
		v.filterBy("")
	case config.ActionInspectorSearch:
		v.line = writing{purpose: searching}
	case config.ActionInspectorFound, config.ActionInspectorBack:
		return stay(v.search(direct(a == config.ActionInspectorFound)))
	case config.ActionInspectorPair:
		return stay(v.pair())
	case config.ActionInspectorPause:
		return stay(v.togglePause())
	case config.ActionInspectorCopy:
		return stay(v.copy())
	case config.ActionInspectorSave:
		v.line = writing{purpose: saving}
		v.line.line.Paste(v.proposed())
	default:
		return stay(v.narrow(a))
	}
	return nil
}

// narrow changes which messages are shown.
func (v *View) narrow(a config.Action) tea.Cmd {
	f := &v.list.filter
	switch a {
	case config.ActionInspectorDirection:
		f.direction = (f.direction + 1) % 3
	case config.ActionInspectorKind:
		f.kind = (f.kind + 1) % 4
	case config.ActionInspectorWrong:
		f.wrong = !f.wrong
	case config.ActionInspectorMethod:
		if f.method != "" {
			f.method = ""
		} else if rows := v.list.selected(); len(rows) > 0 {
			f.method = v.list.rows[rows[0]].Method
		}
	case config.ActionInspectorAll:
		*f = filter{}
	case config.ActionInspectorFold:
		v.list.folded = !v.list.folded
	}
	v.list.rebuild()
	return v.load()
}

// toggleDetail shows the marked message in full, or no longer.
func (v *View) toggleDetail() tea.Cmd {
	if v.detail != nil {
		v.detail = nil
		return nil
	}
	if v.list.selected() == nil {
		return nil
	}
	v.detail = &detail{stale: true}
	return v.load()
}

// move moves the mark.
func (v *View) move(by int) tea.Cmd {
	v.list.move(by)
	return v.load()
}

// scroll scrolls what is shown in full, else the list.
func (v *View) scroll(by int) tea.Cmd {
	if v.detail != nil {
		v.detail.scroll(by)
		return nil
	}
	v.list.scroll(by)
	return nil
}

// page is scroll by as much as is in sight.
func (v *View) page(by int) tea.Cmd {
	if v.detail != nil {
		v.detail.scroll(by * max(1, v.detail.height-1))
		return nil
	}
	return v.move(by * max(1, v.list.height-1))
}

// writingKey takes a key while the person writes.
func (v *View) writingKey(k tea.KeyPressMsg) tea.Cmd {
	w := &v.line
	switch name := k.String(); {
	case v.opt.Keys.Match(config.ActionCancel, name):
		if w.purpose == filtering {
			v.filterBy("")
		}
		v.line = writing{}
		return v.load()
	case name == "enter":
		return v.written()
	case w.line.Key(k):
		if w.purpose == filtering {
			v.filterBy(w.line.Text())
			return v.load()
		}
	}
	return nil
}

// written does what the person has written for.
func (v *View) written() tea.Cmd {
	w := v.line
	v.line = writing{}
	switch w.purpose {
	case searching:
		v.sought = lower(w.line.Text())
		if v.detail != nil {
			v.detail.forget()
		}
		return v.search(1)
	case saving:
		return v.save(w.line.Text())
	}
	return v.load()
}

// Paste implements dialog.Dialog: it writes into the line.
func (v *View) Paste(text string) dialog.Action {
	if v.line.purpose == noPurpose {
		return nil
	}
	v.line.line.Paste(text)
	if v.line.purpose == filtering {
		v.filterBy(v.line.line.Text())
	}
	return stay(v.load())
}

// wheelLines is how far one step of the mouse wheel moves.
const wheelLines = 3

// Mouse implements dialog.Dialog: the wheel scrolls what it is over, a click marks, and
// one on what is marked shows it in full, or no longer.
func (v *View) Mouse(msg tea.MouseMsg, x, y int) dialog.Action {
	p := v.place()
	if _, ok := msg.(tea.MouseWheelMsg); ok {
		by := wheelLines * direct(msg.Mouse().Button != tea.MouseWheelUp)
		if v.detail != nil && (p.beside && x > p.list || !p.beside && y > headLines+p.rows) {
			v.detail.scroll(by)
			return nil
		}
		v.list.scroll(by)
		return stay(v.load())
	}
	line := v.list.top + y - headLines
	if _, ok := msg.(tea.MouseClickMsg); !ok || msg.Mouse().Button != tea.MouseLeft || y < headLines || y >= headLines+p.rows ||
		x > p.list || line >= len(v.list.runs) {
		return nil
	}
	if line == v.list.mark {
		return stay(v.toggleDetail())
	}
	v.list.mark = line
	return stay(v.move(0))
}
