package ptytest

import "testing"

func TestKeyEncoding(t *testing.T) {
	var (
		legacy  = keyboard{}
		appMode = keyboard{appCursor: true}
		kitty   = keyboard{kitty: kittyDisambiguate}
		shifted = keyboard{kitty: kittyDisambiguate | kittyAlternates}
	)
	for _, c := range []struct {
		kb        keyboard
		key, want string
	}{
		{legacy, "a", "a"},
		{legacy, "+", "+"},
		{legacy, "shift+a", "A"},
		{legacy, "ctrl+c", "\x03"},
		{legacy, "ctrl+]", "\x1d"},
		{legacy, "ctrl+space", "\x00"},
		{legacy, "ctrl+backspace", "\x08"},
		{legacy, "alt+1", "\x1b1"},
		{legacy, "ctrl+alt+x", "\x1b\x18"},
		{legacy, "shift+tab", "\x1b[Z"},
		{legacy, "shift+enter", "\r"},
		{legacy, "up", "\x1b[A"},
		{appMode, "up", "\x1bOA"},
		{appMode, "ctrl+up", "\x1b[1;5A"},
		{legacy, "f2", "\x1bOQ"},
		{legacy, "shift+f2", "\x1b[1;2Q"},
		{legacy, "f12", "\x1b[24~"},
		{legacy, "shift+pgup", "\x1b[5;2~"},
		{kitty, "a", "a"},
		{kitty, "enter", "\r"},
		{kitty, "esc", "\x1b[27u"},
		{kitty, "shift+enter", "\x1b[13;2u"},
		{kitty, "shift+tab", "\x1b[9;2u"},
		{kitty, "ctrl+c", "\x1b[99;5u"},
		{kitty, "alt+1", "\x1b[49;3u"},
		{kitty, "f2", "\x1b[Q"},
		{kitty, "f3", "\x1b[13~"},
		{shifted, "ctrl+A", "\x1b[97:65;6u"},
		{shifted, "shift+alt+/", "\x1b[47;4u"},
	} {
		got, err := c.kb.encode(c.key)
		if err != nil || string(got) != c.want {
			t.Errorf("%+v: encode(%q) = %q, %v, want %q", c.kb, c.key, got, err, c.want)
		}
	}
	for _, key := range []string{"", "enterr", "ctrl+1", "meta+x"} {
		if got, err := legacy.encode(key); err == nil {
			t.Errorf("encode(%q) = %q, want an error", key, got)
		}
	}
}
