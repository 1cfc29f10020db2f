package dialog

import "time"

const (
	// LookTime is how long a dialog that comes up by itself is inert at least:
	// a key pressed sooner was not an answer to it.
	LookTime = 300 * time.Millisecond
	// QuietTime is how long no key may have been pressed before such a dialog
	// takes one, while the person types.
	QuietTime = 500 * time.Millisecond
	// ReplaceTime is how long nothing is taken after the agent has withdrawn the
	// question in sight: what stands in its place was not what a key was meant for.
	ReplaceTime = time.Second
)

// Guard keeps keystrokes that were meant for the prompt away from dialogs that
// come up by themselves. There is one for the program, and every such dialog
// holds on to it.
//
// A dialog is inert for [LookTime] after it has got into sight, and until
// [QuietTime] has passed since the last key. A key pressed meanwhile goes to the
// prompt, and counts.
type Guard struct {
	now    func() time.Time
	opened time.Time
	typed  time.Time

	answerKey string
	answered  time.Time

	settled   bool      // the person has answered the question in sight
	withdrawn time.Time // when the agent last took back one that was in sight

	aside string // why the dialog takes no keys, "" if it does
}

// NewGuard makes a guard with the clock now.
func NewGuard(now func() time.Time) *Guard { return &Guard{now: now} }

// Typed notes a key that went to the prompt. The keys that an inert dialog does
// not take are noted already.
//
// After it no key counts as a second press of the one that answered a question:
// see [Guard.Bounced].
func (g *Guard) Typed() {
	g.typed = g.now()
	g.answerKey = ""
}

// Bounced reports whether a key is another press of the one that has just
// answered a question: nobody should get it, neither the next question nor the
// prompt. Each such press makes the time for the next a little longer, so that
// a key that is held down stays without effect.
func (g *Guard) Bounced(key string) bool {
	now := g.now()
	if key == "" || key != g.answerKey || now.Sub(g.answered) >= LookTime {
		return false
	}
	g.answered = now
	g.opened = now
	return true
}

// Forget says that another key was pressed than the one that answered: the next
// press of that one is a press of its own.
func (g *Guard) Forget() { g.answerKey = "" }

// Aside says that keys go elsewhere, and with which words the dialog tells that;
// "" says that it takes them again.
func (g *Guard) Aside(words string) { g.aside = words }

// ArmsIn is how long the dialog stays inert from now on, 0 if it takes keys.
func (g *Guard) ArmsIn(now time.Time) time.Duration {
	arms := g.opened.Add(LookTime)
	if quiet := g.typed.Add(QuietTime); quiet.After(arms) {
		arms = quiet
	}
	if replaced := g.withdrawn.Add(ReplaceTime); replaced.After(arms) {
		arms = replaced
	}
	return max(0, arms.Sub(now))
}

// open begins to guard a dialog that gets into sight now, or that shows something
// else from now on.
func (g *Guard) open() { g.opened, g.settled = g.now(), false }

// Ended notes the key that ended something else while a question waits: a second
// press of it means nothing to the question.
func (g *Guard) Ended(key string) { g.answerKey, g.answered = key, g.now() }

// Settle notes that the person has answered the question in sight by other means than
// a key: it is not withdrawn when it goes.
func (g *Guard) Settle() { g.settled = true }

// answer notes the key that answered a question.
func (g *Guard) answer(key string) { g.answerKey, g.answered, g.settled = key, g.now(), true }

// inert reports whether the dialog takes nothing now.
func (g *Guard) inert() bool { return g.ArmsIn(g.now()) > 0 }
