package tui

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/desktop"
	"parley/tui/tab"
	"parley/tui/theme"
)

// add adds a tab in the background.
func (m *Model) add() *tab.Tab { return m.addWith(m.program, m.cwd) }

// addWith is add for a tab in another directory.
func (m *Model) addWith(p tab.Program, cwd string) *tab.Tab {
	m.lastID++
	t := tab.New(m.lastID, p, cwd)
	m.tabs = append(m.tabs, t)
	return t
}

// show brings a tab to the front.
func (m *Model) show(t *tab.Tab) {
	if t == m.front {
		return
	}
	if m.front != nil {
		m.front.Hide()
	}
	m.front = t
	t.Show()
}

// deliver gives a message to its tab. It drops messages for closed tabs.
func (m *Model) deliver(msg tab.Msg) tea.Cmd {
	if i := m.indexOf(msg.To); i >= 0 {
		return m.tell(m.tabs[i], msg.Msg)
	}
	return nil
}

// tell gives a message to a tab. A background tab causes drawing only if its summary
// changes.
func (m *Model) tell(t *tab.Tab, msg tea.Msg) tea.Cmd {
	if t == m.front {
		return t.Update(msg)
	}
	before := t.Summary()
	cmd := t.Update(msg)
	m.changed = t.Summary() != before
	return cmd
}

// Changed implements [screen.Model].
func (m *Model) Changed() bool { return m.changed }

func (m *Model) indexOf(id tab.ID) int {
	return slices.IndexFunc(m.tabs, func(t *tab.Tab) bool { return t.ID() == id })
}

// close closes a tab and ends its agent. Closing the last tab quits.
func (m *Model) close(id tab.ID) tea.Cmd {
	i := m.indexOf(id)
	switch {
	case i < 0:
		return nil
	case len(m.tabs) == 1:
		return tea.Quit
	}
	gone := m.tabs[i]
	m.noteDir(gone.Cwd())
	m.tabs = slices.Delete(m.tabs, i, i+1)
	delete(m.attention.seen, id)
	if gone == m.front {
		m.show(m.tabs[min(i, len(m.tabs)-1)])
	}
	m.ending.Go(func() { end(gone) })
	return nil
}

// noteDir remembers a session's directory for the end of the program.
func (m *Model) noteDir(dir string) {
	if !slices.Contains(m.dirs, dir) {
		m.dirs = append(m.dirs, dir)
	}
}

// end ends a tab's agent and waits for it.
func end(t *tab.Tab) { politely(t.Close) }

// politely runs do with a deadline, after which it kills.
func politely(do func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.Background(), app.StopTime)
	defer cancel()
	do(ctx)
}

// quit quits. It asks first if that ends turns that the person may not know about.
func (m *Model) quit(w tab.Quit) tea.Cmd {
	var titles []string
	for _, t := range m.tabs {
		if t.Works() && t.ID() != w.Despite {
			titles = append(titles, t.Summary().Title)
		}
	}
	if w.Sure || len(titles) == 0 {
		return tea.Quit
	}
	m.front.AskToLeave(titles)
	return nil
}

// tabRow implements [tab.Tabs].
type tabRow struct{ m *Model }

func (r tabRow) Alone() bool { return len(r.m.tabs) == 1 }

func (r tabRow) Shared() bool {
	return slices.ContainsFunc(r.m.tabs, func(t *tab.Tab) bool { return t != r.m.front && t.Cwd() == r.m.front.Cwd() })
}

func (r tabRow) Step(by int) {
	n := len(r.m.tabs)
	r.Go((r.m.indexOf(r.m.front.ID()) + by + n) % n)
}

func (r tabRow) Go(number int) {
	if number >= 0 && number < len(r.m.tabs) {
		r.m.show(r.m.tabs[number])
	}
}

func (r tabRow) Questions() []tab.TabQuestions {
	var all []tab.TabQuestions
	for i, t := range r.m.tabs {
		if questions := t.Questions(); len(questions) > 0 {
			all = append(all, tab.TabQuestions{Tab: t, Number: i + 1, Title: t.Summary().Title, Questions: questions})
		}
	}
	return all
}

func (r tabRow) ShowQuestion(t *tab.Tab, q tab.Question) {
	if slices.Contains(r.m.tabs, t) {
		r.m.show(t)
		t.ShowQuestion(q)
	}
}

func (r tabRow) Open(a config.Agent) tea.Cmd {
	t := r.m.add()
	cmd := t.Launch(a)
	r.m.show(t)
	return cmd
}

