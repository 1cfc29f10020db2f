package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/conversation"
	"parley/internal/replay"
	"parley/internal/session"
	"parley/tui/tab/reader"
	"parley/tui/transcript"
)

const (
	// beat is the longest time between two steps of a replay that plays: the line that
	// says how far it is moves on.
	beat = 200 * time.Millisecond
	// mostPassed is how much time counts at most between two steps: the program may have
	// been suspended.
	mostPassed = time.Second
)

// replaying is what a tab knows of the replay that it shows. It has no agent, touches no
// file and starts no program: there is nothing in it but what was recorded.
type replaying struct {
	player *replay.Player
	last   time.Time // until when time has been reckoned in
	steps  int       // counts the messages that go on with it: only the last one counts

	asked  *conversation.Permission // the question for which answer says how it was answered
	answer string
}

// playMsg goes on with a replay.
type playMsg int

// idleMachine is the machine of a replay: nobody asks anything of it.
type idleMachine struct{ session.Machine }

func (idleMachine) EndTerminals() {}
func (idleMachine) Close()        {}

// Replay shows what was recorded, in place of a session with an agent.
func (t *Tab) Replay(p *replay.Player) tea.Cmd {
	s, err := session.NewSession(session.Options{ // it is never started
		Cwd:     p.Script().Cwd,
		Machine: func(session.Witness, session.Asker) (session.Machine, error) { return idleMachine{}, nil },
	})
	if err != nil { // an idle machine never fails
		return t.desk.Say(err.Error())
	}
	t.replay = &replaying{player: p, last: t.program.Now()}
	t.adopt(config.Agent{}, s)
	t.back.title = p.Script().Title
	return t.address(t.replay.playOn())
}

// playOn is the command that goes on with the replay when it is time; nil if it does not
// go on by itself.
func (r *replaying) playOn() tea.Cmd {
	wait, plays := r.player.Wait()
	if !plays {
		return nil
	}
	r.steps++
	n := playMsg(r.steps)
	return tea.Tick(min(wait, beat), func(time.Time) tea.Msg { return n })
}

// played goes on with the replay. A message from before the last key does not count.
func (t *Tab) played(msg playMsg) tea.Cmd {
	if t.replay == nil || int(msg) != t.replay.steps {
		return nil
	}
	return tea.Batch(t.catchUp(), t.replay.playOn())
}

// advance returns what has happened since the last time, until now.
func (r *replaying) advance(now time.Time) []conversation.Event {
	passed := min(now.Sub(r.last), mostPassed)
	r.last = now
	return r.player.Advance(passed)
}

// catchUp shows what has happened in the time that has passed.
func (t *Tab) catchUp() tea.Cmd { return t.perform(t.replay.advance(t.program.Now())) }

// perform takes events into the conversation. Nothing is done about them.
func (t *Tab) perform(events []conversation.Event) tea.Cmd {
	for _, e := range events {
		t.conv.Apply(e)
		t.notice(e)
		opening, _ := e.(conversation.SessionOpening)
		if opening.Clear || t.conv.Restored() {
			t.list.Reset()
			t.reader.Reset()
		}
	}
	return t.reader.Follow()
}

// rewind shows the replay as if it had not begun.
func (t *Tab) rewind() {
	old := t.list
	t.conv = conversation.New()
	t.conv.Cwd = t.cwd
	t.list = transcript.New(t.program.Theme, t.conv)
	t.list.SetSites(t.sites.Known())
	t.list.Focus(old.Focused())
	t.reader = reader.NewTranscript(t.desk, host{t}, t.list, t.conv, t.commands)
	t.asked, t.replay.asked = "", nil
}

// steer does what an action of the replay says.
func (t *Tab) steer(a config.Action) tea.Cmd {
	p := t.replay.player
	cmd := t.catchUp()
	switch a {
	case config.ActionReplayPause:
		if p.Ended() {
			p.Restart()
			t.rewind()
			break
		}
		p.Pause()
	case config.ActionReplayFaster:
		p.Faster()
	case config.ActionReplaySlower:
		p.Slower()
	case config.ActionReplayNext:
		cmd = tea.Batch(cmd, t.perform(p.NextTurn()))
		t.list.Bottom()
	case config.ActionReplayPrev:
		events := p.PrevTurn()
		t.rewind()
		cmd = tea.Batch(cmd, t.perform(events))
	case config.ActionReplayQuit:
		return send(Quit{Sure: true})
	}
	return tea.Batch(cmd, t.replay.playOn())
}

// notInReplay is said when a key would do something that a replay does not do.
const notInReplay = "this is a replay: there is no agent, and nothing is done"

// replayKey takes a key while a replay is shown: a list or the help that the person has
// opened comes first, then the transcript if it has the focus, then the replay.
func (t *Tab) replayKey(k tea.KeyPressMsg, name string) tea.Cmd {
	if t.takesMouseBack(name) || t.reader.Unmarks(name) {
		return nil
	}
	if t.reader.Reads() {
		if a, _ := t.program.Keys.Action(config.ContextTranscript, name); !t.reader.Writing() && actsOutside(a) {
			return t.desk.Say(notInReplay)
		}
		if cmd, taken := t.reader.Key(k, name); taken {
			return cmd
		}
	} else if d := t.dialogs.Top(); d != nil {
		if t.program.Keys.Match(config.ActionInterrupt, name) {
			return t.closeDialog()
		}
		cmd, _ := t.take(d.Key(k))
		return cmd
	}
	if a, ok := t.program.Keys.Action(config.ContextReplay, name); ok {
		return t.steer(a)
	}
	a, _ := t.program.Keys.Action(config.ContextPrompt, name)
	return t.run(a)
}

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
func (t *Tab) inReplay(a config.Action) (cmd tea.Cmd, other bool) {
	if t.replay == nil {
		return nil, true
	}
	switch a {
	case config.ActionPlan, config.ActionHelp, config.ActionGuide, config.ActionFocusTranscript, config.ActionFind,
		config.ActionPageUp, config.ActionPageDown, config.ActionLineUp, config.ActionLineDown,
		config.ActionScrollTop, config.ActionScrollBottom, config.ActionLendMouse, config.ActionSuspend:
		return nil, true
	case config.ActionInterrupt, config.ActionQuit:
		return t.steer(config.ActionReplayQuit), false
	case config.ActionCancel, "":
		return nil, false
	}
	return t.desk.Say(notInReplay), false
}

// sessionNow is the time in the session: now, or, in a replay, when what is shown
// happened.
func (t *Tab) sessionNow() time.Time {
	if t.replay != nil {
		if then := t.replay.player.Now(); !then.IsZero() {
			return then
		}
	}
	return t.program.Now()
}
