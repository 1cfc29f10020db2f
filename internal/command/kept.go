package command

import (
	"context"

	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
)

// NotStored says why the session is not stored, or returns "".
func NotStored(f Front) string {
	switch l := f.Live(); {
	case f.StoredID() != "":
		return ""
	case l.Agent.ID == app.TourID:
		return "the tour is not stored"
	case len(l.Conversation.Prompts()) == 0:
		return "send a prompt first"
	}
	return "this session is not stored"
}

// NoBranch says why the conversation cannot go back, or returns "".
func NoBranch(f Front) string {
	why := NotStored(f)
	return Unless(f.Backend().Stored != nil && why == "", "the conversation stays: "+why)
}

// forkSession forks the whole session. The agent forks one that is not stored in place.
func forkSession(f Front) {
	switch why := noRewind(f); {
	case NoBranch(f) != "":
		Try(f, f.Live().Session, session.Fork{}, "")
	case why != "":
		f.Say(why)
	default:
		f.Fork(len(f.Live().Conversation.Prompts()) + 1)
	}
}

// notKept says why there is nothing to detach from, or to end, or returns "".
func notKept(f Front) string {
	return Unless(f.Live().Running() != "", "this session ends with parley: keep it running first")
}

// cannotKeep says why the session cannot go on in a process of its own, or returns "".
func cannotKeep(f Front) string {
	l := f.Live()
	switch why := NotStored(f); {
	case l.Running() != "":
		return "this session keeps running already"
	case f.Backend().Running == nil:
		return "sessions cannot be kept running here"
	case why != "":
		return why + ": only a stored session can be moved to a process of its own"
	case l.Conversation.Turn.Running:
		return "wait until the turn has ended"
	case app.ResumableID(l.Conversation) == "":
		return "this agent cannot resume a session, so it cannot be moved: start parley with --keep"
	}
	return ""
}

// keep moves the session to a host: it ends here and is reopened there, or here as it was.
func keep(f Front) {
	l := f.Live()
	s := app.Spec{Stored: f.StoredID(), Agent: &l.Agent, Keep: true, Replaces: l.Session}
	f.Replace(s, nil, func(error) { f.Replace(app.Spec{Stored: s.Stored, Agent: s.Agent}, nil, nil) })
}

// Restart restarts the agent, and reopens the session if possible. It asks first whether to end an
// agent that runs.
func Restart(f Front) {
	l := f.Live()
	switch c := l.Conversation; {
	case c.Opening(): // nothing is lost
		session.Post(l.Session, session.Reconnect{})
	case !c.Gone():
		text := "The agent is running. parley restarts it and resumes the session."
		if c.Turn.Running {
			text = "The agent is working: this ends its turn. parley restarts it and resumes the session."
		}
		f.Ask(app.Question{
			Title: "Restart the agent?", Text: text,
			Choices: []app.Choice{
				{Name: "Keep it running", Key: "k"},
				{Name: "Restart it", Key: "r", Risky: true, Here: func() { session.Post(l.Session, session.Reconnect{}) }},
			},
			While: func() bool { return c.Phase == conversation.PhaseReady },
		})
	case l.OverForGood():
		f.Say("nothing of this session was stored")
	case l.HostGone(): // from its log, with the prompts that did not reach the host
		b, save, spec := f.Backend(), f.SaveUnsent(), app.Spec{Stored: l.StoredID(), Agent: &l.Agent, Keep: true}
		f.Replace(spec, func(ctx context.Context) (*app.Opened, error) {
			save()
			return b.Make(ctx, spec)
		}, nil)
	default:
		session.Post(l.Session, session.Start{})
	}
}

// askToEnd asks whether to end a session that would go on.
func askToEnd(f Front) {
	l := f.Live()
	text := app.Overview{Working: l.Conversation.Turn.Running}.Loses(true)
	f.Ask(app.Question{Title: "End this session?", Text: text, Choices: []app.Choice{
		{Name: "Keep it running", Key: "k"},
		{Name: "End it", Key: "e", Risky: true, Here: func() { f.End(l.Session) }},
	}})
}
