package tab

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/theme"
	"parley/tui/transcript"
)

// panStep is how far lines that are not wrapped move to the side, in cells.
const panStep = 20

// tooNarrow is said when there is no room for two sides of a change.
const tooNarrow = "the window is too narrow to show changes side by side"

// pager is one item on the whole screen. It is a dialog that the person has opened.
type pager struct {
	reader
	title string
	about dialog.Dialog // the question that it shows what is asked of, nil if there is none
}

var _ dialog.Dialog = (*pager)(nil)

// newPager shows an item of the transcript.
func newPager(t *Tab, item conversation.Item) *pager {
	return &pager{title: transcript.Title(item), reader: reader{tab: t, list: t.list.PageOf(item, nil)}}
}

// newPagerOf shows what is asked in a question. head draws what stands above the contents
// of the call.
func newPagerOf(t *Tab, call conversation.Item, head func(width int, th *theme.Theme) []string, question dialog.Dialog) *pager {
	p := &pager{title: transcript.Title(call), about: question, reader: reader{tab: t, list: t.list.PageOf(call, head)}}
	if head != nil {
		p.title = "Permission: " + p.title
	}
	return p
}

// About implements dialog.Attached.
func (p *pager) About() dialog.Dialog { return p.about }

// SetTheme implements dialog.Dialog, as the methods below do.
func (p *pager) SetTheme(th *theme.Theme) { p.list.SetTheme(th) }

// Key scrolls, looks for words and copies.
func (p *pager) Key(k tea.KeyPressMsg) dialog.Action {
	keys, name := p.tab.program.Keys, k.String()
	if p.find.open {
		if cmd, taken := p.findKey(k); taken {
			return stay(cmd)
		}
	}
	if keys.Match(config.ActionCancel, name) && p.list.Spanning() {
		p.list.ClearSpan()
		return nil
	}
	if a, ok := keys.Action(config.ContextPager, name); ok {
		return p.do(a)
	}
	if a, ok := keys.Action(config.ContextTranscript, name); ok {
		return stay(p.read(a))
	}
	switch a, _ := keys.Action(config.ContextPrompt, name); a {
	case config.ActionFind:
		p.startFinding()
	case config.ActionLendMouse:
		p.tab.globalKeys.lendMouse()
	default:
		p.Move(a)
	}
	return nil
}

// stay is what carries a command out, which may be nil; the pager stays.
func stay(cmd tea.Cmd) dialog.Action {
	if cmd == nil {
		return nil
	}
	return dialog.Stay(func() tea.Cmd { return cmd })
}

// do does what an action of the pager says.
func (p *pager) do(a config.Action) dialog.Action {
	switch a {
	case config.ActionPagerClose:
		return dialog.Close{}
	case config.ActionPagerWrap:
		p.list.ToggleWrap()
	case config.ActionPagerLeft:
		p.list.Pan(-panStep)
	case config.ActionPagerRight:
		p.list.Pan(panStep)
	}
	return nil
}

// read does what an action of the transcript says here: what goes by items there
// goes by lines.
func (p *pager) read(a config.Action) tea.Cmd {
	switch a {
	case config.ActionItemNext:
		p.line(1)
	case config.ActionItemPrev:
		p.line(-1)
	case config.ActionItemFirst:
		p.list.Top()
	case config.ActionItemLast:
		p.list.Bottom()
	case config.ActionItemExpand:
		p.list.Page(1)
	case config.ActionMark:
		if p.list.Spanning() {
			p.list.SpanItem() // the other end
		} else {
			p.list.SpanLine(0)
		}
	case config.ActionDiffContext:
		p.list.WidenContext()
	case config.ActionDiffSplit:
		if !p.list.ToggleDiffs() {
			return p.tab.say(tooNarrow)
		}
	default:
		cmd, _ := p.reader.Do(a)
		return cmd
	}
	return nil
}

// line scrolls by a line, or moves the end of what is marked.
func (p *pager) line(by int) {
	if p.list.Spanning() {
		p.list.MoveSpan(by)
		return
	}
	p.list.Scroll(by)
}

// Paste writes what is looked for.
func (p *pager) Paste(text string) dialog.Action {
	if !p.find.writing {
		return nil
	}
	return stay(p.reader.Paste(text))
}

// Mouse scrolls and marks.
func (p *pager) Mouse(msg tea.MouseMsg, x, y int) dialog.Action {
	return stay(p.reader.Mouse(msg, x, y-1))
}

// View draws the title, the item, and a line for what is said or looked for. The
// keys stand below, and are not part of it.
func (p *pager) View(width, height int) dialog.View {
	th := p.tab.program.Theme
	p.rows = max(1, height-2) // without the title, and what is said
	p.list.SetSize(width, p.rows)
	p.list.SetNow(p.tab.sessionNow())
	left := "  " + th.DialogTitle.Render(p.title)
	lines := append([]string{termtext.JoinSides(left, p.state()+" ", width)}, p.list.Lines()...)
	said, column := p.tab.view.messageLine(&p.reader, "", "", width)
	lines = append(lines, said)
	v := dialog.View{Lines: lines[:min(len(lines), height)]}
	if column >= 0 && len(lines) <= height {
		v.Cursor = tea.NewCursor(column, len(lines)-1)
	}
	return v
}

// state says how lines are drawn, and where in the item the view is.
func (p *pager) state() string {
	th := p.tab.program.Theme
	words := fmt.Sprintf("%d%%", p.list.Percent())
	switch end := p.list.AtEnd(); {
	case end && p.list.AtTop():
		words = "" // all of it is in sight
	case end:
		words = "end"
	}
	if !p.list.Wraps() {
		words = "lines not wrapped  " + words
	}
	return th.Muted.Render(words)
}

// Hints are the keys that matter.
func (p *pager) Hints() []dialog.Hint {
	h := dialog.HintList{Keys: p.tab.program.Keys}
	if p.find.writing {
		return p.findHints(h)
	}
	if p.list.Spanning() {
		h.Add(config.ActionItemCopy, "copy")
		h.AddAll("move the end", config.ActionItemNext, config.ActionItemPrev)
		h.Add(config.ActionMark, "other end")
		h.Add(config.ActionCancel, "end")
		return h.List
	}
	h.Add(config.ActionPagerClose, "close")
	if p.find.open {
		h.Add(config.ActionFindNext, "next")
		h.Add(config.ActionFindPrev, "previous")
	} else {
		h.Add(config.ActionSearch, "find")
	}
	if h.Add(config.ActionPagerWrap, "wrap"); !p.list.Wraps() {
		h.List = append(h.List, dialog.Hint{Key: "←→", Text: "sideways"})
	}
	h.Add(config.ActionItemCopy, "copy")
	if p.list.HasDiff() {
		h.Add(config.ActionDiffContext, "context")
		h.Add(config.ActionDiffSplit, "side by side or not")
	}
	h.Add(config.ActionMark, "mark")
	h.Add(config.ActionItemOpen, "open")
	return h.List
}

// Covers says that the pager takes the whole screen.
func (p *pager) Covers() {}
