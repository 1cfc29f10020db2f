package tui

import (
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/conversation"
)

// Words that are typed while a question is open answer nothing and stand whole in the
// prompt, however slowly they are typed.
func TestWordsTypedAtAQuestion(t *testing.T) {
	for _, words := range []string{"yes and no, never: add 12 dots", "1st of all", "12 dots", "another way", "nay", "y e s"} {
		for _, pause := range []time.Duration{0, 50 * time.Millisecond, 500 * time.Millisecond} {
			t.Run(words+pause.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := asked(t)
					for _, r := range words {
						p.press(string(r))
						p.clock = p.clock.Add(pause)
						p.screen()
					}
					p.wait()
					p.mustShow("❯ "+words, "Allow it", "Reject it", "alt+enter: select Allow it")
					p.press("alt+down", "alt+enter")
					p.until("it is answered", func() bool { return shows(p.front, "Launched.") })
					p.mustShow("❯ " + words)
				})
			})
		}
	}
}

// A key marks, and it or enter gives.
func TestKeysThatAnswer(t *testing.T) {
	for _, keys := range [][]string{{"y", "enter"}, {"y", "y"}, {"1", "enter"}, {"1", "1"}, {"down", "enter"}, {"enter", "enter"}} {
		synctest.Test(t, func(t *testing.T) {
			p := asked(t)
			p.press(keys[0])
			if p.screen(); p.front.State() != conversation.StandingAsks {
				t.Errorf("%q has answered alone", keys[0])
			}
			p.mustShow("❯ 1")
			p.press(keys[1])
			p.wait() // a doubled key gives once typing has paused
			p.until("it is answered", func() bool { return shows(p.front, "Launched.") })
		})
	}
}

// The number of a tab answers nothing where there is one tab only, or a draft.
func TestTheNumberOfATabIsNoAnswer(t *testing.T) {
	for _, draft := range []string{"", "x"} {
		synctest.Test(t, func(t *testing.T) {
			p := newProgram(t, map[string]string{"asks": asks})
			p.start(p.front, "asks")
			p.press("g", "o", "enter")
			p.until("it asks", func() bool { return shows(p.front, "Allow it") })
			p.wait()
			p.screen()
			if draft != "" {
				p.press(draft)
			}
			p.press("alt+1", "alt+1", "alt+2")
			p.mustShow("Allow it", "there is no tab 2")
			p.mustNotShow("❯ 1")
			if p.front.State() != conversation.StandingAsks {
				t.Error("it is answered")
			}
		})
	}
}

// A key that a question does not know says so.
func TestNoKeyIsSilentAtAQuestion(t *testing.T) {
	for key, want := range map[string]string{"f5": "answer the question first", "ctrl+s": "No change to show side by side", "f9": "f9 does nothing here", "alt+enter": "alt+enter does nothing here"} {
		synctest.Test(t, func(t *testing.T) {
			p := asked(t)
			p.press(key)
			p.mustShow("Allow it", want)
		})
	}
}

// The mark of a tab whose question waits stays while a list lies over the question.
func TestTheMarkOfATabComesFromItsQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := asked(t)
		p.mustShow(" 2 ? go")
		p.press("ctrl+p")
		p.mustShow(" 2 ? go", "Command palette")
		p.mustNotShow("Allow it")
	})
}

// asked is a program whose second tab shows a question that takes keys.
func asked(t *testing.T) *program {
	t.Helper()
	p := newProgram(t, map[string]string{"asks": asks})
	p.open("asks")
	p.press("g", "o", "enter")
	p.until("it asks", func() bool { return shows(p.front, "Allow it") })
	p.wait()
	p.screen()
	return p
}
