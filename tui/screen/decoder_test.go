package screen

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A typist sends bytes to a decoder. Run it in a bubble of synctest.
type typist struct {
	*decoder
	pieces chan []byte
	got    []string
}

func newTypist(t *testing.T, kitty bool) *typist {
	ty := &typist{pieces: make(chan []byte)}
	ty.decoder = newDecoder("xterm-256color", new(questions), func(msg tea.Msg) { ty.got = append(ty.got, describe(msg)) })
	ty.kitty = kitty
	go ty.run(ty.pieces)
	t.Cleanup(func() { close(ty.pieces) })
	return ty
}

// send sends bytes and then none for a while.
func (ty *typist) send(piece string, pause time.Duration) {
	if piece != "" {
		ty.pieces <- []byte(piece)
	}
	time.Sleep(pause)
	synctest.Wait()
}

func describe(msg tea.Msg) string {
	switch msg := msg.(type) {
	case uv.KeyPressEvent:
		if msg.Text != "" {
			return msg.Text
		}
		return "<" + msg.Keystroke() + ">"
	case uv.PasteEvent:
		return fmt.Sprintf("<paste %q>", msg.Content)
	case uv.MouseClickEvent:
		return fmt.Sprintf("<click %d,%d>", msg.X, msg.Y)
	case uv.BackgroundColorEvent:
		return fmt.Sprintf("<background %v>", msg.Color)
	case uv.ModeReportEvent:
		return fmt.Sprintf("<mode %v>", msg.Mode)
	default:
		return fmt.Sprintf("<%T>", msg)
	}
}

// recorded is what a user does and a terminal answers, a read each.
var recorded = []string{
	"hello", "\r", "fix the bug\r", "中文输入法", "é", "👨‍👩‍👧", "日本語です\r",
	"\x1b[A", "\x1b[1;5C", "\x1bOQ", "\x1b[15~", "\x1b[3;2~", "\x1b[Z", "\x1b[27;5;99~", "\x1b[13;2u", "\x1b[1092:1060:97;5u", "\x1b[45;6u",
	"\x1bf", "\x1b\r", "\x1b中", "\x03", "\t", "\x7f", "\x1b[[B", "\x1b[7$", "\x1b[I", "\x1b[O",
	"\x1b[<0;11;5M\x1b[<0;11;5m", "\x1b[<64;1;1M", "\x1b[M !!",
	ansi.BracketedPasteStart + "第一行\rline 2\r\r\tline 4\x1b[31m\r" + ansi.BracketedPasteEnd,
	ansi.BracketedPasteStart + ansi.BracketedPasteEnd,
	"\x1b[?2026;2$y", "\x1b[?2027;0$y", "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\", "\x1b]11;rgb:1e1e/1e1e/1e1e\a",
	"\x1bP>|tmux 3.4\x1b\\", "\x1b_Gi=1;OK\x1b\\", "\x1b[?62;22c", "\x1b[5;3R", "\x1b[?997;1n",
	"x",
}

const thinking = 100 * time.Millisecond // between two acts

// whole is what the session means.
func whole(t *testing.T, kitty bool) (got string) {
	synctest.Test(t, func(t *testing.T) {
		ty := newTypist(t, kitty)
		for _, read := range recorded {
			ty.send(read, thinking)
		}
		got = strings.Join(ty.got, "")
	})
	return got
}

