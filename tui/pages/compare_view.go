package pages

import (
	"fmt"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/list"
	"parley/tui/toolview"
)

const (
	// leastColumn is the least width of a side in a column: below it sides are rows.
	leastColumn = 38
	// sideRows is the height of a side in rows with all that is said of it, leastRows without
	// what can be left out.
	sideRows, leastRows = 5, 2
)

// View implements dialog.Dialog.
func (v *Compare) View(width, height int) dialog.View {
	rows := list.Rows(height)
	var head string
	var body []string
	if v.diffs != nil {
		v.diffs.lay(v, width, rows)
		head, body = v.diffs.head(v, width), v.diffs.draw(v, width, rows)
	} else {
		for i := range v.sides {
			s := &v.sides[i]
			s.overview, s.tab = v.opt.Host.Overview(i)
		}
		head, body = v.sidesHead(width), v.sideLines(width, rows)
	}
	words, style := v.about(), v.opt.Theme.Faint
	if flash := v.opt.Host.Flash(); flash != "" {
		words, style = flash, v.opt.Theme.Text
	}
	lines, cursor := v.page.Draw(head, "", body, words, style, width, height)
	return dialog.View{Lines: lines, Cursor: cursor}
}

// sidesHead says what is compared, how many sides work or wait, and the cost.
func (v *Compare) sidesHead(width int) string {
	th := v.opt.Theme
	working, asking, spent := 0, 0, map[string]float64{}
	for i := range v.sides {
		o := &v.sides[i].overview
		switch o.Standing {
		case conversation.StandingWorking:
			working++
		case conversation.StandingAsks:
			asking++
		}
		if c := o.Spent.Cost; c != nil {
			spent[c.Currency] += c.Amount
		}
	}
	var words []string
	if asking > 0 {
		words = append(words, th.Warning.Render(fmt.Sprintf("%d waiting for you", asking)))
	}
	if working > 0 {
		words = append(words, th.Info.Render(fmt.Sprintf("%d working", working)))
	}
	if asking+working == 0 {
		words = append(words, th.Muted.Render("none is working"))
	}
	if len(spent) == 1 {
		for currency, amount := range spent {
			words = append(words, th.Muted.Render(conversation.Money(&acpclient.Cost{Amount: amount, Currency: currency})))
		}
	}
	return v.page.Head("Compare", termtext.Line(v.opt.Comparison.Prompt), strings.Join(words, th.Faint.Render(" · ")), width)
}

// sideLines draws the sides: in columns if there is room, else below each other.
func (v *Compare) sideLines(width, rows int) []string {
	n := len(v.sides)
	if column := (width - 2) / max(1, n); column >= leastColumn && rows > sideRows+2 {
		v.window.Fit(n, n)
		return v.drawColumns(column, rows)
	}
	v.columns = nil
	v.rows = max(leastRows, min(sideRows, rows/max(1, n)))
	v.window.Fit(n, max(1, rows/v.rows))
	var lines []string
	for i := v.window.Top; i < v.window.End(); i++ {
		about := v.describe(i, width-6)
		mark := "  "
		if i == v.window.Mark {
			mark = v.opt.Theme.Accent.Render("❯") + " "
		}
		block := []string{" " + mark + about.head}
		for _, line := range append([]string{about.figures, about.doing}, about.last(1)...) {
			if line != "" && len(block) < max(leastRows, v.rows-1) {
				block = append(block, "     "+line)
			}
		}
		for len(block) < v.rows {
			block = append(block, "")
		}
		lines = append(lines, block...)
	}
	return lines
}

// drawColumns draws the sides beside each other.
func (v *Compare) drawColumns(column, rows int) []string {
	th := v.opt.Theme
	v.columns, v.rows = nil, 0
	var all []string
	for i := range v.sides {
		about := v.describe(i, column-4)
		mark := " "
		if i == v.window.Mark {
			mark = th.Accent.Render("❯")
		}
		lines := []string{mark + " " + about.head}
		for _, line := range []string{about.state, about.doing, about.figures, about.check} {
			lines = append(lines, "  "+line)
		}
		lines = append(lines, "")
		for _, line := range about.last(rows - len(lines)) {
			lines = append(lines, "  "+line)
		}
		v.columns = append(v.columns, i*column)
		if i == 0 {
			all = lines
			continue
		}
		all = list.Beside(all, lines, i*column-1, th.Faint.Render("│"))
	}
	return all
}

// sideText is a side in words, each in a line.
type sideText struct {
	head, state, doing, figures, check string
	last                               func(lines int) []string
}

// describe describes a side in lines of a width.
func (v *Compare) describe(i, width int) sideText {
	th, s := v.opt.Theme, &v.sides[i]
	o := &s.overview
	name := th.Text
	if i == v.window.Mark {
		name = th.Strong
	}
	sign, look := th.Mark(o.Standing)
	cut := func(text string) string { return termtext.Truncate(text, max(1, width), "…") }
	t := sideText{last: func(lines int) []string { return v.lastLines(o.Last, width, lines) }}
	state := o.State()
	switch {
	case s.dropped:
		sign, look, state = "·", th.Faint, "dropped"
	case s.tab == 0 && o.Standing == conversation.StandingIdle:
		state = "not open"
	}
	switch {
	case o.Since.IsZero(), s.dropped, o.Standing == conversation.StandingIdle:
	case o.Standing == conversation.StandingAsks: // no clock runs while it waits
		state += " since " + o.Since.Format("15:04")
	case o.Standing == conversation.StandingWorking:
		state += " · " + app.Elapsed(max(0, v.opt.Now().Sub(o.Since)))
	case o.Since.After(v.opt.Comparison.Began):
		state += " after " + app.Elapsed(o.Since.Sub(v.opt.Comparison.Began))
	}
	t.state = look.Render(cut(state))
	right := ""
	if s.tab > 0 {
		right = th.Faint.Render(fmt.Sprintf("tab %d", s.tab))
	}
	title := look.Render(sign) + " " + name.Render(termtext.Line(s.Name))
	if v.columns == nil && v.rows > 0 {
		title += "  " + look.Render(termtext.Line(state))
	}
	t.head = termtext.JoinSides(title, right, max(1, width))
	doing := termtext.Line(o.Step)
	if doing == "" && o.Progress.All > 0 && !s.dropped {
		doing = fmt.Sprintf("%d/%d steps", o.Progress.Done, o.Progress.All)
	}
	t.doing = th.Muted.Render(cut(doing))
	if doing == "" {
		t.doing = ""
	}
	t.check = v.checkText(s, width)
	parts := v.figures(s)
	if v.columns == nil && v.rows > 0 && t.check != "" {
		parts = append(parts, t.check)
	}
	t.figures = termtext.Truncate(strings.Join(parts, th.Faint.Render(" · ")), max(1, width), "…")
	return t
}

