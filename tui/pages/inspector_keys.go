package pages

import (
	"strings"

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

// purposes say what stands before the line and in it.
var purposes = [...]struct{ lead, hint string }{
	filtering: {"filter", "text in a message"}, searching: {"find", "words"}, saving: {"save to", "a file"},
}

// Key implements dialog.Dialog.
func (v *Inspector) Key(k tea.KeyPressMsg) dialog.Action {
	if v.page.Writes() {
		return stay(v.writingKey(k))
	}
	v.page.Hush()
	name := k.String()
	if a, ok := v.opt.Keys.Action(config.ContextInspector, name); ok {
		return v.do(a)
	}
	if a, ok := v.opt.Keys.Action(config.ContextTranscript, name); ok {
		return v.do(a)
	}
	switch a, _ := v.opt.Keys.Action(config.ContextPrompt, name); a {
	case config.ActionInspector:
		return v.close()
	case config.ActionPageUp, config.ActionPageDown:
		return stay(v.pageBy(sign(a == config.ActionPageDown)))
	case config.ActionLineUp, config.ActionLineDown:
		return stay(v.scroll(sign(a == config.ActionLineDown)))
	}
	return nil
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
	case config.ActionExpand:
		return stay(v.toggleDetail())
	case config.ActionNext, config.ActionPrevious:
		return stay(v.move(sign(a == config.ActionNext)))
	case config.ActionFirst:
		return stay(v.move(-1 << 30))
	case config.ActionLast:
		return stay(v.move(1 << 30))
	case config.ActionInspectorUp, config.ActionInspectorDown:
		return stay(v.scroll(sign(a == config.ActionInspectorDown)))
	case config.ActionInspectorFilter:
		v.write(filtering, "")
		v.filterBy("")
	case config.ActionSearch:
		v.write(searching, "")
	case config.ActionFindNext, config.ActionFindPrev:
		return stay(v.search(sign(a == config.ActionFindNext)))
	case config.ActionInspectorPair:
		return stay(v.pair())
	case config.ActionInspectorPause:
		return stay(v.togglePause())
	case config.ActionCopy:
		return stay(v.copy())
	case config.ActionInspectorSave:
		v.write(saving, v.proposed())
	default:
		return stay(v.narrow(a))
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
	default:
		return nil
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
		v.detail.By(by)
		return nil
	}
	v.list.scroll(by)
	return nil
}

// pageBy is scroll by as much as is in sight.
func (v *Inspector) pageBy(by int) tea.Cmd {
	if v.detail != nil {
		v.detail.By(by * max(1, v.detail.Height-1))
		return nil
	}
	return v.move(by * max(1, v.list.Height-1))
}

// write lets the person write a line.
func (v *Inspector) write(p purpose, text string) {
	v.line = p
	v.page.Write(purposes[p].lead, purposes[p].hint, text)
}

// writingKey takes a key while the person writes.
func (v *Inspector) writingKey(k tea.KeyPressMsg) tea.Cmd {
	switch name := k.String(); {
	case v.opt.Keys.Match(config.ActionCancel, name):
		if v.page.Written(); v.line == filtering {
			v.filterBy("")
		}
		return v.load()
	case name == "enter":
		return v.written()
	case v.page.Line.Key(k) && v.line == filtering:
		v.filterBy(v.page.Line.Text())
		return v.load()
	}
	return nil
}

// written does what the person has written for.
func (v *Inspector) written() tea.Cmd {
	text := v.page.Written()
	switch v.line {
	case searching:
		v.sought = list.NewQuery(strings.ToLower(text))
		if v.detail != nil {
			v.detail.forget()
		}
		return v.search(1)
	case saving:
		return v.save(text)
	}
	return v.load()
}

// Paste implements dialog.Dialog: it writes into the line.
func (v *Inspector) Paste(text string) dialog.Action {
	if !v.page.Writes() {
		return nil
	}
	v.page.Line.Paste(text)
	if v.line == filtering {
		v.filterBy(v.page.Line.Text())
	}
	return stay(v.load())
}

// Mouse implements dialog.Dialog: the wheel scrolls what it is over, a click marks, and
// one on what is marked shows it in full, or no longer.
func (v *Inspector) Mouse(msg tea.MouseMsg, x, y int) dialog.Action {
	p, line := v.layout(), list.BodyLine(y)
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		if v.detail != nil && (p.beside && x > p.list || !p.beside && line > p.rows) {
			v.detail.By(list.Notch(m))
			return nil
		}
		v.list.scroll(list.Notch(m))
	case tea.MouseClickMsg:
		if m.Button != tea.MouseLeft || x > p.list {
			return nil
		}
		if v.list.Click(line) {
			return stay(v.toggleDetail())
		}
		v.list.move(0)
	}
	return stay(v.load())
}