func (r tabRow) Load(a config.Agent, info acpclient.SessionInfo) tea.Cmd {
	t := r.m.addWith(r.m.program, info.Cwd)
	cmd := t.Load(a, info)
	r.m.show(t)
	return cmd
}

func (r tabRow) OpenIn(a config.Agent, cwd string) tea.Cmd {
	p := r.m.program
	p.Start = func(a config.Agent) (*session.Session, error) { return p.StartIn(a, cwd) }
	t := r.m.addWith(p, cwd)
	cmd := t.Launch(a)
	r.m.show(t)
	return cmd
}

func (r tabRow) Close() tea.Cmd { return r.m.close(r.m.front.ID()) }

// shutdown ends all agents concurrently and waits, but no longer than endTime.
func (m *Model) shutdown() {
	for _, t := range m.tabs {
		m.ending.Go(func() { end(t) })
	}
	ended := make(chan struct{})
	go func() {
		m.ending.Wait()
		close(ended)
	}()
	limit := time.NewTimer(endTime)
	defer limit.Stop()
	select {
	case <-ended:
	case <-limit.C:
	}
}

const (
	// roomForLine is how high a terminal is at least in which the line of tabs is
	// shown.
	roomForLine = 8
	// widestTab and narrowestTab bound how wide the title of a tab is drawn, in cells.
	widestTab, narrowestTab = 28, 10
)

// tabLine is the line of tabs. It remembers what it has drawn where, for the mouse.
type tabLine struct {
	spans []tabSpan
}

// tabSpan is the position of a tab in the line, in cells.
type tabSpan struct{ number, from, to int }

// lineHeight returns the height of the tab line: 0 while there is one tab.
func (m *Model) lineHeight() int {
	if len(m.tabs) < 2 || m.height < roomForLine {
		return 0
	}
	return 1
}

// summaries returns the summaries of all tabs.
func (m *Model) summaries() []tab.Summary {
	faces := make([]tab.Summary, len(m.tabs))
	for i, t := range m.tabs {
		faces[i] = t.Summary()
	}
	return faces
}

// mouse gives an event to the line of tabs, or to the tab in front.
func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	above := m.lineHeight()
	click, isClick := msg.(tea.MouseClickMsg)
	if above > 0 && isClick && click.Y < above {
		if click.Button == tea.MouseLeft {
			tabRow{m}.Go(m.line.at(click.X))
		}
		return nil
	}
	return m.front.Update(raised(msg, above))
}

// raised returns a mouse event moved up by some lines.
func raised(msg tea.MouseMsg, lines int) tea.MouseMsg {
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		msg.Y -= lines
		return msg
	case tea.MouseReleaseMsg:
		msg.Y -= lines
		return msg
	case tea.MouseWheelMsg:
		msg.Y -= lines
		return msg
	case tea.MouseMotionMsg:
		msg.Y -= lines
		return msg
	}
	return msg
}

// at returns the index of the tab in a column, or -1.
func (l *tabLine) at(column int) int {
	for _, p := range l.spans {
		if column >= p.from && column < p.to {
			return p.number
		}
	}
	return -1
}

// draw draws the tabs into a line of a width. If there is no room for all of them,
// those around the one in front are drawn, and the ends say how many there are
// beyond, and what is most urgent there.
func (l *tabLine) draw(th *theme.Theme, faces []tab.Summary, front, width int) string {
	titles := shortened(faces, width)
	from, to := around(titles, front, width)
	l.spans = l.spans[:0]
	var b strings.Builder
	at := 0
	write := func(number int, text string) {
		w := termtext.Width(text)
		l.spans = append(l.spans, tabSpan{number, at, at + w})
		b.WriteString(text)
		at += w
	}
	if from > 0 {
		write(from-1, beyond(th, "‹", faces[:from]))
	}
	for i := from; i < to; i++ {
		write(i, drawTab(th, i, faces[i].State, titles[i], i == front))
	}
	if to < len(faces) {
		end := beyond(th, "›", faces[to:])
		if gap := width - at - termtext.Width(end); gap > 0 {
			b.WriteString(strings.Repeat(" ", gap))
			at += gap
		}
		write(to, end)
	}
	return termtext.Truncate(b.String(), width, "")
}