// Bytes mean the same however they are cut, and however long the pauses are. Time decides
// of a lone ESC and of what may be a key with alt, and only where keys are sent so.
func TestCutsChangeNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name            string
		kitty           bool
		pause, afterESC time.Duration
	}{
		{"legacy keys", false, 1900 * time.Millisecond, escTime - time.Millisecond},
		{"extended keys", true, 1900 * time.Millisecond, slowTime - time.Millisecond},
	} {
		want := whole(t, tt.kitty)
		pause := func(sent string) time.Duration {
			switch {
			case strings.HasSuffix(sent, esc):
				return tt.afterESC
			case !tt.kitty && isAlt([]byte(sent[max(0, len(sent)-2):])):
				return altTime - time.Millisecond
			}
			return tt.pause
		}
		for at, read := range recorded {
			for cut := 1; cut < len(read); cut++ {
				synctest.Test(t, func(t *testing.T) {
					ty := newTypist(t, tt.kitty)
					for i, read := range recorded {
						if i == at {
							ty.send(read[:cut], pause(read[:cut]))
							read = read[cut:]
						}
						ty.send(read, thinking)
					}
					if diff := cmp.Diff(want, strings.Join(ty.got, "")); diff != "" {
						t.Errorf("%s: %q and %q:\n%s", tt.name, recorded[at][:cut], recorded[at][cut:], diff)
					}
				})
			}
		}
		rapid.Check(t, func(rt *rapid.T) {
			cuts := rapid.SliceOfN(rapid.Bool(), len(strings.Join(recorded, "")), -1).Draw(rt, "cuts")
			synctest.Test(t, func(t *testing.T) {
				ty := newTypist(t, tt.kitty)
				n := 0
				for _, read := range recorded {
					from := 0
					for i := range read {
						if n++; cuts[n%len(cuts)] && i > from {
							ty.send(read[from:i], pause(read[:i]))
							from = i
						}
					}
					ty.send(read[from:], thinking)
				}
				if diff := cmp.Diff(want, strings.Join(ty.got, "")); diff != "" {
					rt.Errorf("%s:\n%s", tt.name, diff)
				}
			})
		})
	}
}

// Over a link that delivers one byte at a time, the first key in pieces is one esc too
// many; from then on an ESC waits for its rest.
func TestAByteAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ty := newTypist(t, false)
		for range 2 {
			for i := range "\x1b[A" {
				ty.send("\x1b[A"[i:i+1], 80*time.Millisecond)
			}
		}
		if got := strings.Join(ty.got, ""); got != "<esc><up><up>" {
			t.Errorf("up, twice: %s", got)
		}
		ty.send("\x1b[B", thinking) // the link is fast again
		ty.send(esc, escTime)
		if got := strings.Join(ty.got, ""); got != "<esc><up><up><down><esc>" {
			t.Errorf("esc: %s", got)
		}
	})
}

// An answer that the terminal was asked for is no text, even if it is cut behind its ESC
// for so long that this was a key.
func TestAnswersAreNoText(t *testing.T) {
	t.Parallel()
	for _, late := range []time.Duration{0, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			ty := newTypist(t, false)
			ty.asked.ask()
			time.Sleep(late)
			for _, piece := range []string{esc, "[?2026", ";2$y", esc, "]", "11;rgb:1e1e/1e", "1e/1e1e", esc, "\\"} {
				ty.send(piece, 200*time.Millisecond)
			}
			got := strings.Join(ty.got, "")
			if late > 0 {
				got = strings.Replace(got, "<esc>", "", 1) // from then on the link is known to be slow
			}
			if got != "<mode 2026><background {30 30 30 255}>" {
				t.Errorf("answers after %v: %s", late, got)
			}
			ty.send("\x1b[?62;22c", thinking)
			ty.send(esc, 100*time.Millisecond)
			if got := ty.got[len(ty.got)-1]; got != "<esc>" {
				t.Errorf("esc after the last answer: %s", got)
			}
		})
	}
}

