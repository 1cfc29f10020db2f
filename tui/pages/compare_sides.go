package pages

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/compare"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

const (
	// leastColumn is the least width of a side in a column: below it sides are rows.
	leastColumn = 38
	// sideRows is the height of a side with all that is said of it beside its last lines, leastRows
	// without what can be left out.
	sideRows, leastRows = 5, 2
)

// sidesHead says what is compared, how many sides work or wait, and the cost.
func (v *Compare) sidesHead(width int) string {
	th := v.Theme
	working, asking, spent := 0, 0, map[string]float64{}
	for i := range v.seats {
		o := v.overview(i)
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
		words = append(words, th.Warning.Render(fmt.Sprint(app.Words[conversation.StandingAsks], " ", asking)))
	}
	if working > 0 {
		words = append(words, th.Info.Render(fmt.Sprint(app.Words[conversation.StandingWorking], " ", working)))
	}
	if asking+working == 0 {
		words = append(words, th.Muted.Render("none works"))
	}
	if len(spent) == 1 {
		for currency, amount := range spent {
			words = append(words, th.Muted.Render(conversation.Money(&acpclient.Cost{Amount: amount, Currency: currency})))
		}
	}
	return v.head("Compare", termtext.Line(v.contest.Prompt), strings.Join(words, v.between()), width)
}

func (v *Compare) between() string { return v.Theme.Faint.Render(" · ") }

// sideLines draws the sides: in columns if there is room, else below each other.
func (v *Compare) sideLines(width, rows int) (lines []string) {
	n := len(v.contest.Sides)
	if v.columns = (width - 2) / max(1, n); v.columns >= leastColumn && rows > sideRows+2 {
		v.window.Fit(n, n)
		for i := range n {
			column := v.side(i, v.columns-4, rows)
			if i == 0 {
				lines = column
			} else {
				lines = beside(lines, column, i*v.columns-1, v.Theme.Faint.Render("│"))
			}
		}
		return lines
	}
	v.columns, v.height = 0, max(leastRows, rows/max(1, n))
	v.window.Fit(n, max(1, rows/v.height))
	for i := v.window.Top; i < v.window.End(); i++ {
		block := v.side(i, width-6, max(leastRows, v.height-1))
		lines = append(lines, append(beside(nil, block, 1, ""), make([]string, v.height-len(block))...)...)
	}
	return lines
}

// side describes a side in at most so many lines of a width: its name and state, what it has
// changed and used up, what it does, and the end of what it has written.
func (v *Compare) side(i, width, height int) []string {
	th, s, o := v.Theme, &v.contest.States[i], v.overview(i)
	mark, name, place := "  ", th.Text, ""
	if i == v.window.Mark {
		mark, name = th.Accent.Render("❯")+" ", th.Strong
	}
	if seat := v.seats[i]; seat != nil {
		place = th.Faint.Render(seat.Place)
	}
	stands := o.Stands()
	if v.ended(i) && stands == conversation.StandingIdle { // the user has looked at it
		switch o.Ending.How {
		case conversation.EndedWell:
			stands = conversation.StandingDone
		case conversation.EndedEarly:
			stands = conversation.StandingFailed
		}
	}
	sign, look := th.Mark(stands)
	state := v.stateText(i)
	if s.Dropped {
		sign, look = "·", th.Faint
	}
	title := look.Render(sign) + " " + name.Render(v.name(i))
	state = look.Render(termtext.Line(state))
	rest := v.figures(i)
	if whole := title + "  " + state; termtext.Width(whole)+termtext.Width(place) < width {
		title = whole
	} else {
		lines := termtext.Wrap(state, max(1, width)) // with why it failed
		if most := max(1, height/4); len(lines) > most {
			lines = append(lines[:most-1], strings.Join(lines[most-1:most+1], " "))
		}
		rest = append(lines, rest...)
	}
	doing := termtext.Line(o.Step)
	if o.Standing == conversation.StandingAsks && o.Question != "" {
		doing = termtext.Line(o.Question)
	}
	if doing == "" && o.Progress.All > 0 && !s.Dropped {
		doing = fmt.Sprintf("%d/%d steps", o.Progress.Done, o.Progress.All)
	}
	if doing != "" {
		rest = append(rest, th.Muted.Render(doing))
	}
	lines := []string{mark + termtext.JoinSides(title, place, max(1, width))}
	if rest = rest[:min(len(rest), height-1)]; height > 2*sideRows {
		rest = append(rest, "")
	}
	for _, line := range append(rest, v.lastLines(o.Last, width, height-1-len(rest))...) {
		lines = append(lines, "  "+termtext.Truncate(line, max(1, width), "…"))
	}
	return lines
}

