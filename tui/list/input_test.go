package list

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/internal/termtext"
	"parley/internal/test"
	"parley/tui/theme"
)

// press makes a key press of its name.
func press(name string) tea.KeyPressMsg {
	special := map[string]rune{
		"left": tea.KeyLeft, "right": tea.KeyRight, "up": tea.KeyUp, "home": tea.KeyHome, "end": tea.KeyEnd,
		"backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "space": tea.KeySpace,
	}
	var k tea.Key
	for mod, bit := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
		if rest, ok := strings.CutPrefix(name, mod); ok {
			name, k.Mod = rest, bit
		}
	}
	if k.Code = special[name]; k.Code == 0 {
		k.Code = []rune(name)[0]
	}
	if k.Mod == 0 && (len(name) == 1 || name == "space") {
		k.Text = string(k.Code)
	}
	return tea.KeyPressMsg(k)
}

func TestInput(t *testing.T) {
	for _, tt := range []struct{ keys, want string }{
		{"a b", "ab|"},
		{"a b left c", "ac|b"},
		{"a b home delete", "|b"},
		{"a b left left left right c end d", "acbd|"},
		{"a b backspace backspace backspace", "|"},
		{"a b shift+backspace", "a|"},
		{"a space b ctrl+w", "a |"},
		{"a space b alt+left alt+left", "|a b"},
		{"a space b home alt+right", "a| b"},
		{"a b c left ctrl+k", "ab|"},
		{"a b c left ctrl+u", "|c"},
		{"paste left backspace", "日本|👩‍👩‍👧"},
		{"paste home right delete", "日|é👩‍👩‍👧"},
		{"paste left left left left left", "|日本é👩‍👩‍👧"},
		{"paste backspace", "日本é|"},
		{"ctrl+x", "|"},
		{"up", "|"},
	} {
		var in Input
		for _, k := range strings.Fields(tt.keys) {
			if k == "paste" {
				in.Paste("日\x07本\x1b[31me\u0301👩‍👩‍👧")
				continue
			}
			in.Key(press(k))
		}
		want := strings.ReplaceAll(tt.want, "é", "e\u0301")
		if got := in.text[:in.at] + "|" + in.text[in.at:]; got != want {
			t.Errorf("%s: %q, want %q", tt.keys, got, want)
		}
	}
}

func TestInputIsBounded(t *testing.T) {
	var in Input
	for range 3 {
		in.Paste(strings.Repeat("日", 16<<10))
	}
	if len(in.text) > 64<<10 {
		t.Errorf("it holds %d bytes", len(in.text))
	}
}

// The cursor of a field stands behind what was written, as the terminal draws it.
func TestInputFollowsTheMethod(t *testing.T) {
	for m, want := range map[termtext.Method]int{termtext.Safe: 5, termtext.Graphemes: 3} {
		test.UseWidthMethod(t, m)
		in := Input{}
		in.Set("a👍🏽")
		if text, column := in.Draw(20, theme.New(true)); column != want || !strings.Contains(text, "a👍🏽") {
			t.Errorf("method %d: %q, the cursor in column %d, want %d", m, text, column, want)
		}
		if text, column := in.Draw(4, theme.New(true)); column > 3 || termtext.Width(text) > 4 {
			t.Errorf("method %d: %q in four cells, the cursor in column %d", m, text, column)
		}
	}
}
