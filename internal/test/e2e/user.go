//go:build unix

package e2e

import (
	"fmt"
	"strings"

	"parley/internal/test/ptytest"
)

// The methods that act like a user are verbs: Ask, Answer, Type, Press. The others wait
// for something on the screen, up to a bound, and fail the test without it: Ready,
// Question, Mode, Shows. All can be chained:
//
//	p.Ready().Ask("tidy up")
//	p.Question("Permission", "rm -rf build").Answer("Allow once")
//	p.Shows("Done.").Mode("Ask")

// Ready waits until a new session is open and the prompt shows its placeholder.
func (p *Parley) Ready() *Parley {
	p.t.Helper()
	return p.Shows("Type a prompt, / for commands")
}

// Ask types a prompt and sends it, and waits until the prompt is empty: what follows an
// enter faster than anyone types is a line of the same paste.
func (p *Parley) Ask(prompt string) *Parley {
	p.t.Helper()
	end := prompt[strings.LastIndexAny(prompt, " \n")+1:]
	typed := func(s ptytest.Screen) bool {
		return s.Cursor.Visible && strings.HasSuffix(strings.TrimRight(s.Line(s.Cursor.Y), " "), end)
	}
	p.Type(prompt)
	p.WaitUntil("the prompt is typed", typed)
	p.Press("enter")
	p.WaitUntil("the prompt is sent", func(s ptytest.Screen) bool { return !typed(s) })
	return p
}

// Type types text key by key.
func (p *Parley) Type(text string) *Parley {
	p.t.Helper()
	p.Terminal.Type(text)
	return p
}

// Press presses keys in order.
func (p *Parley) Press(keys ...string) *Parley {
	p.t.Helper()
	p.Terminal.Press(keys...)
	return p
}

// PressAtOnce presses keys between which no time passes.
func (p *Parley) PressAtOnce(keys ...string) *Parley {
	p.t.Helper()
	p.Terminal.PressAtOnce(keys...)
	return p
}

// Answer waits until the question on the screen takes keys, marks an answer with the
// arrows, confirms it, and waits until the question is gone or replaced. The arrows and
// enter need alt while the prompt holds text.
//
// Output of the agent may make the question ignore a key for a moment. Then Answer presses
// it again, as a user would.
func (p *Parley) Answer(name string) *Parley {
	p.t.Helper()
	q, over := pendingQuestion{answer: name}, false
	for !over {
		takes, marked := false, ""
		p.WaitUntil(fmt.Sprintf("a question takes the answer %q", name), func(s ptytest.Screen) bool {
			if over = p.over(q, s); !over {
				if takes = p.takes(&q, s); takes {
					d, _ := dialogOn(s)
					marked = d.marked()
				}
			}
			return over || takes
		})
		if over {
			break
		}
		key := "alt+down"
		switch {
		case marked == q.number && p.Screen().Contains("alt+enter:"):
			key = "alt+enter"
		case marked == q.number:
			key = "enter"
		case marked > q.number:
			key = "alt+up"
		}
		p.Press(key)
		p.WaitUntil(fmt.Sprintf("%s has marked or given %q", key, name), func(s ptytest.Screen) bool {
			d, open := dialogOn(s)
			if open && d.marked() != "" && d.marked() != marked {
				q.text = d.text()
				return true
			}
			over = p.over(q, s)
			return over || !open || !p.armed(s, d)
		})
	}
	return p
}

// hasTabLine reports whether there are several tabs.
func hasTabLine(s ptytest.Screen) bool { return strings.HasPrefix(s.Line(0), " 1 ") }

// pendingQuestion is a question as it was when a key was pressed.
type pendingQuestion struct {
	answer string // as it is called
	number string // the key, "" before one was pressed
	text   string
	said   int // how many answers the transcript showed
}

// takes records the question on the screen and reports whether it takes the answer.
func (p *Parley) takes(q *pendingQuestion, s ptytest.Screen) bool {
	d, open := dialogOn(s)
	if !open || !p.armed(s, d) || d.numberOf(q.answer) == "" {
		return false
	}
	q.number, q.text, q.said = d.numberOf(q.answer), d.text(), answersOn(s)
	return true
}

// over reports whether a question has left the screen. The next one may have the same
// text; while it takes no keys, a question says so.
func (p *Parley) over(q pendingQuestion, s ptytest.Screen) bool {
	d, open := dialogOn(s)
	return q.number != "" && (!open || answersOn(s) != q.said || d.numberOf(q.answer) == "" || p.armed(s, d) && d.text() != q.text)
}

