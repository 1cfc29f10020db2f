package tab

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/tui/dialog"
)

// place is a tab that notes where keys go.
type heldPlace struct{ typed, pressed, answered string }

func (p *heldPlace) Press(k tea.KeyPressMsg) tea.Cmd {
	p.pressed += k.String()
	return nil
}

func (p *heldPlace) Type(k tea.KeyPressMsg) tea.Cmd {
	p.typed += k.String()
	return nil
}

func (p *heldPlace) Take(a dialog.Action) (tea.Cmd, bool) {
	_, no := a.(dialog.NotTaken)
	if !no {
		p.answered += "answered"
	}
	return nil, !no
}

// asking holds a letter that answers a question.
func heldAsking(t *testing.T, b *deskBench) (*heldKey, *heldPlace, tea.Cmd) {
	t.Helper()
	b.Ask(dialog.Confirmation{Title: "Sure?", Choices: []dialog.Choice{{Name: "Yes", Key: "y", Do: dialog.Close{}}}})
	b.Screen()
	time.Sleep(time.Minute) // of the bubble: the question takes keys
	b.Screen()
	action, ok := b.Dialogs.Top().Key(letter('y')).(dialog.Hold)
	if !ok {
		t.Fatalf("the question does not hold its letter:\n%s", b.Screen())
	}
	p := &heldPlace{}
	h := newHeld(b.desk, p)
	return h, p, h.Hold(b.Dialogs.Top().(dialog.Guarded), action.Key)
}

func letter(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Text: string(r)} }

// A letter alone answers, once no other has followed for a while.
func TestALetterAlone(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		h, p, wait := heldAsking(t, b)
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
	runBench(t, func(t *testing.T, b *deskBench) {
		h, p, wait := heldAsking(t, b)
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
	runBench(t, func(t *testing.T, b *deskBench) {
		h, p, _ := heldAsking(t, b)
		h.Follow(tea.KeyPressMsg{Code: tea.KeyEnter})
		if h.Held() || p.answered != "" || p.typed != "y" || p.pressed != "" {
			t.Errorf("held %v, %+v", h.Held(), *p)
		}
	})
}
