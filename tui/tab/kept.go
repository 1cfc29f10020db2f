package tab

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/tui/dialog"
)

// Kept reports whether the tab's session goes on when parley ends.
func (t *Tab) Kept() bool { return t.Running() != "" }

// Running returns the id under which the tab's session runs in a host, "" if it does not.
func (t *Tab) Running() string {
	if l, open := t.live(); open {
		return l.Running()
	}
	return ""
}

// Unsent returns the prompts that the session has not confirmed, each in a line.
func (t *Tab) Unsent() (all []string) {
	l, open := t.live()
	if !open {
		return nil
	}
	return app.Unsent(l.Session)
}

// far reports whether the session runs on another machine, and so its files are there.
func (t *Tab) far() bool {
	l, open := t.live()
	return open && l.Session.About().Far
}

// suspend stops parley as a shell does, or detaches from a session that goes on meanwhile.
func (t *Tab) suspend() tea.Cmd {
	if t.Kept() {
		return t.detach()
	}
	return send(Suspend{})
}

// detach detaches from a kept session and closes its tab, or quits if that is the only tab.
func (t *Tab) detach() tea.Cmd {
	if t.program.Tabs.Alone() {
		return send(Quit{Sure: true})
	}
	return t.program.Tabs.Close()
}

// notKept says why there is nothing to detach from, or to end, or returns "".
func (l *live) notKept() string {
	return unless(l.Running() != "", "this session ends with parley: keep it running first")
}

// cannotKeep says why the session cannot go on in a process of its own, or returns "".
func (l *live) cannotKeep() string {
	t := l.tab
	switch {
	case l.Running() != "":
		return "this session keeps running already"
	case t.program.Keep == nil:
		return "sessions cannot be kept running here"
	case l.notStored() != "":
		return l.notStored() + ": only a stored session can be moved to a process of its own"
	case l.Conversation.Turn.Running:
		return "wait until the turn has ended"
	case app.ResumableID(l.Conversation) == "":
		return "this agent cannot resume a session, so it cannot be moved: start parley with --keep"
	}
	return ""
}

// keep moves the session to a host: it ends here and is reopened there.
func (l *live) keep() tea.Cmd {
	if why := l.cannotKeep(); why != "" {
		return l.say(why)
	}
	p, old := l.program, l.Session
	return l.tab.reopenWith(app.Open{ID: l.tab.StoredID(), Agent: &l.Agent}, func(ctx context.Context, o app.Open) (*app.Reopened, error) {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), app.StopTime)
		defer cancel()
		app.End(ending, old)
		if r, err := p.Keep(ctx, o); err == nil {
			return r, nil
		}
		return p.Reopen(ctx, o) // it goes on as it was, and the status line does not say "kept"
	})
}

// askToEnd asks whether to end a session that would go on.
func (l *live) askToEnd() tea.Cmd {
	text := "Its agent and what that has started are ended. The transcript stays."
	if l.Conversation.Turn.Running {
		text = "The agent is stopped in the middle of its turn. The transcript stays."
	}
	end := func() tea.Cmd {
		s := l.Session
		return tea.Batch(send(End{func(ctx context.Context) { app.End(ctx, s) }}), l.tab.detach())
	}
	l.ask(dialog.Confirmation{Title: "End this session?", Text: text, Choices: []dialog.Choice{
		{Name: "Keep it running", Key: "k", Do: dialog.Close{}},
		{Name: "End it", Key: "e", Risky: true, Do: dialog.Do(end)},
	}})
	return nil
}

// openAgain opens a session from its log, after its process has ended.
func (l *live) openAgain() tea.Cmd {
	t := l.tab
	id := l.StoredID()
	if id == "" {
		return t.say("nothing of this session was stored")
	}
	return t.reopenStored(app.Open{ID: id, Agent: &l.Agent, Keep: true})
}

// follow switches to the session that has replaced this one for all its viewers.
func (l *live) follow(moved *app.MovedError) tea.Cmd {
	o := app.Open{Running: moved.To, LookOn: l.Session.About().LookOn}
	return tea.Batch(l.say("the session was rewound on another terminal"), l.tab.reopenWith(o, l.program.Follow))
}

// OfferRunning offers to attach to a session that runs in the tab's directory.
func (t *Tab) OfferRunning() tea.Cmd {
	running, cwd, ctx := t.program.Running, t.cwd, t.program.Context
	if running == nil {
		return nil
	}
	return t.address(inBackground(func() then {
		all, err := running(ctx)
		if err != nil {
			return nil // best effort
		}
		q := app.RunningQuestion(all, cwd)
		if q == nil {
			return nil
		}
		return func() tea.Cmd {
			if !t.typed {
				t.offer = dialog.NewConfirm(t.env(), t.confirmation(*q))
				t.dialogs.Push(t.offer)
			}
			return nil
		}
	}))
}

// dropOffer closes or prevents the offer of [Tab.OfferRunning]: the user types instead.
func (t *Tab) dropOffer() {
	if t.typed = true; t.offer != nil {
		t.dialogs.Close(t.offer)
		t.offer = nil
	}
}