// shortened returns the titles of the tabs, shortened to fit, but long enough to tell them
// apart.
func shortened(faces []tab.Summary, width int) []string {
	titles, wide := make([]string, len(faces)), make([]int, len(faces))
	for i, f := range faces {
		titles[i] = termtext.Truncate(f.Title, widestTab, "…")
		wide[i] = termtext.Width(titles[i])
	}
	most := widestTab
	for most > narrowestTab && tabsWidth(wide, most) > width {
		most--
	}
	for i := range titles {
		titles[i] = termtext.Truncate(titles[i], most, "…")
	}
	return titles
}

// tabsWidth is how wide all tabs are with titles so wide, if none may be wider than
// most.
func tabsWidth(titles []int, most int) int {
	sum := 0
	for i, w := range titles {
		sum += tabWidth(i, min(w, most))
	}
	return sum
}

// tabWidth returns the width of a tab with a title of the given width.
func tabWidth(i, title int) int { return title + tabFrame + len(strconv.Itoa(i+1)) }

// tabFrame is how wide a tab is beside its title and number: blanks, and the mark.
const tabFrame = 5

// endWidth is the room for each end of the line, beyond which there are more tabs.
const endWidth = 7

// around is which tabs are drawn: the one in front, and as many around it as there
// is room for.
func around(titles []string, front, width int) (from, to int) {
	wide := func(i int) int { return tabWidth(i, termtext.Width(titles[i])) }
	from, to = front, front+1
	used := wide(front)
	fits := func(from, to, used int) bool {
		if from > 0 {
			used += endWidth
		}
		if to < len(titles) {
			used += endWidth
		}
		return used <= width
	}
	for grown := true; grown; {
		grown = false
		if to < len(titles) && fits(from, to+1, used+wide(to)) {
			used, to, grown = used+wide(to), to+1, true
		}
		if from > 0 && fits(from-1, to, used+wide(from-1)) {
			used, from, grown = used+wide(from-1), from-1, true
		}
	}
	return from, to
}

// drawTab draws one tab: its number, which is that of its key, its state and title.
func drawTab(th *theme.Theme, i int, state tab.State, title string, front bool) string {
	number, style := th.Faint, th.Muted
	if front {
		number, style = th.ChoiceSelected, th.ChoiceSelected.Bold(true)
	}
	mark, look := stateMark(th, state)
	if front {
		look = look.Background(th.ChoiceSelected.GetBackground()).Reverse(th.ChoiceSelected.GetReverse())
	}
	return number.Render(fmt.Sprintf(" %d ", i+1)) + look.Render(mark) + style.Render(" "+title+" ")
}

// stateMark is the mark of a state: one cell, and another character for each, for
// those who see no colours.
func stateMark(th *theme.Theme, s tab.State) (string, lipgloss.Style) {
	switch s {
	case tab.Working:
		return "◐", th.Info
	case tab.Waiting:
		return "?", th.Warning.Bold(true)
	case tab.Done:
		return "✓", th.Success
	case tab.Failed:
		return "✗", th.Error
	case tab.Lost:
		return "†", th.Error
	}
	return "·", th.Faint
}

// beyond is an end of the line: how many tabs there are beyond it, and the mark of
// what is most urgent among them.
func beyond(th *theme.Theme, arrow string, faces []tab.Summary) string {
	urgent := tab.Idle
	for _, f := range faces {
		if urgency(f.State) > urgency(urgent) {
			urgent = f.State
		}
	}
	mark, look := stateMark(th, urgent)
	if urgent == tab.Idle {
		mark = " "
	}
	count := fmt.Sprint(len(faces))
	if arrow == "›" {
		return th.Faint.Render(" "+count) + look.Render(mark) + th.Accent.Render(arrow) + " "
	}
	return " " + th.Accent.Render(arrow) + th.Faint.Render(count) + look.Render(mark) + " "
}

// urgency orders states by how soon somebody should look.
func urgency(s tab.State) int {
	switch s {
	case tab.Waiting:
		return 4
	case tab.Lost, tab.Failed:
		return 3
	case tab.Done:
		return 2
	case tab.Working:
		return 1
	}
	return 0
}

// attention notifies the person of events while they look elsewhere, and shows progress
// outside the window.
type attention struct {
	config   config.Attention
	terminal desktop.Notifier
	progress bool // the terminal shows it
	// elsewhere means that the terminal has reported losing the focus.
	elsewhere bool
	seen      map[tab.ID]seen
}

// seen is how a tab stood after the last message.
type seen struct {
	state tab.State
	turns int // that have ended: one may begin and end within a message
}

