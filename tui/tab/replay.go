package tab

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/record"
	"parley/internal/termtext"
	"parley/tui/dialog"
)

// Replay plays a recording instead of a session.
func (t *Tab) Replay(p *record.Player) tea.Cmd {
	t.setDir(p.Script().Cwd)
	r := &replaying{ui: t.ui, tab: t, player: p, last: t.program.Now()}
	t.stored.title = p.Script().Title
	t.become(r, conversation.New())
	return t.address(r.Start())
}

// notInReplay says that an action is unavailable in a replay.
const notInReplay = "this is a replay: nothing is run"

const (
	// maxStep is the longest time between two steps of a replay, so that its progress bar moves.
	maxStep = 200 * time.Millisecond
	// maxElapsed bounds the time of one step, because the program may have been suspended.
	maxElapsed = time.Second
)

// replaying is the state without an agent in which a recording is played. It handles
// the keys that pause, speed up and jump. It touches no files and starts no programs.
type replaying struct {
	*ui
	tab    *Tab
	player *record.Player
	last   time.Time // end of the time already played
	steps  int       // number of the latest step command; earlier ones are ignored

	asked  *conversation.Permission // the question that answer belongs to
	answer string
}

// Start returns the command for the next step, or nil if the replay is not playing.
func (r *replaying) Start() tea.Cmd {
	wait, plays := r.player.Wait()
	if !plays {
		return nil
	}
	r.steps++
	n := r.steps
	return tea.Tick(min(wait, maxStep), func(time.Time) tea.Msg {
		return then(func() tea.Cmd {
			if n != r.steps {
				return nil // superseded by a key
			}
			return r.Play()
		})
	})
}

// Play plays up to now and schedules the next step.
func (r *replaying) Play() tea.Cmd { return tea.Batch(r.catchUp(), r.Start()) }

func (r *replaying) layers() []layer { return r.tab.reader.over(r.tab.panel, r) }

// now returns the recorded time of the current position, if it is known.
func (r *replaying) now() time.Time {
	if then := r.player.Now(); !then.IsZero() {
		return then
	}
	return r.program.Now()
}

// catchUp plays the time that has passed.
func (r *replaying) catchUp() tea.Cmd {
	now := r.program.Now()
	passed := min(now.Sub(r.last), maxElapsed)
	r.last = now
	return r.perform(r.player.Advance(passed))
}

// replayRows are the commands of a replay. It catches up before each.
func replayRows() command.Rows[func(*replaying) tea.Cmd] {
	plays := func(do func(*record.Player)) func(*replaying) tea.Cmd {
		return func(r *replaying) tea.Cmd { do(r.player); return nil }
	}
	return command.Rows[func(*replaying) tea.Cmd]{
		{ID: command.ReplayPause, Keys: "space", Help: "Pause, resume; at the end: play again", Do: (*replaying).pause},
		{ID: command.ReplayNext, Keys: "] n", Help: "Next turn", Do: (*replaying).nextTurn},
		{ID: command.ReplayPrev, Keys: "[ p", Help: "Start of the turn, previous turn", Do: (*replaying).prevTurn},
		{ID: command.ReplayFaster, Keys: "+ =", Help: "Faster", Do: plays((*record.Player).Faster)},
		{ID: command.ReplaySlower, Keys: "-", Help: "Slower", Do: plays((*record.Player).Slower)},
		{ID: command.ReplayQuit, Keys: "q", Help: "Close the replay", Do: (*replaying).quit},
	}
}

func (r *replaying) pause() tea.Cmd {
	if r.player.Ended() {
		r.player.Restart()
		r.rewind()
	} else {
		r.player.Pause()
	}
	return nil
}

func (r *replaying) nextTurn() tea.Cmd {
	cmd := r.perform(r.player.NextTurn())
	r.tab.reader.list.Bottom()
	return cmd
}

func (r *replaying) prevTurn() tea.Cmd {
	events := r.player.PrevTurn()
	r.rewind()
	return r.perform(events)
}

func (*replaying) quit() tea.Cmd { return send(Quit{Sure: true}) }

// perform applies events to the conversation, without reacting to them.
func (r *replaying) perform(events []conversation.Event) tea.Cmd {
	c := r.tab.conv()
	for _, e := range events {
		c.Apply(e)
		r.tab.info.Notice(e, c.Ending)
		opening, _ := e.(conversation.SessionOpening)
		if opening.Clear || c.Restored() {
			r.tab.reader.Reset()
		}
	}
	return r.tab.reader.Follow()
}