// Keys that look like the begin of an answer are keys.
func TestKeysThatLookLikeAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reads []string
		want  string
	}{
		{[]string{esc, "["}, "<esc>["},
		{[]string{esc, "[", "x"}, "<esc>[x"},
		{[]string{esc, "]", "x"}, "<esc>]x"},
		{[]string{esc, "x"}, "<esc>x"},
		{[]string{esc, esc}, "<esc><esc>"},
		{[]string{esc + esc}, "<esc><esc>"},
		{[]string{"\x1b[", "h"}, "<alt+[>h"},
		{[]string{"\x1b]", "h"}, "<alt+]>h"},
		{[]string{"\x1bP", "h"}, "<alt+shift+p>h"},
		{[]string{"\x1bO", "h"}, "<alt+shift+o>h"},
		{[]string{"\x1b]", "1", "\r"}, "<alt+]>1<enter>"},
		{[]string{"\xc3", "a"}, "a"},
	} {
		synctest.Test(t, func(t *testing.T) {
			ty := newTypist(t, false)
			for _, read := range tt.reads {
				ty.send(read, thinking)
			}
			time.Sleep(slowTime)
			synctest.Wait()
			if got := strings.Join(ty.got, ""); got != tt.want {
				t.Errorf("%q: %s, want %s", tt.reads, got, tt.want)
			}
		})
	}
}

// A paste whose end is lost is shown after a pause, or at once with ctrl+c.
func TestPasteWithoutEnd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reads []string
		want  string
	}{
		{[]string{"\x03", "x"}, `<paste "one\rtwo">x`},
		{[]string{"\x1b[99;5u", "x"}, `<paste "one\rtwo">x`},
		{[]string{"\x1b[1089:1057:99;5u", "x"}, `<paste "one\rtwo">x`},
		{[]string{"", "x", "\r"}, `<paste "one\rtwo">x<enter>`},
		{[]string{"", "\r"}, `<paste "one\rtwo"><enter>`},
	} {
		synctest.Test(t, func(t *testing.T) {
			ty := newTypist(t, false)
			ty.send(ansi.BracketedPasteStart+"one\rtwo", thinking)
			for i, read := range tt.reads {
				if i == 1 || read == "" {
					time.Sleep(pasteTime)
				}
				ty.send(read, thinking)
			}
			if got := strings.Join(ty.got, ""); got != tt.want {
				t.Errorf("%q: %s, want %s", tt.reads, got, tt.want)
			}
		})
	}
}

// A paste that a slow link interrupts for long is shown in parts, and no line of it is
// sent.
func TestPasteWithLongPauses(t *testing.T) {
	t.Parallel()
	const text = "第一行\rline 2\r"
	paste := ansi.BracketedPasteStart + text + ansi.BracketedPasteEnd
	for cut := len(ansi.BracketedPasteStart); cut < len(paste); cut++ {
		synctest.Test(t, func(t *testing.T) {
			ty := newTypist(t, false)
			var got strings.Builder
			ty.post = func(msg tea.Msg) {
				switch msg := msg.(type) {
				case uv.PasteEvent:
					got.WriteString(msg.Content)
				case uv.KeyPressEvent:
					if msg.Text == "" {
						t.Errorf("cut at %d: %s", cut, describe(msg))
					}
					got.WriteString(msg.Text)
				}
			}
			ty.send(paste[:cut], time.Minute)
			ty.send(paste[cut:], time.Minute)
			if got.String() != text {
				t.Errorf("cut at %d: %q", cut, got.String())
			}
		})
	}
}

