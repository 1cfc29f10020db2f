package tab

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/session"
)

// againTime is how soon a key must be pressed again to confirm.
const againTime = 2 * time.Second

// leaving closes the tab and ends the program, and asks first where something would be
// lost.
type leaving struct {
	tab *Tab

	first time.Time // first of two ctrl+c that quit
}

// Acted resets the first of two ctrl+c after any other action.
func (e *leaving) Acted() { e.first = time.Time{} }

// Interrupt clears the draft, else cancels the turn, else quits on a second press.
func (e *leaving) Interrupt() tea.Cmd {
	if r, is := e.tab.state.(*replaying); is {
		return r.quit()
	}
	l, open := e.tab.live()
	switch {
	case !e.tab.composer.Empty():
		return e.tab.composer.Clear()
	case open && l.cancels():
		session.Post(l.Session, session.Cancel{})
		return nil
	case e.Leaving():
		return send(Quit{Despite: e.tab.id})
	}
	e.first = e.tab.program.Now()
	return redraw(againTime)
}

// Leave quits if there is no draft, else says how to. It asks first while an agent works.
func (e *leaving) Leave() tea.Cmd {
	if r, is := e.tab.state.(*replaying); is {
		return r.quit()
	}
	if !e.tab.composer.Empty() {
		words := fmt.Sprintf("%s quits when the draft is empty: %s clears it", e.tab.keyOf(command.Quit), e.tab.keyOf(command.Interrupt))
		return e.tab.sayWhile(words, func() bool { return !e.tab.composer.Empty() })
	}
	return send(Quit{})
}

// Leaving reports whether another ctrl+c quits.
func (e *leaving) Leaving() bool {
	if l, open := e.tab.live(); open && l.cancels() {
		return false
	}
	return !e.first.IsZero() && e.tab.program.Now().Sub(e.first) < againTime && e.tab.composer.Empty()
}

// AskToLeave asks whether to quit while agents work in tabs, which working names by their titles.
func (t *Tab) AskToLeave(working func() []string) {
	if q := t.leaveQuestion(working); q != nil {
		t.ask(*q)
	}
}

func (t *Tab) leaveQuestion(working func() []string) *app.Question {
	titles := working()
	q := &app.Question{
		Title: "The agent is working",
		Text:  "Quitting stops it in the middle of its turn.",
		Choices: []app.Choice{
			{Name: "Stay", Key: "s"},
			{Name: "Quit", Key: "q", Risky: true, Here: func() { t.acting.add(send(Quit{Sure: true})) }},
		},
		Again: func() *app.Question { return t.leaveQuestion(working) },
	}
	switch {
	case len(titles) == 0:
		return nil
	case len(titles) > 1:
		q.Title = fmt.Sprintf("%d agents are working", len(titles))
		q.Text = "Quitting stops them in the middle of their turns:\n• " + strings.Join(titles, "\n• ")
	case !t.Works():
		q.Title = "An agent is working in another tab"
		q.Text = "Quitting stops it in the middle of its turn:\n• " + titles[0]
	}
	return q
}

// Close closes the tab. It asks first if that would end or lose something.
func (e *leaving) Close() tea.Cmd {
	queued := func() bool { return len(e.tab.prompts.queued()) > 0 }
	switch {
	case e.tab.program.Tabs.Alone():
		return e.tab.say("this is the only tab: " + e.tab.keyOf(command.Quit) + " quits parley")
	case e.tab.Kept(): // it goes on
		return e.closeNow()
	case e.tab.Works():
		e.askToClose("The agent is working", "Closing the tab stops it in the middle of its turn.", e.tab.Works)
	case queued():
		e.askToClose("Prompts are queued", "Closing the tab drops them. They stay in the prompt history.", queued)
	default:
		return e.closeNow()
	}
	return nil
}

// closeNow closes the tab. The draft goes into the history.
func (e *leaving) closeNow() tea.Cmd {
	var keep tea.Cmd
	if !e.tab.composer.Empty() {
		keep = e.tab.composer.Clear()
	}
	e.tab.drafts.waiting = func() []conversation.QueuedPrompt { return nil }
	return tea.Batch(keep, e.tab.program.Tabs.CloseTab(e.tab))
}

func (e *leaving) askToClose(title, text string, while func() bool) {
	e.tab.ask(app.Question{Title: title, Text: text, While: while, Choices: []app.Choice{
		{Name: "Keep it open", Key: "k"},
		{Name: "Close it", Key: "c", Risky: true, Here: e.tab.here(e.closeNow)},
	}})
}

// LeaveWord says what leaving the tab does.
func (e *leaving) LeaveWord() string {
	if e.tab.program.Tabs.Alone() {
		return "quit"
	}
	return "close the tab"
}

// LeaveChoice is the answer that closes the tab, or quits if it is the only one.
func (e *leaving) LeaveChoice(key string) app.Choice {
	if e.tab.program.Tabs.Alone() {
		return app.Choice{Name: "Quit parley", Key: key, Here: func() { e.tab.acting.add(send(Quit{Despite: e.tab.id})) }}
	}
	return app.Choice{Name: "Close this tab", Key: key, Here: e.tab.here(e.closeNow)}
}
