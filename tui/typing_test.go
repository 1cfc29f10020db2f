package tui

import (
	"testing"
	"testing/synctest"
	"time"
)

// Words that are typed while a question is open answer nothing and stand whole in the
// prompt, however slowly they are typed; a letter and enter, or a number, answer.
func TestWordsTypedAtAQuestion(t *testing.T) {
	for _, pause := range []time.Duration{50 * time.Millisecond, 300 * time.Millisecond, 500 * time.Millisecond} {
		t.Run(pause.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newProgram(t, map[string]string{"asks": asks})
				p.open("asks")
				p.press("g", "o", "enter")
				p.until("it asks", func() bool { return shows(p.front, "Allow it") })
				p.wait()
				p.screen()
				const words = "yes and no, never: add 12 dots"
				for _, r := range words {
					p.press(string(r))
					p.clock = p.clock.Add(pause)
					p.screen()
				}
				p.wait()
				p.mustShow("❯ "+words, "Allow it", "Reject it", "alt+1-2 answer")
				p.press("alt+1")
				p.until("it is answered", func() bool { return shows(p.front, "Launched.") })
				p.mustShow("❯ " + words)
			})
		})
	}
	for _, keys := range [][]string{{"y", "enter"}, {"1"}, {"down", "enter"}} {
		synctest.Test(t, func(t *testing.T) {
			p := newProgram(t, map[string]string{"asks": asks})
			p.open("asks")
			p.press("g", "o", "enter")
			p.until("it asks", func() bool { return shows(p.front, "Allow it") })
			p.wait()
			p.screen()
			p.press(keys...)
			p.until("it is answered", func() bool { return shows(p.front, "Launched.") })
		})
	}
}
