package composer

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/prompt"
	"parley/tui/theme"
)

func newTest(t testing.TB, history *History) *Composer {
	t.Helper()
	clock := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	return New(Options{
		Theme: theme.New(true), Keys: config.Default(TestActions).Keys, History: history, Root: t.TempDir(),
		Now: func() time.Time { return clock },
	})
}

// Summary is the text of a prompt as it stood in the editor, with labels in the
// place of long pastes.
func (p Prompt) Summary() string { return p.chips.expand(p.raw, true) }

// Height is how many lines the composer takes.
func (c *Composer) Height() int {
	l := c.layout()
	return l.popup + l.search + l.editor
}

// special are the keys that have names.
var special = map[string]rune{
	"enter": tea.KeyEnter, "tab": tea.KeyTab, "esc": tea.KeyEscape, "backspace": tea.KeyBackspace,
	"delete": tea.KeyDelete, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "space": tea.KeySpace, "f1": tea.KeyF1,
}

// press is a key as Bubble Tea reports it, from its name.
func press(name string) tea.KeyPressMsg {
	var k tea.KeyPressMsg
	rest := name
	for found := true; found; {
		found = false
		for prefix, mod := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
			if after, ok := strings.CutPrefix(rest, prefix); ok && after != "" {
				k.Mod |= mod
				rest, found = after, true
			}
		}
	}
	if code, ok := special[rest]; ok {
		k.Code = code
	} else {
		k.Code = []rune(rest)[0]
		if k.Mod == 0 {
			k.Text = rest
		}
	}
	if rest == "space" {
		k.Text = " "
	}
	return k
}

// strokes are the names of keys: names in angle brackets, everything else as text.
func strokes(keys string) (names []string) {
	for keys != "" {
		name := string([]rune(keys)[:1])
		rest := keys[len(name):]
		if end := strings.IndexByte(keys, '>'); name == "<" && end > 1 {
			name, rest = keys[1:end], keys[end+1:]
		}
		keys = rest
		if name == " " {
			name = "space"
		}
		names = append(names, name)
	}
	return names
}

// play presses keys. It returns the last result and runs no command.
func play(c *Composer, keys string) (last Result) {
	for _, name := range strokes(keys) {
		last, _ = c.Key(press(name))
	}
	return last
}

// settleCmds runs commands and what follows from them until there are no more.
func settleCmds(c *Composer, cmd tea.Cmd) (others []tea.Msg) {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, each := range msg {
			others = append(others, settleCmds(c, each)...)
		}
	case resultMsg:
		others = append(others, settleCmds(c, c.Update(msg))...)
	default:
		others = append(others, msg)
	}
	return others
}

func TestEditing(t *testing.T) {
	for _, tt := range []struct{ name, keys, want string }{
		{"typing", "hello world", "hello world"},
		{"newline", "a<shift+enter>b<ctrl+j>c", "a\nb\nc"},
		{"alt+enter is a newline too", "a<alt+enter>b", "a\nb"},
		{"backslash and enter is a newline", `a\<enter>b`, "a\nb"},
		{"a backslash elsewhere is not", `a\b<ctrl+j>`, "a\\b\n"},
		{"backspace joins lines", "a<ctrl+j>b<left><backspace>", "ab"},
		{"delete joins lines", "a<ctrl+j>b<up><end><delete>", "ab"},
		{"backspace takes a whole emoji", "x👩‍👩‍👧<backspace>", "x"},
		{"home and end edit a draft", "bc<home>a<end>d", "abcd"},
		{"word left", "one two<alt+b>X", "one Xtwo"},
		{"word left skips punctuation", "one, two.<ctrl+left>X", "one, Xtwo."},
		{"word right", "one two<ctrl+a><alt+f>X", "oneX two"},
		{"ctrl+w takes back to a space", "go a/b-c.d<ctrl+w>X", "go X"},
		{"alt+backspace takes a word", "a/b-cd<alt+backspace>X", "a/b-X"},
		{"alt+d", "one two<ctrl+a><alt+d>", " two"},
		{"ctrl+k", "one two<ctrl+a><alt+f><ctrl+k>", "one"},
		{"ctrl+k at the end joins", "a<ctrl+j>b<up><ctrl+e><ctrl+k>", "ab"},
		{"ctrl+u", "one two<alt+b><ctrl+u>", "two"},
		{"kill and yank", "one two<ctrl+w><ctrl+a><ctrl+y>", "twoone "},
		{"transpose", "teh<ctrl+t>", "the"},
		{"undo takes a word back", "one two<ctrl+_>", "one "},
		{"undo and redo", "one two<ctrl+_><ctrl+_><ctrl+shift+z>", "one "},
		{"undo of a kill", "one<ctrl+u><ctrl+_>", "one"},
		{"undo of a joined line", "a<ctrl+j>b<left><backspace><ctrl+_>X", "a\nXb"},
		{"up and down keep the column", "abcd<ctrl+j>x<ctrl+j>efgh<left><up><up>X<down><down>Y", "abcXd\nx\nefghY"},
		{"ctrl+d deletes in a draft", "ab<left><ctrl+d>", "a"},
		{"? is text in a draft", "why?", "why?"},
		{"unknown keys type nothing", "a<f1><pgup><alt+x>", "a"},
		{"wide characters", "世界<left>X", "世X界"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newTest(t, nil)
			play(c, tt.keys)
			if got := c.Text(); got != tt.want {
				t.Errorf("after %q: %q, want %q", tt.keys, got, tt.want)
			}
		})
	}
}

