package record

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"parley/internal/conversation"
)

// PlayerOptions configure a Player.
type PlayerOptions struct {
	Speed Speed // 0 means the original speed
	// MaxPause limits a silence, before the speed is applied. 0 removes silences.
	MaxPause time.Duration
}

// maxBatch limits the steps taken at once without a pause, so that the screen is drawn
// in between.
const maxBatch = 512

// frame is the time between two such batches.
const frame = 20 * time.Millisecond

// Player tracks how far a script was played. Advance takes wall-clock time; results are
// in the time of the script, with shortened silences. Player has no clock of its own
// and is not safe for concurrent use.
type Player struct {
	script *Script
	at     []time.Duration // of the steps, with shortened silences
	turns  []int           // the first steps of turns

	next   int           // the next step
	pos    time.Duration // how much was played
	speed  Speed
	paused bool
}

// NewPlayer returns a player at the beginning of a script, playing.
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

// Script returns the script.
func (p *Player) Script() *Script { return p.script }

// Ended reports whether the whole recording was played.
func (p *Player) Ended() bool { return p.next == len(p.at) }

// Playing reports whether it is advancing.
func (p *Player) Playing() bool { return !p.paused && !p.Ended() }

// Paused reports whether the user has paused it.
func (p *Player) Paused() bool { return p.paused }

// Pause pauses or resumes.
func (p *Player) Pause() { p.paused = !p.paused }

// Speed returns the speed.
func (p *Player) Speed() Speed { return p.speed }

// Faster increases the speed by a step.
func (p *Player) Faster() {
	if i := slices.IndexFunc(speeds, func(s Speed) bool { return s > p.speed }); i >= 0 {
		p.speed = speeds[i]
	}
}

// Slower decreases the speed by a step.
func (p *Player) Slower() {
	for _, s := range slices.Backward(speeds) {
		if s < p.speed {
			p.speed = s
			return
		}
	}
}

// Position returns the time played and the total time.
func (p *Player) Position() (played, whole time.Duration) { return p.pos, p.end() }

func (p *Player) end() time.Duration {
	if len(p.at) == 0 {
		return 0
	}
	return p.at[len(p.at)-1]
}

// Turn returns the current turn, counted from 1 and 0 before the first, and the number
// of turns.
func (p *Player) Turn() (turn, of int) { return p.turn(), len(p.turns) }

func (p *Player) turn() int { return sort.SearchInts(p.turns, p.next) }

// Now returns when the event on display happened, zero if unknown.
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

// Wait returns the time until Advance returns something; false if it never does by
// itself.
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

// Advance lets time pass and returns the events in it, in order. It returns many events
// without time between them in several calls.
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

// take returns the steps up to end, which becomes the next step.
func (p *Player) take(end int) []conversation.Event {
	out := make([]conversation.Event, 0, end-p.next)
	for _, s := range p.script.Steps[p.next:end] {
		out = append(out, s.Event)
	}
	p.next = end
	return out
}

// back is how far into a turn, while playing, PrevTurn goes to the beginning of that
// turn instead of the previous one.
const back = time.Second

// NextTurn skips to the beginning of the next turn, or to the end after the last one.
// It returns the skipped events.
func (p *Player) NextTurn() []conversation.Event {
	to, turn := len(p.at), p.turn()
	if turn < len(p.turns) {
		to = p.turns[turn] + 1
	}
	return p.jump(to)
}

// PrevTurn goes back to the beginning of the turn, of the previous turn if it is
// already there, or of the script. It returns all events from the beginning of the
// script, to be folded again. At the end of the script it also pauses.
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

// Restart goes back to the beginning of the script, and plays.
func (p *Player) Restart() { p.next, p.pos, p.paused = 0, 0, false }

// jump skips forward to a step.
func (p *Player) jump(to int) []conversation.Event {
	out := p.take(to)
	p.pos = 0
	if to > 0 {
		p.pos = p.at[to-1]
	}
	return out
}

// Answer returns the event that closes the open question id, nil if there is none.
func (p *Player) Answer(id int) *conversation.QuestionClosed {
	for _, s := range p.script.Steps[p.next:] {
		if e, ok := s.Event.(conversation.QuestionClosed); ok && e.ID == id {
			return &e
		}
	}
	return nil
}

// Speed is the speed of a replay, 1 being the original.
type Speed float64

// MaxSpeed plays without any pause.
const MaxSpeed Speed = Speed(math.MaxFloat64)

// speeds are the steps of Faster and Slower.
var speeds = []Speed{0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, MaxSpeed}

// ParseSpeed parses "2", "0.5", "4x" or "max".
func ParseSpeed(text string) (Speed, error) {
	if text == "max" {
		return MaxSpeed, nil
	}
	const slowest, fastest = 0.01, 1000
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "x"), 64)
	if err != nil || !(v >= slowest && v <= fastest) {
		return 0, fmt.Errorf("invalid speed %q: use a number from %v to %v, or max", text, slowest, fastest)
	}
	return Speed(v), nil
}

// String returns the speed in the form of ParseSpeed.
func (s Speed) String() string {
	if s == MaxSpeed {
		return "max"
	}
	return strconv.FormatFloat(float64(s), 'g', -1, 64) + "x"
}

// Step is an event with its time since the beginning.
type Step struct {
	At    time.Duration
	Event conversation.Event
}

// Script is a sequence of events to play.
type Script struct {
	// Steps are in the order of their times.
	Steps []Step
	// Started is when it began, zero if unknown.
	Started time.Time
	// Title is the session's title, or "", and Cwd its directory.
	Title, Cwd string
	// Faults describe what could not be read and was skipped.
	Faults []string
}

// ScriptOf returns the script of stored events. Those without a time of their own are
// spread evenly between those that have one.
func ScriptOf(events []conversation.Event) *Script {
	s := &Script{Steps: make([]Step, len(events))}
	last, known := 0, false // the last step with a known time
	for i, e := range events {
		s.Steps[i].Event = e
		at := timeOf(e)
		switch {
		case at.IsZero():
			continue
		case !known:
			s.Started, known = at, true
		default:
			s.Steps[i].At = max(at.Sub(s.Started), s.Steps[last].At)
			s.spread(last, i)
		}
		last = i
	}
	for i := last + 1; i < len(s.Steps); i++ {
		s.Steps[i].At = s.Steps[last].At
	}
	return s
}

// spread sets the times of the steps between two.
func (s *Script) spread(from, to int) {
	begin, whole := s.Steps[from].At, s.Steps[to].At-s.Steps[from].At
	for i := from + 1; i < to; i++ {
		s.Steps[i].At = begin + time.Duration(float64(whole)*float64(i-from)/float64(to-from))
	}
}

// timeOf returns the time of an event, if it has one.
func timeOf(e conversation.Event) time.Time {
	if at := reflect.ValueOf(e).FieldByName("At"); at.IsValid() {
		return at.Interface().(time.Time)
	}
	return time.Time{}
}

// Events returns the events of the script.
func (s *Script) Events() []conversation.Event {
	out := make([]conversation.Event, len(s.Steps))
	for i := range s.Steps {
		out[i] = s.Steps[i].Event
	}
	return out
}