// Without marks, lines that come faster than anyone types are a paste: none is sent.
func TestLinesAtOnceAreAPaste(t *testing.T) {
	t.Parallel()
	ms := time.Millisecond
	type read struct {
		text  string
		pause time.Duration
	}
	slowly := func(text string, pause time.Duration) (reads []read) {
		for _, b := range []byte(text) {
			reads = append(reads, read{string(b), pause})
		}
		return reads
	}
	for _, tt := range []struct {
		reads []read
		want  string
	}{
		{[]read{{"one\rtwo\r", 0}}, `<paste "one\rtwo\r">`},
		{[]read{{"one\r\n\tтwo\r\n", 0}}, `<paste "one\r\n\tтwo\r\n">`},
		{[]read{{"one\rt", 2 * ms}, {"wo\r", 2 * ms}, {"\x1b[A", 0}}, `<paste "one\rtwo\r"><up>`},
		{[]read{{"one", 2 * ms}, {"\r", 2 * ms}, {"two", 0}}, `one<paste "\rtwo">`},
		{[]read{{"one\r", 10 * ms}, {"two\r", 10 * ms}, {"three", 50 * ms}, {"\r", 0}}, `one<paste "\rtwo\rthree\r">`},
		{slowly("y\rrm x\r\rtwo\r", 10*ms), `y<paste "\rrm x\r\rtwo\r">`},
		{slowly("\r\rtwo", 5*ms), `<paste "\r\rtwo">`},
		{slowly("go\rnext\r", 30*ms), "go<enter>next<enter>"}, // a burst of typing
		{[]read{{"on", 80 * ms}, {"e", 2 * ms}, {"\r", 30 * ms}, {"two", 0}}, "one<enter>two"},
		{[]read{{"one\r", 0}}, "one<enter>"},
		{[]read{{"one\r", 50 * ms}, {"two\r", 0}}, "one<enter>two<enter>"},
		{[]read{{"one", 50 * ms}, {"\rtwo", 0}}, `one<paste "\rtwo">`},
		{[]read{{"\r\r", 0}}, "<enter>"},
		{[]read{{"\t\r", 30 * ms}, {"\t\r", 0}}, "<tab><enter><tab><enter>"},
		{[]read{{"one\r\x1b[A", 0}}, "one<enter><up>"},
	} {
		synctest.Test(t, func(t *testing.T) {
			ty := newTypist(t, false)
			for _, r := range tt.reads {
				ty.send(r.text, r.pause)
			}
			ty.send("", thinking)
			if got := strings.Join(ty.got, ""); got != tt.want {
				t.Errorf("%v: %s, want %s", tt.reads, got, tt.want)
			}
		})
	}
}

// A terminal that says that it marks pastes leaves nothing to guess but several lines in
// one read.
func TestEnterDoesNotWaitWherePastesAreMarked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		answer, read, want string
		waits              time.Duration
	}{
		{"\x1b[?2004;1$y", "one\r", "one<enter>", 0},
		{"\x1b[?2004;3$y", "one\r", "one<enter>", 0},
		{"\x1b[?2004;1$y", "one\rtwo\r", `<paste "one\rtwo\r">`, linesTime},
		{"\x1b[?2004;1$y", "\rtwo\r", `<enter>two<enter>`, 0},
		{"\x1b[?2004;1$y", "\r\r", `<enter><enter>`, 0},
		{"\x1b[?2004;0$y", "one\r", "one<enter>", lineTime},
		{"\x1b[?2004;2$y", "one\r", "one<enter>", lineTime},
		{"\x1b[?2004;4$y", "one\r", "one<enter>", lineTime},
	} {
		synctest.Test(t, func(t *testing.T) {
			ty := newTypist(t, false)
			var last time.Time
			post := ty.post
			ty.post = func(msg tea.Msg) { last = time.Now(); post(msg) }
			ty.send(tt.answer, thinking)
			sent := time.Now()
			ty.send(tt.read, thinking)
			if got := strings.Join(ty.got, ""); got != tt.want || last.Sub(sent) != tt.waits {
				t.Errorf("after %q: %s after %v, want %s after %v", tt.answer, got, last.Sub(sent), tt.want, tt.waits)
			}
		})
	}
}

// No key waits but those that something may belong to.
func TestKeysDoNotWait(t *testing.T) {
	t.Parallel()
	for _, read := range []string{"a", "中", "\t", "\x03", "\x1b[A", "\x1bOP", "\x1bx", "\x1b[27u", ansi.BracketedPasteStart + "x" + ansi.BracketedPasteEnd} {
		synctest.Test(t, func(t *testing.T) {
			ty := newTypist(t, false)
			ty.send("before", thinking)
			if ty.send(read, 0); len(ty.got) != len("before")+1 {
				t.Errorf("%q: %q", read, ty.got)
			}
		})
	}
}

