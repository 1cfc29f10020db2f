package command

import "parley/internal/app"

// noAside says why no question can be asked aside now, or returns "".
func noAside(f Front) string {
	l, closed := f.Live(), f.Closed()
	switch about := l.Session.About(); {
	case closed != "": // its agent may not be trusted
		return closed
	case f.Backend().Launcher == nil:
		return "no agent can be started here"
	case about.Far:
		return "the agent of this session is on another machine"
	case about.LookOn:
		return "this session is read-only here"
	case l.Conversation.BudgetReached:
		return "the budget is used up"
	}
	return ""
}

// askAside asks a question aside, once the user has written it.
func askAside(f Front) {
	f.Ask(app.Question{Title: "Ask aside", Hint: "a question that leaves no trace in the session", EnterHere: func(question string) {
		if question != "" && f.Live() != nil {
			askAsideNow(f, question)
		}
	}})
}

// askAsideNow asks a question aside.
func askAsideNow(f Front, question string) {
	if why := noAside(f); why != "" {
		f.Say(why)
		return
	}
	f.ShowAside(f.Live().AskAside(f.Backend(), f.StoredID(), question))
}
