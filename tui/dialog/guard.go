package dialog

import "time"

const (
	// LookTime is how long a dialog that appears by itself is inert at least once it is on
	// the screen, because an earlier key cannot be an answer.
	LookTime = 450 * time.Millisecond
	// QuietTime is the pause in typing after which such a dialog takes keys.
	QuietTime = 500 * time.Millisecond
	// ReplaceTime is how long keys are ignored after the agent withdraws the visible
	// question, because they may have been meant for it.
	ReplaceTime = time.Second
	// repeatTime is within which a key that has answered a question is pressed again, or
	// repeated by the keyboard.
	repeatTime = 300 * time.Millisecond
)

// Guard keeps keys meant for the prompt away from dialogs that appear by themselves. The
// program has one, shared by all such dialogs.
//
// A dialog is inert for [LookTime] after it becomes visible, and until [QuietTime] has
// passed since the last key. Keys pressed meanwhile go to the prompt.
type Guard struct {
	// Watched means that [Guard.Seen] is called when a dialog is on the screen, which may
	// be long after it was drawn: until then it is inert.
	Watched bool

	now    func() time.Time
	opened time.Time // or seen
	unseen bool
	opens  int // number of calls of open
	typed  time.Time

	answerKey string
	answered  time.Time

	settled   bool      // the person has answered the visible question
	withdrawn time.Time // when the agent last withdrew a visible question

	aside string // why the dialog takes no keys, or ""
}

func NewGuard(now func() time.Time) *Guard { return &Guard{now: now} }

// Typed notes a key that went to the prompt, except those that an inert dialog passed on.
// After it no key counts as a second press of an answer: see [Guard.Bounced].
func (g *Guard) Typed() {
	g.typed = g.now()
	g.answerKey = ""
}

// Bounced reports whether a key repeats the one that has just answered a question, so that
// neither the next question nor the prompt may get it. Each repetition extends the time,
// so a key held down has no effect.
func (g *Guard) Bounced(key string) bool {
	now := g.now()
	if key == "" || key != g.answerKey || now.Sub(g.answered) >= repeatTime {
		return false
	}
	g.answered = now
	g.opened = now
	return true
}

// Forget notes that another key was pressed: the answering key is no longer a repetition.
func (g *Guard) Forget() { g.answerKey = "" }

// Aside says that keys go elsewhere, with the words that the dialog shows for it; "" means
// that the dialog takes them again.
func (g *Guard) Aside(words string) { g.aside = words }

// ArmsIn returns how long the dialog stays inert, 0 if it takes keys.
func (g *Guard) ArmsIn(now time.Time) time.Duration {
	if g.unseen {
		return LookTime
	}
	arms := g.opened.Add(LookTime)
	if quiet := g.typed.Add(QuietTime); quiet.After(arms) {
		arms = quiet
	}
	if replaced := g.withdrawn.Add(ReplaceTime); replaced.After(arms) {
		arms = replaced
	}
	return max(0, arms.Sub(now))
}

// open starts to guard a dialog that becomes visible or changes its contents.
func (g *Guard) open() {
	g.opened, g.settled, g.unseen = g.now(), false, g.Watched
	g.opens++
}

// Unseen reports whether a dialog has become visible that is not on the screen yet, and
// returns what to call [Guard.Seen] with once it is.
func (g *Guard) Unseen() (opening int, unseen bool) { return g.opens, g.unseen }

// Seen begins the pause of the dialog that Unseen returned, unless another one has become
// visible meanwhile.
func (g *Guard) Seen(opening int) {
	if g.unseen && opening == g.opens {
		g.opened, g.unseen = g.now(), false
	}
}

// Ended notes a key that ended something else while a question is open: a second press
// must not reach the question.
func (g *Guard) Ended(key string) { g.answerKey, g.answered = key, g.now() }

// Settle notes that the person has answered the visible question by other means than
// a key: it is not withdrawn when it goes.
func (g *Guard) Settle() { g.settled = true }

// answer notes the key that answered a question.
func (g *Guard) answer(key string) { g.answerKey, g.answered, g.settled = key, g.now(), true }

// inert reports whether the dialog takes no keys now.
func (g *Guard) inert() bool { return g.ArmsIn(g.now()) > 0 }