// A key with alt whose character begins a sequence comes without another key.
func TestKeysWithAltComeAlone(t *testing.T) {
	t.Parallel()
	for read, want := range map[string]string{
		"\x1b_": "<alt+_>", "\x1b[": "<alt+[>", "\x1b]": "<alt+]>", "\x1bO": "<alt+shift+o>", "\x1bP": "<alt+shift+p>", "\x1b\x1b_": "<esc><alt+_>",
	} {
		synctest.Test(t, func(t *testing.T) {
			ty := newTypist(t, false)
			ty.send(read, altTime)
			if got := strings.Join(ty.got, ""); got != want {
				t.Errorf("%q: %q, want %s", read, got, want)
			}
			if ty.send("h", 0); strings.Join(ty.got, "") != want+"h" {
				t.Errorf("%q and h: %q", read, ty.got)
			}
		})
	}
}

// Shortcuts are where they are on a Latin keyboard, whatever the layout types, and those
// with shift have the name that they have without kitty's protocol.
func TestShortcutsOfOtherLayouts(t *testing.T) {
	t.Parallel()
	for seq, want := range map[string]string{
		"\x1b[1092:1060:97;5u": "<ctrl+a>",       // Russian
		"\x1b[1092::97;5u":     "<ctrl+a>",       // without a shifted key
		"\x1b[945::97;3u":      "<alt+a>",        // Greek
		"\x1b[1092:1060:97;6u": "<ctrl+shift+a>", //
		"\x1b[97::113;5u":      "<ctrl+a>",       // French: the letter counts where it is Latin
		"\x1b[45;6u":           "<ctrl+_>",       //
		"\x1b[45:95:47;6u":     "<ctrl+_>",       // German
		"\x1b[27;6;45~":        "<ctrl+_>",       // modifyOtherKeys
		"\x1b[95;5u":           "<ctrl+_>",       //
		"\x1b[46:58;4u":        "<alt+:>",        // German alt+shift+.
		"\x1b[44;4u":           "<alt+<>",        //
		"\x1b[1092;5u":         "<ctrl+ф>",       // no alternate key
		"\x1b[13;6u":           "<ctrl+shift+enter>",
		"\x1b\b":               "<alt+backspace>",
		"\x1b\x7f":             "<alt+backspace>",
		"\x1b[8;3u":            "<alt+backspace>",
		"\x1b[104;7u":          "<ctrl+alt+h>",
		"\x1b[127;5u":          "<ctrl+backspace>",
		"\x1b[8;5u":            "<ctrl+backspace>",
		"\x1b[27;5;8~":         "<ctrl+backspace>",
		"\x1b[3;3~":            "<alt+delete>",
		"\x1b\x1b[3~":          "<alt+delete>",
		"\x1b[3^":              "<ctrl+delete>",
		"\x1b\x1b[D":           "<alt+left>",
		"\x1bOc":               "<ctrl+right>",
		"\x1b[9;2u":            "<shift+tab>",
	} {
		synctest.Test(t, func(t *testing.T) {
			ty := newTypist(t, false)
			ty.send(seq, thinking)
			if got := strings.Join(ty.got, ""); got != want {
				t.Errorf("%q: %s, want %s", seq, got, want)
			}
		})
	}
}

// No bytes freeze the keys: after any, ctrl+c and a pause are seen as such.
func FuzzDecoder(f *testing.F) {
	for _, read := range recorded {
		f.Add([]byte(read))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		synctest.Test(t, func(t *testing.T) {
			ty := newTypist(t, false)
			ty.send(string(b), time.Minute)
			ty.send("\x03", time.Minute) // may belong to a sequence
			if ty.send("\x03", time.Minute); len(ty.got) == 0 || ty.got[len(ty.got)-1] != "<ctrl+c>" {
				t.Errorf("after %q: %q", b, ty.got)
			}
		})
	})
}