// answersOn counts the answers of the user that the transcript shows.
func answersOn(s ptytest.Screen) int { return strings.Count(s.String(), "  you: ") }

// Leave quits parley once no turn runs: then parley must not ask for confirmation. It
// expects parley to end well.
func (p *Parley) Leave() *Parley {
	p.t.Helper()
	return p.Idle().Press("ctrl+d").Exits(0)
}

// Exits waits until parley has ended, with that exit code.
func (p *Parley) Exits(code int) *Parley {
	p.t.Helper()
	if got := p.WaitExit(); got != code {
		p.t.Errorf("exit code %d, want %d", got, code)
	}
	return p
}

// Shows waits until every one of the texts is on the screen at once.
func (p *Parley) Shows(texts ...string) *Parley {
	p.t.Helper()
	p.WaitFor(texts...)
	return p
}

// Gone waits until text is not on the screen. It holds at once when the text has
// not come yet: let Shows see it first.
func (p *Parley) Gone(text string) *Parley {
	p.t.Helper()
	p.WaitGone(text)
	return p
}

// Question waits until a dialog with every one of the texts in it is open. It may
// not take keys yet: see TakesKeys.
func (p *Parley) Question(texts ...string) *Parley {
	p.t.Helper()
	p.WaitUntil(fmt.Sprintf("there is a question with %q", texts), func(s ptytest.Screen) bool {
		d, open := dialogOn(s)
		for _, text := range texts {
			open = open && strings.Contains(d.text(), text)
		}
		return open
	})
	return p
}

// TakesKeys waits until the question on the screen takes keys.
func (p *Parley) TakesKeys() *Parley {
	p.t.Helper()
	p.WaitUntil("a question takes keys", func(s ptytest.Screen) bool {
		d, open := dialogOn(s)
		return open && p.armed(s, d)
	})
	return p
}

// Mode waits until the status line shows that mode as the one that is on.
func (p *Parley) Mode(name string) *Parley {
	p.t.Helper()
	return p.Status(" " + name + " ")
}

// Status waits until all texts are below the prompt.
func (p *Parley) Status(texts ...string) *Parley {
	p.t.Helper()
	p.WaitUntil(fmt.Sprintf("the status says %q", texts), func(s ptytest.Screen) bool {
		for _, text := range texts {
			if !strings.Contains(s.Line(s.Rows-2), text) {
				return false
			}
		}
		return true
	})
	return p
}

// Idle waits until no turn runs. It holds at once when the turn has not begun: let
// Shows see something of it first.
func (p *Parley) Idle() *Parley {
	p.t.Helper()
	p.WaitUntil("no turn runs", func(s ptytest.Screen) bool {
		// A note replaces the activity line, but not the hints.
		return !s.Contains("working ") && !s.Contains("cancelling ") && !s.Contains("enter queue")
	})
	return p
}

// armed reports whether a question takes keys: whether its frame has the colour of the
// focus instead of the dim one around the prompt.
func (p *Parley) armed(s ptytest.Screen, d dialog) bool {
	return s.Cell(0, d.top).FG == p.focused
}

// dialog is a dialog on the screen.
type dialog struct {
	top   int // the row of its upper border
	lines []string
}

// dialogOn finds the dialog on a screen: the lowest frame.
func dialogOn(s ptytest.Screen) (d dialog, open bool) {
	bottom := s.Rows - 1
	for bottom >= 0 && !strings.HasPrefix(s.Line(bottom), "╰─") {
		bottom--
	}
	for top := bottom; top >= 0; top-- {
		if strings.HasPrefix(s.Line(top), "╭─") {
			d.top = top
			for y := top; y <= bottom; y++ {
				d.lines = append(d.lines, s.Line(y))
			}
			return d, true
		}
	}
	return dialog{}, false
}

func (d dialog) text() string { return strings.Join(d.lines, "\n") }

// marked is the number of the marked answer, or "".
func (d dialog) marked() string {
	for number := '1'; number <= '9'; number++ {
		if strings.Contains(d.text(), "❯ "+string(number)+" ") {
			return string(number)
		}
	}
	return ""
}

// numberOf returns the number before the answer with this full name, or "". The answers
// are the lowest part of a dialog; blanks surround a name.
func (d dialog) numberOf(name string) string {
	for i := len(d.lines) - 1; i >= 0; i-- {
		before, _, found := strings.Cut(d.lines[i], " "+name+"  ")
		for _, field := range strings.Fields(before) {
			if found && len(field) == 1 && field >= "1" && field <= "9" {
				return field
			}
		}
	}
	return ""
}
