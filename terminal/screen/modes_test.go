package screen

import (
	"strings"
	"testing"
)

func TestModesOfWhoTypes(t *testing.T) {
	s := New(20, 5, 100)
	for _, c := range []struct {
		in   string
		want Modes
	}{
		{"plain", Modes{}},
		{"\x1b[?1h", Modes{CursorKeys: true}},
		{"\x1b[?2004h", Modes{CursorKeys: true, BracketedPaste: true}},
		{"\x1b[?25l", Modes{CursorKeys: true, BracketedPaste: true, CursorHidden: true}},
		{"\x1b[?1049h", Modes{CursorKeys: true, BracketedPaste: true, CursorHidden: true, Alternate: true}},
		{"\x1b[?1049l\x1b[?25h\x1b[?1l", Modes{BracketedPaste: true}},
		{"\x1bc", Modes{}},
	} {
		_, _ = s.Write([]byte(c.in))
		if got := s.Modes(); got != c.want {
			t.Errorf("after %q: %+v, want %+v", c.in, got, c.want)
		}
	}
}

func TestViewScrollsBack(t *testing.T) {
	s := New(20, 3, 100)
	_, _ = s.Write([]byte("one\r\ntwo\r\nthree\r\nfour\r\nfive"))
	view := func(back int) string {
		var rows []string
		for y := range 3 {
			rows = append(rows, s.View(y, back))
		}
		return strings.Join(rows, " ")
	}
	for back, want := range map[int]string{0: "three four five", 1: "two three four", 2: "one two three", 9: "one two three", -1: "three four five"} {
		if got := view(back); got != want {
			t.Errorf("%d back: %q, want %q", back, got, want)
		}
	}
	if x, y := s.Cursor(); x != 4 || y != 2 || s.Above() != 2 {
		t.Errorf("the cursor is at %d, %d below %d lines", x, y, s.Above())
	}
	_, _ = s.Write([]byte("\x1b[?1049h\x1b[Hother"))
	if got := view(2); got != "other  " || s.Above() != 0 {
		t.Errorf("the alternate screen scrolls: %q", got)
	}
}

func TestQueriesAreAnsweredOnRequest(t *testing.T) {
	const queries = "ab\r\n c\x1b[c\x1b[0c\x1b[5n\x1b[6n\x1b[>c\x1b]11;?\x07\x1b[21t\x1b[?6n"
	s := New(20, 3, 100)
	var got string
	_, _ = s.Write([]byte(queries)) // nobody is there
	s.SetReply(func(p []byte) { got += string(p) })
	_, _ = s.Write([]byte("\x1bc" + queries))
	if want := "\x1b[?62;22c\x1b[?62;22c\x1b[0n\x1b[2;3R"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