func TestKeysOfOthers(t *testing.T) {
	for _, tt := range []struct {
		name, before, key string
		used              bool
	}{
		{"help on an empty draft", "", "?", false},
		{"? in a draft", "a", "?", true},
		{"ctrl+d quits when empty", "", "ctrl+d", false},
		{"ctrl+d has nothing to delete", "ab", "ctrl+d", false},
		{"ctrl+c on an empty draft", "", "ctrl+c", false},
		{"ctrl+c clears a draft", "a", "ctrl+c", true},
		{"esc", "a", "esc", false},
		{"esc closes a popup", "@", "esc", true},
		{"ctrl+c clears a draft with a popup", "@", "ctrl+c", true},
		{"tab", "a", "tab", false},
		{"home scrolls when empty", "", "home", false},
		{"home moves in a draft", "a", "home", true},
		{"ctrl+home scrolls always", "a", "ctrl+home", false},
		{"pgup scrolls", "a", "pgup", false},
		{"ctrl+n is a new session", "a", "ctrl+n", false},
		{"a tab of the sessions", "a", "alt+1", false},
		{"enter on nothing", "", "enter", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newTest(t, nil)
			play(c, tt.before)
			if got, _ := c.Key(press(tt.key)); got.Used != tt.used || got.Prompt != nil {
				t.Errorf("%s: %+v, want used %v and no prompt", tt.key, got, tt.used)
			}
		})
	}
}

func TestSend(t *testing.T) {
	c := newTest(t, nil)
	r := play(c, "  first<ctrl+j>second <enter>")
	if r.Prompt == nil || r.Prompt.Text() != "  first\nsecond" {
		t.Fatalf("sent %+v", r)
	}
	if !c.Empty() || c.Text() != "" {
		t.Errorf("the editor keeps %q", c.Text())
	}
	if r := play(c, "  <enter>"); r.Prompt != nil {
		t.Errorf("sent a blank draft: %q", r.Prompt.Text())
	}
}

func TestConfiguredKeys(t *testing.T) {
	cfg, err := config.Parse("config.toml", []byte("[keys]\nsend = [\"ctrl+enter\"]\nnewline = [\"enter\"]\n"), TestActions)
	if err != nil {
		t.Fatal(err)
	}
	c := newTest(t, nil)
	c.Keys = cfg.Keys
	if r := play(c, "a<enter>b"); r.Prompt != nil || c.Text() != "a\nb" {
		t.Errorf("enter: %+v, text %q", r, c.Text())
	}
	if r := play(c, "<ctrl+enter>"); r.Prompt == nil {
		t.Error("ctrl+enter did not send")
	}
}

func TestADraftThatIsACommand(t *testing.T) {
	for _, c := range []struct {
		typed string
		line  string
		is    bool
	}{
		{"!ls -la", "ls -la", true},
		{"! make test ", "make test", true},
		{"!", "", true},
		{"  !important", "", false},
		{"say !", "", false},
		{"!!", "!", true},
	} {
		f := newTest(t, nil)
		play(f, c.typed)
		if f.IsCommand() != c.is {
			t.Errorf("%q: IsCommand is %v", c.typed, f.IsCommand())
		}
		r := play(f, "<enter>")
		switch {
		case !c.is && (r.Command != nil || r.Prompt == nil):
			t.Errorf("%q was no prompt", c.typed)
		case c.is && (r.Prompt != nil || r.Command == nil || *r.Command != c.line):
			t.Errorf("%q was sent as %+v", c.typed, r)
		}
		if !f.Empty() {
			t.Errorf("%q: something is left", c.typed)
		}
	}
}

func TestAttachmentsGoWithThePrompt(t *testing.T) {
	a := prompt.Attachment{Label: "output of $ ls: 1 line", URI: "terminal://t/ls", Text: "notes.txt"}
	f := newTest(t, nil)
	play(f, "see ")
	if !f.Attach(a) || !strings.Contains(screen(f), "see [output of $ ls: 1 line]") {
		t.Fatalf("it is not in the draft: %q", screen(f))
	}
	if f.Attach(a) || strings.Contains(screen(f), "output of") {
		t.Fatalf("it was not taken away: %q", screen(f))
	}
	f.Attach(a)
	play(f, "please")
	sent := play(f, "<enter>").Prompt
	if sent == nil {
		t.Fatal("nothing was sent")
	}
	const text = "see [output of $ ls: 1 line] please"
	blocks := sent.Queued().Prompt
	if len(blocks) != 2 || blocks[0].Text != text || blocks[1].Resource == nil || *blocks[1].Resource.Text != a.Text || blocks[1].Resource.URI != a.URI {
		t.Errorf("sent %+v", blocks)
	}
}

// What is asked about the draft with each key and frame does not build its text.
func TestAskingAboutALongDraftCostsNothing(t *testing.T) {
	c := newTest(t, nil)
	c.SetText("!\n" + strings.Repeat(" \n", 100_000) + "end")
	for name, ask := range map[string]func() bool{
		"Blank": c.Blank, "IsShell": c.IsShell, "Edits": func() bool { return !c.Edits("up") },
	} {
		if ask() {
			t.Errorf("%s is wrong", name)
		}
		if n := testing.AllocsPerRun(5, func() { ask() }); n > 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}