// stateText says where a side stands, and since when.
func (v *Compare) stateText(i int) string {
	o, state := v.overview(i), v.overview(i).State()
	switch {
	case v.contest.States[i].Dropped:
		return "dropped"
	case v.seats[i] == nil && o.Queued > 0:
		return "not open, " + termtext.Count(o.Queued, "prompt") + " queued"
	case v.seats[i] == nil && !v.ended(i):
		return "not open"
	case v.seats[i] == nil:
		state = "not open, " + v.endedText(o)
	case o.Since.IsZero():
	case o.Standing == conversation.StandingAsks: // no clock runs while it waits
		return state + " since " + o.Since.Format("15:04")
	case o.Standing == conversation.StandingWorking:
		return state + " · " + termtext.Elapsed(max(0, v.Now().Sub(o.Since)))
	case v.ended(i):
		state = v.endedText(o)
	}
	if why := o.Ending.Why; why != "" && (o.Gone || v.ended(i)) {
		state += ": " + why
	}
	return state
}

// endedText says how the turn of a side has ended, and after how long.
func (v *Compare) endedText(o *app.Overview) string {
	if o.Ending.Seconds > 0 {
		return o.Ending.How + " after " + termtext.Elapsed(time.Duration(o.Ending.Seconds*float64(time.Second)))
	}
	return o.Ending.How
}

// ended reports whether what there is to say of a side is how its turn has ended, whether or not the
// user has looked at it.
func (v *Compare) ended(i int) bool {
	o := v.overview(i)
	return o.Ending.How != "" && !o.Gone && o.Standing != conversation.StandingAsks && o.Standing != conversation.StandingLimited && o.Queued == 0
}

// figures are what a side has changed and used up, and what its check says.
func (v *Compare) figures(i int) []string {
	th, o, s := v.Theme, v.overview(i), &v.contest.States[i]
	var parts []string
	files, counts := o.Changed.Files, toolview.Counts{Added: o.Changed.Added, Removed: o.Changed.Removed}
	if c := s.Changed; c != nil && (!o.Working || len(c.Files) > 0) { // or git has not looked since
		files, counts = c.Tally().Files, toolview.Counts{Added: c.Added, Removed: c.Removed}
	}
	if files > 0 {
		part := th.Muted.Render(termtext.Count(files, "file"))
		if counts != (toolview.Counts{}) { // they are counted in the background
			part += " " + counts.Styled(th)
		}
		parts = append(parts, part)
	} else if !s.Dropped {
		parts = append(parts, th.Faint.Render("no changes"))
	}
	if o.Spent.Tokens > 0 {
		parts = append(parts, th.Muted.Render(app.TokensText(o.Spent.Tokens)+" tokens"))
	}
	if c := o.Spent.Cost; c != nil && c.Amount > 0 {
		parts = append(parts, th.Muted.Render(conversation.Money(c)))
	}
	if s.Err != nil {
		parts = append(parts, th.Error.Render(termtext.Line(s.Err.Error())))
	}
	all := []string{strings.Join(parts, v.between())}
	if s.SetupFailed != "" && !s.Dropped {
		all = append(all, th.Warning.Render("setup failed: "+termtext.Line(s.SetupFailed)))
	}
	switch check := v.checkText(i, s.Checked); {
	case check == "":
	case v.columns > 0:
		all = append(all, check)
	default:
		all[0] += v.between() + check
	}
	return all
}

// checkText says how the check of a side has ended, "" if there is none.
func (v *Compare) checkText(i int, checked *compare.Checked) string {
	th := v.Theme
	switch {
	case v.contest.Check == "" || v.contest.States[i].Dropped:
		return ""
	case v.contest.Checking(i):
		return th.Info.Render("check runs")
	case checked == nil:
		return th.Faint.Render("not checked")
	case checked.Passed:
		return th.Success.Render("check passed")
	}
	return th.Error.Render("check failed: " + termtext.Line(checked.Why))
}

// lastLines wraps the end of what an agent has written.
func (p *page) lastLines(last []string, width, most int) (lines []string) {
	for _, line := range slices.Backward(last) {
		for _, part := range slices.Backward(termtext.Wrap(termtext.Line(line), max(1, width))) {
			if len(lines) >= most {
				break
			}
			lines = append(lines, p.Theme.Muted.Render(part))
		}
	}
	slices.Reverse(lines)
	return lines
}