// figures are what a side has changed and used up.
func (v *Compare) figures(s *compareSide) []string {
	th, o := v.opt.Theme, &s.overview
	var parts []string
	files, counts := o.Changed.Files, toolview.Counts{Added: o.Changed.Added, Removed: o.Changed.Removed}
	if s.changed != nil && !o.Working {
		files, counts = len(s.changed.Files)+s.changed.More, toolview.Counts{Added: s.changed.Added, Removed: s.changed.Removed}
	}
	if files > 0 {
		part := th.Muted.Render(termtext.Count(files, "file"))
		if counts != (toolview.Counts{}) { // they are counted in the background
			part += " " + counts.Styled(th)
		}
		parts = append(parts, part)
	} else if !s.dropped {
		parts = append(parts, th.Faint.Render("no changes"))
	}
	if o.Spent.Tokens > 0 {
		parts = append(parts, th.Muted.Render(app.TokensText(o.Spent.Tokens)+" tokens"))
	}
	if c := o.Spent.Cost; c != nil && c.Amount > 0 {
		parts = append(parts, th.Muted.Render(conversation.Money(c)))
	}
	if s.err != nil {
		parts = append(parts, th.Error.Render(termtext.Line(s.err.Error())))
	}
	return parts
}

// checkText says how the check of a side has ended, "" if there is none.
func (v *Compare) checkText(s *compareSide, width int) string {
	th := v.opt.Theme
	switch {
	case v.opt.Comparison.Check == "" || s.dropped:
		return ""
	case s.checking != nil:
		return th.Info.Render("check runs")
	case s.checked == nil:
		return th.Faint.Render("not checked")
	case s.checked.Passed:
		return th.Success.Render("check passed")
	}
	return th.Error.Render(termtext.Truncate("check failed: "+termtext.Line(s.checked.Why), max(1, width), "…"))
}

// lastLines wraps the end of what a side has written.
func (v *Compare) lastLines(last []string, width, most int) []string {
	var lines []string
	for _, line := range slices.Backward(last) {
		for _, part := range slices.Backward(termtext.Wrap(termtext.Line(line), max(1, width))) {
			if len(lines) < most {
				lines = append(lines, v.opt.Theme.Muted.Render(part))
			}
		}
		if len(lines) >= most {
			break
		}
	}
	slices.Reverse(lines)
	return lines
}

// about says what there is to say about the marked side.
func (v *Compare) about() string {
	if v.acting != "" {
		return v.acting
	}
	s := &v.sides[v.at()]
	switch {
	case v.diffs != nil:
		return v.diffs.about(v)
	case s.dropped:
		return "its unmerged work stays in the repository under refs/parley/dropped"
	case s.checked != nil && !s.checked.Passed && s.checked.Output != "":
		out := strings.Split(s.checked.Output, "\n")
		return "check: " + termtext.Line(out[len(out)-1])
	}
	return "worktree " + s.Tree.Name + " in " + termtext.VisibleLine(toolview.PathsIn(v.opt.Comparison.Dir).Path(s.Tree.Path))
}

// Hints implements dialog.Dialog.
func (v *Compare) Hints() []dialog.Hint {
	h := dialog.HintList{Keys: v.opt.Keys}
	if v.diffs != nil {
		h.AddAll("change", command.CompareHunkPrev, command.CompareHunkNext)
		h.Add(command.CompareMark, "mark")
		h.Add(command.CompareMarkFile, "mark file")
		h.Add(command.CompareKeep, "merge")
		if len(v.taken) > 0 {
			h.Add(command.CompareUndo, "undo merge")
		}
		h.AddAll("file", command.CompareFilePrev, command.CompareFileNext)
		h.AddAll("agent", command.CompareSidePrev, command.CompareSideNext)
		h.Add(command.ComparePane, "other side")
		h.Add(command.CompareClose, "back")
		return h.List
	}
	s := &v.sides[v.at()]
	if s.overview.Waiting > 0 {
		h.Add(command.CompareAnswer, "answer here")
	}
	h.Add(command.Expand, "go there")
	h.Add(command.CompareDiffs, "differences")
	h.Add(command.CompareKeep, "merge")
	if len(v.taken) > 0 {
		h.Add(command.CompareUndo, "undo merge")
	}
	switch {
	case s.overview.Working:
		h.Add(command.CompareStop, "cancel turn")
	case s.checking != nil:
		h.Add(command.CompareStop, "stop check")
	case v.opt.Comparison.Check != "":
		h.Add(command.CompareCheck, "check")
	}
	h.Add(command.CompareDrop, "drop")
	h.Add(command.CompareClose, "close")
	return h.List
}