// rewind returns to the beginning.
func (r *replaying) rewind() {
	focused := r.tab.reader.list.Focused()
	r.tab.reader = newReader(r.tab, conversation.New())
	r.tab.reader.list.Focus(focused)
	r.asked = nil
}

func (r *replaying) key(_ tea.KeyPressMsg, name string) (tea.Cmd, bool) {
	row := replayRows().Pressed(r.program.Keys, name, config.ContextReplay)
	if row == nil {
		return nil, false
	}
	return tea.Batch(r.catchUp(), row.Do(r), r.Start()), true
}

func (*replaying) covers() bool                       { return false }
func (*replaying) paste(string) (tea.Cmd, bool)       { return nil, false }
func (*replaying) mouse(tea.MouseMsg) (tea.Cmd, bool) { return nil, false }

// Asks returns the question open at the current position and its recorded answer, or "".
func (r *replaying) Asks(c *conversation.Conversation) string {
	th := r.program.Theme
	open := conversation.Questions[conversation.Question](&c.State)
	if len(open) == 0 {
		return ""
	}
	return "  " + th.Accent.Render("asked: ") + conversation.Match(open[0], func(p *conversation.Permission) string {
		if r.asked != p {
			r.asked, r.answer = p, answerTo(p, r.player.Answer(p.ID))
		}
		return th.Text.Render(termtext.Line(p.Asked.Title)) + th.Muted.Render("  "+r.answer)
	}, func(e *conversation.Elicitation) string { return th.Text.Render(termtext.Line(e.Request.Message)) })
}

// answerTo describes how a question was answered.
func answerTo(p *conversation.Permission, closed *conversation.QuestionClosed) string {
	switch {
	case closed == nil:
		return "not answered"
	case closed.Outcome.Cancelled():
		return "withdrawn"
	}
	answer := string(closed.Outcome.OptionID)
	for _, o := range p.Options {
		if o.OptionID == closed.Outcome.OptionID {
			answer = o.Name
		}
	}
	words := "answered: " + termtext.Line(answer)
	if closed.Rule != "" {
		words += ", by the rule " + termtext.Line(closed.Rule)
	}
	return words
}

// replayBar is the width of the progress bar, in cells.
const replayBar = 16

// draw draws the progress of the replay on one line, in place of the prompt.
func (r *replaying) draw(width, _ int) dialog.View {
	p, th := r.player, r.program.Theme
	state := "playing"
	switch {
	case p.Ended():
		state = "at the end"
	case p.Paused():
		state = "paused"
	}
	played, whole := p.Position()
	share := 1.0
	if whole > 0 {
		share = float64(played) / float64(whole)
	}
	turn, of := p.Turn()
	left := " " + th.BadgeInfo.Render(" REPLAY ") + " " + th.Text.Render(state) + "  " + th.Bar(share, replayBar, th.Accent) + " " +
		th.Muted.Render(fmt.Sprintf("%s / %s  turn %d of %d  speed %v", clockTime(played), clockTime(whole), turn, of, p.Speed()))
	right := ""
	if n := len(p.Script().Faults); n > 0 {
		right = th.Warning.Render(termtext.Count(n, "damaged place") + " left out")
	}
	return dialog.View{Lines: []string{termtext.JoinSides(left, right+" ", width)}}
}

// clockTime formats a duration as media players do.
func clockTime(d time.Duration) string {
	s := int(d.Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

func (r *replaying) hints() []dialog.Hint {
	h := dialog.HintList{Keys: r.program.Keys}
	switch p := r.player; {
	case p.Ended():
		h.Add(command.ReplayPause, "play again")
	case p.Paused():
		h.Add(command.ReplayPause, "resume")
	default:
		h.Add(command.ReplayPause, "pause")
	}
	h.AddAll("turns", command.ReplayPrev, command.ReplayNext)
	h.AddAll("speed", command.ReplaySlower, command.ReplayFaster)
	h.Add(command.FocusTranscript, "transcript")
	h.Add(command.Find, "find")
	h.Add(command.ReplayQuit, "close")
	h.Add(command.Help, "help")
	return h.List
}
