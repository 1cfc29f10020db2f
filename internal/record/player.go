package record

import (
	"sort"
	"time"

	"parley/internal/conversation"
)

// Options say how a script is played.
type PlayerOptions struct {
	Speed Speed // 0 is that at which it happened
	// MaxPause is how long a silence lasts at most, before the speed is reckoned in.
	// 0 leaves silences out.
	MaxPause time.Duration
}

// maxBatch is how many steps are taken at once where no time has to pass: what shows
// them gets to draw between two batches.
const maxBatch = 512

// frame is the time between two such batches.
const frame = 20 * time.Millisecond

// Player knows how far a script was played. Times that it takes are those of whoever
// watches; times that it gives are those of the script, with shortened silences. It is
// not safe for concurrent use.
type Player struct {
	script *Script
	at     []time.Duration // of the steps, with shortened silences
	turns  []int           // the steps with which turns begin

	next   int           // the step that comes next
	pos    time.Duration // how much was played
	speed  Speed
	paused bool
}

// NewPlayer makes a player that stands at the beginning of a script and plays.
func NewPlayer(s *Script, opt PlayerOptions) *Player {
	p := &Player{script: s, at: make([]time.Duration, len(s.Steps)), speed: opt.Speed}
	if p.speed == 0 {
		p.speed = 1
	}
	now, before := time.Duration(0), time.Duration(0)
	for i, step := range s.Steps {
		now += min(step.At-before, opt.MaxPause)
		before = step.At
		p.at[i] = now
		if _, begins := step.Event.(conversation.PromptSent); begins {
			p.turns = append(p.turns, i)
		}
	}
	return p
}

// Script is what is played.
func (p *Player) Script() *Script { return p.script }

// Ended reports whether all of it was played.
func (p *Player) Ended() bool { return p.next == len(p.at) }

// Playing reports whether it goes on by itself.
func (p *Player) Playing() bool { return !p.paused && !p.Ended() }

// Paused reports whether the person has stopped it.
func (p *Player) Paused() bool { return p.paused }

// Pause stops it, or lets it go on.
func (p *Player) Pause() { p.paused = !p.paused }

// Speed is how fast it plays.
func (p *Player) Speed() Speed { return p.speed }

// Faster and Slower change the speed by a step.
func (p *Player) Faster() { p.speed = p.speed.faster() }

// Slower is the opposite of Faster.
func (p *Player) Slower() { p.speed = p.speed.slower() }

// Position is how much was played, and how much there is.
func (p *Player) Position() (played, whole time.Duration) { return p.pos, p.end() }

func (p *Player) end() time.Duration {
	if len(p.at) == 0 {
		return 0
	}
	return p.at[len(p.at)-1]
}

// Turn is which turn is played, counted from 1 and 0 before the first, and how many
// there are.
func (p *Player) Turn() (turn, of int) { return p.turn(), len(p.turns) }

func (p *Player) turn() int { return sort.SearchInts(p.turns, p.next) }

// Now is the time at which what is shown happened, zero if that is not known.
func (p *Player) Now() time.Time {
	if p.script.Started.IsZero() {
		return time.Time{}
	}
	if p.next == 0 {
		return p.script.Started
	}
	since := p.pos - p.at[p.next-1]
	return p.script.Started.Add(p.script.Steps[p.next-1].At + since)
}

// Wait is how long it takes until Advance has something to give. It is false if nothing
// comes by itself.
func (p *Player) Wait() (time.Duration, bool) {
	switch {
	case !p.Playing():
		return 0, false
	case p.speed == MaxSpeed:
		return frame, true
	}
	wait := time.Duration(float64(p.at[p.next]-p.pos) / float64(p.speed))
	return max(wait, frame), true
}

// Advance lets time pass and returns what has happened in it, in order. Of what has no
// time between it, it returns a part: the rest comes with the next call.
func (p *Player) Advance(passed time.Duration) []conversation.Event {
	if !p.Playing() {
		return nil
	}
	if p.speed == MaxSpeed {
		end := min(p.next+maxBatch, len(p.at))
		p.pos = p.at[end-1]
		return p.take(end)
	}
	due := p.pos + time.Duration(float64(passed)*float64(p.speed))
	end := p.next
	for end < len(p.at) && p.at[end] <= due && end-p.next < maxBatch {
		end++
	}
	switch {
	case end == len(p.at):
		p.pos = p.end()
	case p.at[end] <= due:
		p.pos = p.at[end-1]
	default:
		p.pos = due
	}
	return p.take(end)
}

// take returns the steps up to one, which comes next then.
func (p *Player) take(end int) []conversation.Event {
	out := make([]conversation.Event, 0, end-p.next)
	for _, s := range p.script.Steps[p.next:end] {
		out = append(out, s.Event)
	}
	p.next = end
	return out
}

// back is how far behind the beginning of a turn it has to be, while it plays, for a step
// back to go there, and not to the turn before.
const back = time.Second

// NextTurn goes to the beginning of the next turn, or to the end behind the last one. It
// returns what has happened on the way.
func (p *Player) NextTurn() []conversation.Event {
	to, turn := len(p.at), p.turn()
	if turn < len(p.turns) {
		to = p.turns[turn] + 1
	}
	return p.jump(to)
}

// PrevTurn goes to the beginning of this turn, of the one before if it is there already,
// or to the very beginning. It returns all that has happened from the very beginning to
// there: what was folded is to be folded anew. From the end it goes back to stay there: it
// is paused then.
func (p *Player) PrevTurn() []conversation.Event {
	if p.Ended() {
		p.paused = true
	}
	turn := p.turn()
	if turn > 0 {
		begin := p.turns[turn-1]
		if p.next == begin+1 || p.Playing() && p.pos-p.at[begin] < back {
			turn--
		}
	}
	to := 0
	if turn > 0 {
		to = p.turns[turn-1] + 1
	}
	p.next = 0
	return p.jump(to)
}

// Restart goes back to the very beginning, and plays.
func (p *Player) Restart() { p.next, p.pos, p.paused = 0, 0, false }

// jump goes forward to the step that comes next then.
func (p *Player) jump(to int) []conversation.Event {
	out := p.take(to)
	p.pos = 0
	if to > 0 {
		p.pos = p.at[to-1]
	}
	return out
}

// Answer is the answer to a question that is open where it stands: the event that closes
// it. It is nil if there is none.
func (p *Player) Answer(id int) *conversation.PermissionClosed {
	for _, s := range p.script.Steps[p.next:] {
		if e, ok := s.Event.(conversation.PermissionClosed); ok && e.ID == id {
			return &e
		}
	}
	return nil
}
