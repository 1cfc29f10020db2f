package tab

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/command"
)

// Fork implements command.Front: it asks where. One more prompt than there are means all of the
// session.
func (f *front) Fork(prompt int) {
	l := f.live()
	if command.NoBranch(f) != "" {
		f.Say("no fork: " + command.NotStored(f))
		return
	}
	title := fmt.Sprintf("Fork before prompt %d", prompt)
	if prompt > len(l.Conversation.Prompts()) {
		title = "Fork this session"
	}
	l.ask(app.Question{
		Title: title, Text: app.WayTo(l.Conversation, prompt).Text() + ".\nThis session and its files stay as they are.",
		Choices: []app.Choice{
			{Name: "In a new tab", Key: "t", Here: func() { f.add(l.fork(prompt, false)) }},
			{Name: "In a new tab, in a worktree", Key: "w", Here: func() { f.add(l.fork(prompt, true)) }},
			{Name: "Stay here", Key: "s"},
		},
	})
}

// fork opens a fork of the session in a new tab.
func (l *live) fork(prompt int, worktree bool) tea.Cmd {
	p, dir := l.program, l.cwd
	s := app.Spec{Stored: l.Tab.StoredID(), Branch: prompt, Agent: &l.Agent, Keep: l.Live.Running() != "", Beside: l.Session}
	return l.working("forking the session", func(tell func(string)) then {
		if worktree {
			var err error
			if s.Cwd, err = p.Worktree(p.Context, dir, tell); err != nil {
				return l.failed(cannotMake, err)
			}
		}
		return func() tea.Cmd { return l.acting.do(func() { l.acting.Open(s) }) }
	})
}
