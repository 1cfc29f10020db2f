package held

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/test/desktest"
	"parley/tui/dialog"
)

// place is a tab that notes where keys go.
type place struct{ typed, pressed, answered string }

func (p *place) Press(k tea.KeyPressMsg) tea.Cmd {
	p.pressed += k.String()
	return nil
}

func (p *place) Type(k tea.KeyPressMsg) tea.Cmd {
	p.typed += k.String()
	return nil
}

func (p *place) Take(a dialog.Action) (tea.Cmd, bool) {
	_, no := a.(dialog.NotTaken)
	if !no {
		p.answered += "answered"
	}
	return nil, !no
}

// asking holds a letter that answers a question.
func asking(t *testing.T, b *desktest.Bench) (*Key, *place, tea.Cmd) {
	t.Helper()
	b.Ask(dialog.Confirmation{Title: "Sure?", Choices: []dialog.Choice{{Name: "Yes", Key: "y", Do: dialog.Close{}}}})
	b.Screen()
	time.Sleep(time.Minute) // of the bubble: the question takes keys
	b.Screen()
	action, ok := b.Dialogs.Top().Key(letter('y')).(dialog.Hold)
	if !ok {
		t.Fatalf("the question does not hold its letter:\n%s", b.Screen())
	}
	p := &place{}
	h := New(b.Desk, p)
	return h, p, h.Hold(b.Dialogs.Top().(dialog.Guarded), action.Key)
}

func letter(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Text: string(r)} }

// A letter alone answers, once no other has followed for a while.
func TestALetterAlone(t *testing.T) {
	desktest.Run(t, func(t *testing.T, b *desktest.Bench) {
		h, p, wait := asking(t, b)
		if h.Settle(); !h.Held() {
			t.Error("it was given before its time was over")
		}
		msg := wait() // until its time is over
		b.Do(func() tea.Msg { return msg })
		if h.Held() || p.answered == "" || p.typed != "" {
			t.Errorf("held %v, %+v", h.Held(), *p)
		}
	})
}

// A letter that another follows begins a word, which is the prompt's.
func TestALetterOfAWord(t *testing.T) {
	desktest.Run(t, func(t *testing.T, b *desktest.Bench) {
		h, p, wait := asking(t, b)
		h.Follow(letter('e'))
		msg := wait()
		b.Do(func() tea.Msg { return msg })
		if h.Held() || p.answered != "" || p.typed != "y" || p.pressed != "e" {
			t.Errorf("held %v, %+v", h.Held(), *p)
		}
	})
}

// The key that accepts, right behind the letter, neither answers nor sends.
func TestALetterAndEnter(t *testing.T) {
	desktest.Run(t, func(t *testing.T, b *desktest.Bench) {
		h, p, _ := asking(t, b)
		h.Follow(tea.KeyPressMsg{Code: tea.KeyEnter})
		if h.Held() || p.answered != "" || p.typed != "y" || p.pressed != "" {
			t.Errorf("held %v, %+v", h.Held(), *p)
		}
	})
}