func newAttention(c config.Attention, getenv func(string) string) attention {
	a := attention{config: c, terminal: desktop.Notifier{Getenv: getenv}, seen: map[tab.ID]seen{}}
	if a.progress = desktop.ShowsProgress(getenv); c.Progress != nil {
		a.progress = *c.Progress
	}
	return a
}

// focus takes what a message says about where the person looks. A key says it too.
func (a *attention) focus(msg tea.Msg) {
	switch msg.(type) {
	case tea.BlurMsg:
		a.elsewhere = true
	case tea.FocusMsg, tea.KeyPressMsg, tea.PasteMsg:
		a.elsewhere = false
	}
}

// wanted reports whether to notify the person now.
func (a *attention) wanted(what config.AttentionEvent) bool {
	switch a.config.When {
	case config.WhenNever:
		return false
	case config.WhenUnfocused:
		if !a.elsewhere {
			return false
		}
	}
	return slices.Contains(a.config.On, what)
}

// happened returns the event between two states of a tab, or "" if it needs no
// notification.
func happened(before, now seen) config.AttentionEvent {
	gone := func(s seen) bool { return s.state == tab.Lost || s.state == tab.Failed }
	switch {
	case now.state == tab.Lost && before.state != tab.Lost, gone(now) && !gone(before) && now.turns == before.turns:
		return config.HappeningLost
	case now.state == tab.Waiting && before.state != tab.Waiting:
		return config.HappeningQuestion
	case now.turns != before.turns:
		return config.HappeningTurn
	}
	return ""
}

// attend notifies the person of changes by the last message.
func (m *Model) attend() tea.Cmd {
	a := &m.attention
	var cmds []tea.Cmd
	for _, t := range m.tabs {
		now := seen{t.State(), t.Turns()}
		before, known := a.seen[t.ID()]
		if known && now == before {
			continue
		}
		a.seen[t.ID()] = now
		if what := happened(before, now); what != "" && a.wanted(what) {
			cmds = append(cmds, a.call(m.program.Context, what, desktop.Notification{Title: "parley", Text: eventText(what) + t.Summary().Title}))
		}
	}
	return tea.Batch(cmds...)
}

// eventText describes an event, before the tab's title.
func eventText(what config.AttentionEvent) string {
	switch what {
	case config.HappeningQuestion:
		return "Waits for you: "
	case config.HappeningLost:
		return "The agent exited: "
	}
	return "Finished: "
}

// call notifies the person in the background.
func (a *attention) call(ctx context.Context, what config.AttentionEvent, n desktop.Notification) tea.Cmd {
	terminal, c := a.terminal, a.config
	var cmds []tea.Cmd
	if c.Notify != config.NoticeNone {
		way := desktop.NotifyMethod(c.Notify)
		if c.Notify == config.NoticeAuto {
			way = ""
		}
		cmds = append(cmds, func() tea.Msg { return tea.RawMsg{Msg: terminal.Sequence(ctx, way, n)} })
	}
	if len(c.Command) > 0 {
		cmds = append(cmds, func() tea.Msg {
			if err := desktop.RunNotifyCommand(ctx, c.Command, string(what), n); err != nil {
				return tab.ErrorMsg{Err: err}
			}
			return nil
		})
	}
	return tea.Batch(cmds...)
}

// count returns how many tabs are in a state.
func (m *Model) count(state tab.State) int {
	n := 0
	for _, t := range m.tabs {
		if t.State() == state {
			n++
		}
	}
	return n
}

// works reports whether a turn is running in any tab.
func (m *Model) works() bool { return slices.ContainsFunc(m.tabs, (*tab.Tab).Works) }

// progressBar returns the terminal's progress bar, or nil.
func (m *Model) progressBar() *tea.ProgressBar {
	switch {
	case !m.attention.progress:
		return nil
	case m.count(tab.Waiting) > 0:
		return tea.NewProgressBar(tea.ProgressBarWarning, whole) // paused
	case m.count(tab.Lost)+m.count(tab.Failed) > 0:
		return tea.NewProgressBar(tea.ProgressBarError, whole)
	case m.works():
		return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
	}
	return nil
}

// whole is a bar that is full, in percent: one of another state shows best.
const whole = 100

// getenv reads the environment that the options name, else the process's.
func getenv(opt Options) func(string) string {
	if opt.Getenv != nil {
		return opt.Getenv
	}
	return os.Getenv
}
