// This file plays what was recorded, in a tab that has no agent: it goes on with time,
// and takes the keys that pause, hasten and jump.

package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/conversation"
	"parley/internal/record"
	"parley/tui/dialog"
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

// replayControl is a replay that a tab shows. It touches no file and starts no program: there
// is nothing in it but what was recorded.
type replayControl struct {
	tab    *Tab
	player *record.Player
	last   time.Time // until when time has been reckoned in
	steps  int       // counts the commands that go on with it: only the last one counts

	asked  *conversation.Permission // the question for which answer says how it was answered
	answer string
}

// Start is the command that goes on with the replay when it is time; nil if it does not
// go on by itself.
func (r *replayControl) Start() tea.Cmd {
	wait, plays := r.player.Wait()
	if !plays {
		return nil
	}
	r.steps++
	n := r.steps
	return tea.Tick(min(wait, beat), func(time.Time) tea.Msg {
		return then(func() tea.Cmd {
			if n != r.steps {
				return nil // it is from before the last key
			}
			return r.Play()
		})
	})
}

// Play shows what has happened until now, and goes on.
func (r *replayControl) Play() tea.Cmd { return tea.Batch(r.catchUp(), r.Start()) }

// Playing reports whether it goes on by itself, and Now is the time at which it stands,
// zero if that is not known.
func (r *replayControl) Playing() bool { return r.player.Playing() }

// Now is described with Playing.
func (r *replayControl) Now() time.Time { return r.player.Now() }

// catchUp shows what has happened in the time that has passed.
func (r *replayControl) catchUp() tea.Cmd {
	now := r.tab.program.Now()
	passed := min(now.Sub(r.last), mostPassed)
	r.last = now
	return r.perform(r.player.Advance(passed))
}

// Steer does what an action of the replay says.
func (r *replayControl) Steer(a config.Action) tea.Cmd {
	p := r.player
	cmd := r.catchUp()
	switch a {
	case config.ActionReplayPause:
		if p.Ended() {
			p.Restart()
			r.rewind()
			break
		}
		p.Pause()
	case config.ActionReplayFaster:
		p.Faster()
	case config.ActionReplaySlower:
		p.Slower()
	case config.ActionReplayNext:
		cmd = tea.Batch(cmd, r.perform(p.NextTurn()))
		r.tab.list.Bottom()
	case config.ActionReplayPrev:
		events := p.PrevTurn()
		r.rewind()
		cmd = tea.Batch(cmd, r.perform(events))
	case config.ActionReplayQuit:
		return r.tab.ending.quit(quitSure)
	}
	return tea.Batch(cmd, r.Start())
}

// perform takes events into the conversation. Nothing is done about them.
func (r *replayControl) perform(events []conversation.Event) tea.Cmd {
	t := r.tab
	for _, e := range events {
		t.conv.Apply(e)
		t.standing.Notice(e, t.conv)
		opening, _ := e.(conversation.SessionOpening)
		if opening.Clear || t.conv.Restored() {
			t.list.Reset()
			t.reader.Reset()
		}
	}
	return t.reader.Follow()
}

// rewind shows the replay as if it had not begun.
func (r *replayControl) rewind() {
	t, old := r.tab, r.tab.list
	t.conv = conversation.New()
	t.conv.Cwd = t.cwd
	t.list = transcript.New(t.program.Theme, t.conv)
	t.list.SetSites(t.sites.Known())
	t.list.Focus(old.Focused())
	t.reader = newTranscriptReader(t)
	t.standing.Forget()
	r.asked = nil
}

// key steers the replay.
func (r *replayControl) key(_ tea.KeyPressMsg, name string) (tea.Cmd, bool) {
	a, ok := r.tab.program.Keys.Action(config.ContextReplay, name)
	if !ok {
		return nil, false
	}
	return r.Steer(a), true
}

func (*replayControl) paste(string) (tea.Cmd, bool)       { return nil, false }
func (*replayControl) mouse(tea.MouseMsg) (tea.Cmd, bool) { return nil, false }

// draw draws the line that stands in the place of the prompt.
func (r *replayControl) draw(width, _ int) dialog.View {
	return dialog.View{Lines: []string{r.Line(width)}}
}
