package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/record"
	"parley/internal/session"
)

// idleMachine is the machine of a replay: nobody asks anything of it.
type idleMachine struct{ session.Machine }

func (idleMachine) EndTerminals() {}
func (idleMachine) Close()        {}

// Replay shows what was recorded, in place of a session with an agent.
func (t *Tab) Replay(p *record.Player) tea.Cmd {
	s, err := session.NewSession(session.Options{ // it is never started
		Cwd:     p.Script().Cwd,
		Machine: func(session.Observer, session.Asker) (session.Machine, error) { return idleMachine{}, nil },
	})
	if err != nil { // an idle machine never fails
		return t.say(err.Error())
	}
	t.replay = &replayControl{tab: t, player: p, last: t.program.Now()}
	t.starter.adopt(config.Agent{}, s)
	t.stored.title = p.Script().Title
	return t.address(t.replay.Start())
}

// notInReplay is said when a key would do something that a replay does not do.
const notInReplay = "this is a replay: there is no agent, and nothing is done"

// actsOutside reports an action of the transcript that does something to a program or a
// file.
func actsOutside(a config.Action) bool {
	switch a {
	case config.ActionItemOpen, config.ActionStepIn, config.ActionEndCommand, config.ActionItemAdd:
		return true
	}
	return false
}

// inReplay says what an action does while a replay is shown: other means that it does
// what it always does.
func (ac *actions) inReplay(a config.Action) (cmd tea.Cmd, other bool) {
	t := ac.tab
	if t.replay == nil {
		return nil, true
	}
	switch a {
	case config.ActionPlan, config.ActionHelp, config.ActionGuide, config.ActionFocusTranscript, config.ActionFind,
		config.ActionPageUp, config.ActionPageDown, config.ActionLineUp, config.ActionLineDown,
		config.ActionScrollTop, config.ActionScrollBottom, config.ActionLendMouse, config.ActionSuspend:
		return nil, true
	case config.ActionInterrupt, config.ActionQuit:
		return t.replay.Steer(config.ActionReplayQuit), false
	case config.ActionCancel, "":
		return nil, false
	}
	return t.say(notInReplay), false
}

// sessionNow is the time in the session: now, or, in a replay, when what is shown
// happened.
func (t *Tab) sessionNow() time.Time {
	if t.replay != nil {
		if then := t.replay.Now(); !then.IsZero() {
			return then
		}
	}
	return t.program.Now()
}
