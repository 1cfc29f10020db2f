package tab

import (
	"context"
	"fmt"
	"sync"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/session"
)

// Branch implements command.Front: it goes on in this tab.
func (f *front) Branch(branch command.Branch) {
	t, l, ctx := f.tab, f.live(), f.tab.program.Context
	begun := sync.OnceValues(func() (*app.Opened, error) { return branch.Begin(ctx) })
	l.reopening = func() app.Session {
		if b, _ := begun(); b != nil {
			return b.Session
		}
		return nil
	}
	f.InBackground(func(context.Context) func() {
		b, err := begun()
		return func() {
			switch {
			case t.state != state(l):
				if b != nil {
					f.add(send(End{func(ctx context.Context) { app.End(ctx, b.Session) }}))
				}
			case err == nil:
				f.add(t.showBranch(b))
			default:
				l.reopening = nil
				f.add(t.prompts.ReturnToDraft())
				if open := branch.Failed(err); open != nil {
					f.add(t.reopenStored(*open))
				}
			}
		}
	})
}

// showBranch shows a branch of a session and starts it. Its prompt becomes the draft.
func (t *Tab) showBranch(b *app.Opened) tea.Cmd {
	keep := t.composer.Keep(t.composer.Text())
	t.composer.SetText("")
	c := b.Transcript.Conversation
	l := t.adopt(b.Live())
	cmds := []tea.Cmd{keep, l.restoreView(reopenedMsg{from: app.Spec{Stored: b.Transcript.Meta.ID}, Opened: b})}
	t.stored.earlier = b.Earlier
	back := b.Queue
	if b.Prompt != nil {
		back = append(back, conversation.QueuedPrompt{Prompt: b.Prompt})
	}
	cmds = append(cmds, t.prompts.ReturnToDraft(back...), l.pump.next, t.readBranch(), t.diffPositions.Locate(t.cwd, diffFragments(c)))
	session.Post(l.Session, session.Start{})
	l.askToTrustRules()
	return tea.Batch(cmds...)
}

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
	p, id, agent, old, dir := l.program, l.tab.StoredID(), l.Agent, l.Session, l.tab.cwd
	kept := l.Running() != ""
	return tea.Batch(l.say("forking the session"), inBackground(func() then {
		cwd := ""
		if worktree {
			var err error
			if cwd, err = p.Worktree(p.Context, dir); err != nil {
				return l.failed(err)
			}
		}
		b, err := p.Make(p.Context, app.Spec{Stored: id, Branch: prompt, Agent: &agent, Cwd: cwd, Keep: kept})
		if err != nil {
			return l.failed(err)
		}
		b.TellOld(old)
		return func() tea.Cmd {
			return p.Tabs.OpenWith(b.Transcript.Meta.Cwd, func(n *Tab) tea.Cmd { return n.address(n.showBranch(b)) })
		}
	}))
}
