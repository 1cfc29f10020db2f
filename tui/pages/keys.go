package pages

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/dialog"
	"parley/tui/list"
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
type inspectorWriting struct {
	purpose purpose
	line    list.Input
}

// Key implements dialog.Dialog.
func (v *Inspector) Key(k tea.KeyPressMsg) dialog.Action {
	if v.line.purpose != noPurpose {
		return inspectorStay(v.writingKey(k))
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
		return inspectorStay(v.page(direct(a == config.ActionPageDown)))
	case config.ActionLineUp, config.ActionLineDown:
		return inspectorStay(v.scroll(direct(a == config.ActionLineDown)))
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
func inspectorStay(cmd tea.Cmd) dialog.Action {
	if cmd == nil {
		return nil
	}
	return dialog.Stay(func() tea.Cmd { return cmd })
}

func (v *Inspector) close() dialog.Action {
	v.Close()
	return dialog.Close{}
}

// do does what an action of the configuration says.
func (v *Inspector) do(a config.Action) dialog.Action {
	switch a {
	case config.ActionInspectorClose:
		if v.detail == nil {
			return v.close()
		}
		v.detail = nil
	case config.ActionInspectorShow:
		return inspectorStay(v.toggleDetail())
	case config.ActionInspectorNext, config.ActionInspectorPrev:
		return inspectorStay(v.move(direct(a == config.ActionInspectorNext)))
	case config.ActionInspectorFirst:
		return inspectorStay(v.move(-1 << 30))
	case config.ActionInspectorLast:
		return inspectorStay(v.move(1 << 30))
	case config.ActionInspectorUp, config.ActionInspectorDown:
		return inspectorStay(v.scroll(direct(a == config.ActionInspectorDown)))
	case config.ActionInspectorFilter:
		v.line = inspectorWriting{purpose: filtering}
		v.filterBy("")
	case config.ActionInspectorSearch:
		v.line = inspectorWriting{purpose: searching}
	case config.ActionInspectorFound, config.ActionInspectorBack:
		return inspectorStay(v.search(direct(a == config.ActionInspectorFound)))
	case config.ActionInspectorPair:
		return inspectorStay(v.pair())
	case config.ActionInspectorPause:
		return inspectorStay(v.togglePause())
	case config.ActionInspectorCopy:
		return inspectorStay(v.copy())
	case config.ActionInspectorSave:
		v.line = inspectorWriting{purpose: saving}
		v.line.line.Paste(v.proposed())
	default:
		return inspectorStay(v.narrow(a))
	}
	return nil
}

// narrow changes which messages are shown.
func (v *Inspector) narrow(a config.Action) tea.Cmd {
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
func (v *Inspector) toggleDetail() tea.Cmd {
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
func (v *Inspector) move(by int) tea.Cmd {
	v.list.move(by)
	return v.load()
}

// scroll scrolls what is shown in full, else the list.
func (v *Inspector) scroll(by int) tea.Cmd {
	if v.detail != nil {
		v.detail.scroll(by)
		return nil
	}
	v.list.scroll(by)
	return nil
}

// page is scroll by as much as is in sight.
func (v *Inspector) page(by int) tea.Cmd {
	if v.detail != nil {
		v.detail.scroll(by * max(1, v.detail.height-1))
		return nil
	}
	return v.move(by * max(1, v.list.height-1))
}

// writingKey takes a key while the person writes.
func (v *Inspector) writingKey(k tea.KeyPressMsg) tea.Cmd {
	w := &v.line
	switch name := k.String(); {
	case v.opt.Keys.Match(config.ActionCancel, name):
		if w.purpose == filtering {
			v.filterBy("")
		}
		v.line = inspectorWriting{}
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
func (v *Inspector) written() tea.Cmd {
	w := v.line
	v.line = inspectorWriting{}
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
func (v *Inspector) Paste(text string) dialog.Action {
	if v.line.purpose == noPurpose {
		return nil
	}
	v.line.line.Paste(text)
	if v.line.purpose == filtering {
		v.filterBy(v.line.line.Text())
	}
	return inspectorStay(v.load())
}

// wheelLines is how far one step of the mouse wheel moves.
const inspectorWheelLines = 3

// Mouse implements dialog.Dialog: the wheel scrolls what it is over, a click marks, and
// one on what is marked shows it in full, or no longer.
func (v *Inspector) Mouse(msg tea.MouseMsg, x, y int) dialog.Action {
	p := v.place()
	if _, ok := msg.(tea.MouseWheelMsg); ok {
		by := inspectorWheelLines * direct(msg.Mouse().Button != tea.MouseWheelUp)
		if v.detail != nil && (p.beside && x > p.list || !p.beside && y > inspectorHeadLines+p.rows) {
			v.detail.scroll(by)
			return nil
		}
		v.list.scroll(by)
		return inspectorStay(v.load())
	}
	line := v.list.top + y - inspectorHeadLines
	if _, ok := msg.(tea.MouseClickMsg); !ok || msg.Mouse().Button != tea.MouseLeft || y < inspectorHeadLines || y >= inspectorHeadLines+p.rows ||
		x > p.list || line >= len(v.list.runs) {
		return nil
	}
	if line == v.list.mark {
		return inspectorStay(v.toggleDetail())
	}
	v.list.mark = line
	return inspectorStay(v.move(0))
}
