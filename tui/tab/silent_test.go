package tab

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/command"
	"parley/internal/conversation"
)

// In each state of a tab, the key of each action changes the screen or says why it does
// nothing, and a key that no action has says so.
func TestNoKeyIsSilent(t *testing.T) {
	live := func(t *testing.T) *bench {
		b := newBench(t, t.TempDir())
		b.events(sentAt("go", b.clock), conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: strings.Repeat("A line.\n\n", 60)},
			conversation.TurnEnded{Reason: acpclient.StopEndTurn, At: b.clock})
		b.screen()
		b.Update(keyOf("pgup"))
		return b
	}
	states := map[string]func(t *testing.T) *bench{
		"list of agents": func(t *testing.T) *bench {
			b := newBench(t, t.TempDir())
			fresh := New(2, b.program, t.TempDir())
			fresh.program.Available = func() ([]config.Agent, error) {
				return []config.Agent{{ID: "a", Name: "Apple"}, {ID: "b", Name: "Pear"}, {ID: "c", Name: "Plum"}}, nil
			}
			b.Tab = fresh
			b.Show()
			b.bring(b.Start(nil))
			b.press("down")
			return b
		},
		"palette":  func(t *testing.T) *bench { b := live(t); b.press("ctrl+p"); return b },
		"review":   func(t *testing.T) *bench { b := live(t); b.press("f5"); return b },
		"board":    func(t *testing.T) *bench { b := live(t); b.press("alt+a"); return b },
		"starting": func(t *testing.T) *bench { b, _ := pending(t); return b },
		"live":     live,
		"question open": func(t *testing.T) *bench {
			b := live(t)
			b.events(sentAt("go", b.clock), permissionEvent(1, "Clean up"))
			b.screen()
			b.clock = b.clock.Add(10 * time.Second)
			return b
		},
		"replay": func(t *testing.T) *bench {
			b := replayBench(t, t.TempDir())
			b.rows = 12
			b.pass(20 * time.Second)
			b.screen()
			b.Update(keyOf("pgup"))
			return b
		},
	}
	// acts act on the program or the agent, which show it.
	acts := map[config.Action]bool{
		command.Quit: true, command.Suspend: true, command.Editor: true, command.PasteImage: true,
		command.Interrupt: true, command.NextMode: true,
	}
	for name, state := range states {
		t.Run(name, func(t *testing.T) {
			b := state(t)
			for key := range unboundKeys(b) {
				before := b.screen()
				b.Update(keyOf(key))
				if b.screen() == before {
					t.Errorf("%s is silent:\n%s", key, before)
				}
			}
			if slices.Contains([]string{"palette", "review", "board"}, name) {
				return // some of whose own keys have nothing to move
			}
			for _, a := range Actions().List() {
				if a.Context != config.ContextPrompt || len(a.Keys) == 0 {
					continue
				}
				b := state(t)
				before := b.screen()
				b.Update(keyOf(a.Keys[0]))
				if b.screen() == before && !acts[a.Action] {
					t.Errorf("%s (%s) is silent:\n%s", a.Keys[0], a.Help, before)
				}
			}
		})
	}
}

// unboundKeys returns the keys with ctrl or alt and the function keys that no action has and
// that edit no text.
func unboundKeys(b *bench) iter.Seq[string] {
	return func(yield func(string) bool) {
		for n := range 2*26 + 12 {
			key := fmt.Sprintf("f%d", n-2*26+1)
			if n < 2*26 {
				key = []string{"ctrl+", "alt+"}[n/26] + string(rune('a'+n%26))
			}
			bound := slices.ContainsFunc(Actions().List(), func(a config.ActionInfo) bool { return slices.Contains(a.Keys, key) })
			if edits, _ := b.composer.Key(keyOf(key)); !bound && !edits.Used && !yield(key) {
				return
			}
		}
	}
}

// The keys of other clients say what does the same here, unless they are bound, or edit a draft.
func TestKeysOfOtherClientsSayWhatDoesIt(t *testing.T) {
	b := newBench(t, t.TempDir())
	for key, words := range map[string]string{"ctrl+t": "the plan is in the transcript", "ctrl+b": "f6 lists", "alt+p": "f3 chooses the model", "ctrl+l": "ctrl+n opens a new session"} {
		b.Update(keyOf(key))
		b.mustShow(t, words)
	}
	b.composer.SetText("ab")
	if b.Update(keyOf("ctrl+t")); b.composer.Text() != "ba" {
		t.Errorf("the draft is %q", b.composer.Text())
	}
}

// Where there is no prompt yet, the keys of the program work over the list of agents.
func TestThePaletteOpensOverTheFirstList(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.Tab = New(2, b.program, t.TempDir())
	b.Tab.program.Available = func() ([]config.Agent, error) {
		return []config.Agent{{ID: "a", Name: "Apple"}, {ID: "b", Name: "Pear"}}, nil
	}
	b.Show()
	b.bring(b.Start(nil))
	b.mustShow(t, "Choose an agent", "ctrl+p palette")
	b.press("down", "ctrl+p")
	b.mustShow(t, "Command palette", "❯   Quit") // what can be done comes first
	b.press("N", "e", "x", "t", "space", "m", "o", "d", "e", "enter")
	b.mustShow(t, "Choose an agent", noAgent)
	b.press("z", "ctrl+p") // no agent is called so
	b.mustShow(t, "Command palette")
	b.press("esc")
	b.mustShow(t, "Choose an agent")
	if cmd := b.Update(keyPress("ctrl+d")); cmd != nil {
		t.Error("ctrl+d quits, though the filter has text")
	}
	b.press("?") // text of the filter now
	b.mustShow(t, "z?")
	b.press("esc", "tab")
	b.mustShow(t, "❯   Pear", "f1 help")
	b.press("?")
	b.mustShow(t, "type an action or a key")
	b.press("esc")
	if cmd := b.Update(keyPress("ctrl+d")); cmd == nil {
		t.Error("ctrl+d does not quit")
	}
}

// A list over a session keeps the keys of the prompt waiting, and says so.
func TestAListSaysThatKeysWait(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.press("ctrl+p", "f2")
	b.mustShow(t, "Command palette", "close this first: f2 waits until then")
}

// keyOf makes the message of a key, as [config.Keys] name it.
func keyOf(name string) tea.KeyPressMsg {
	var mod tea.KeyMod
	for prefix, m := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			name, mod = rest, m
		}
	}
	code, ok := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd,
	}[name]
	switch {
	case ok:
	case len(name) > 1: // f1 to f12
		n := 0
		for _, d := range name[1:] {
			n = 10*n + int(d-'0')
		}
		code = tea.KeyF1 + rune(n-1)
	default:
		code = rune(name[0])
	}
	return tea.KeyPressMsg{Code: code, Mod: mod}
}
