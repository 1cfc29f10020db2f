package command

import (
	"context"
	"fmt"
	"time"

	"parley/config"
	"parley/internal/app"
	"parley/internal/termtext"
)

// NoHandOver says why the session cannot go on in a branch, or with another agent, now; or returns "".
func NoHandOver(f Front) string {
	if why := noRewind(f); why != "" {
		return why
	}
	return NoBranch(f)
}

// LimitQuestion is [app.LimitQuestion] for the session, which may also be handed over.
func LimitQuestion(f Front, now time.Time) *app.Question {
	l := f.Live()
	if l == nil {
		return nil
	}
	var successor func()
	if NoBranch(f) == "" {
		successor = func() { chooseSuccessor(f) }
	}
	return app.LimitQuestion(l.Session, l.Conversation, now, successor)
}

// chooseSuccessor lets the user choose the agent that goes on with the session.
func chooseSuccessor(f Front) { handOverTo(f, "") }

// handOverTo asks whether the agent with this name goes on, or which one where none has it.
func handOverTo(f Front, name string) {
	if why := NoHandOver(f); why != "" {
		f.Say(why)
		return
	}
	l := f.Live()
	f.InBackground(func(context.Context) func() {
		agents, err := f.Backend().Others(l.Agent.ID)
		return func() {
			if err != nil {
				f.Say(err.Error())
			}
			c := Choice{
				Title: "Continue with another agent", Ask: "Which agent continues?", Filter: true, Choosing: "hand over",
				Empty: "there is no other agent here; parley agents lists some",
			}
			named, found := config.Find(agents, name)
			for _, a := range agents {
				it := agentItem(a)
				it.Do = func() {
					q := app.HandOverQuestion(l.Conversation, a, func() { handOver(f, l, a) })
					q.While = func() bool { return f.Live() == l && NoHandOver(f) == "" }
					f.Ask(q)
				}
				if found && a.ID == named.ID {
					it.Do()
					return
				}
				c.Items = append(c.Items, it)
			}
			f.Choose(c)
		}
	})
}

// handOver has another agent go on with the conversation, in place of this session.
func handOver(f Front, l *app.Live, to config.Agent) {
	if f.Live() != l {
		return // another session was opened since
	}
	if why := NoHandOver(f); why != "" {
		f.Say(why)
		return
	}
	own := app.Spec{Stored: l.StoredID(), Agent: &l.Agent, Keep: l.Running() != ""}
	s := own
	s.Branch, s.Agent, s.HandOver, s.Replaces = len(l.Conversation.Prompts())+1, &to, true, l.Session
	f.Replace(s, nil, func(err error) {
		f.Tell(fmt.Sprintf("Not handed over to %s", termtext.Line(to.Name)), err.Error())
		f.Replace(own, nil, nil)
	})
}
