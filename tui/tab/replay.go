package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/record"
	"parley/internal/session"
)

// idleMachine is the machine of a replay, which is never asked for anything.
type idleMachine struct{ session.Machine }

func (idleMachine) EndTerminals() {}
func (idleMachine) Close()        {}

// Replay plays a recording instead of a session.
func (t *Tab) Replay(p *record.Player) tea.Cmd {
	s, err := session.NewSession(session.Options{ // never started
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

// notInReplay says that an action is unavailable in a replay.
const notInReplay = "this is a replay: nothing is run"

// actsOutside reports whether an action of the transcript affects a program or file.
func actsOutside(a config.Action) bool {
	switch a {
	case config.ActionOpen, config.ActionStepIn, config.ActionEndCommand, config.ActionItemAdd:
		return true
	}
	return false
}

// inReplay handles an action during a replay. other means that the action has its usual
// effect.
func (ac *actions) inReplay(a config.Action) (cmd tea.Cmd, other bool) {
	t := ac.tab
	if t.replay == nil {
		return nil, true
	}
	switch a {
	case config.ActionHelp, config.ActionGuide, config.ActionFocusTranscript, config.ActionFind,
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

// sessionNow returns the current time, or the recorded time in a replay.
func sessionNow(t *Tab) time.Time {
	if t.replay != nil {
		if then := t.replay.Now(); !then.IsZero() {
			return then
		}
	}
	return t.program.Now()
}
