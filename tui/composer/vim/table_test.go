package vim

import (
	"os"
	"strings"
	"testing"
)

// The table: testdata/cases.txt says what is tried, a line for each sequence: the keys
// as vim writes them, and the text, where ¦ is the cursor and ⏎ a newline.
// testdata/vim.txt is what vim has made of it: the same, then the text and the mode.
// TestTableIsVims compares it with the vim of this machine, and writes it with -update.
const (
	casesFile  = "testdata/cases.txt"
	resultFile = "testdata/vim.txt"
)

// sequence is a line of the table.
type sequence struct{ keys, text, want, mode string }

func (s sequence) String() string {
	return strings.Join([]string{s.keys, s.text, s.want, s.mode}, "\t")
}

// readTable reads a table. A line that begins with "# " is a comment.
func readTable(t testing.TB, file string) []sequence {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []sequence
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		parts := strings.Split(line, "\t")
		if len(parts) < 2 || strings.Count(parts[1], "¦") != 1 {
			t.Fatalf("%s: %q is no sequence", file, line)
		}
		s := sequence{keys: parts[0], text: parts[1]}
		if len(parts) == 4 {
			s.want, s.mode = parts[2], parts[3]
		}
		list = append(list, s)
	}
	return list
}

// start is the text of a sequence and its cursor.
func (s sequence) start() (string, Pos) {
	text := strings.ReplaceAll(s.text, "⏎", "\n")
	before, behind, _ := strings.Cut(text, "¦")
	return before + behind, Pos{strings.Count(before, "\n"), len(before) - 1 - strings.LastIndexByte(before, '\n')}
}

// marked is a text with its cursor, as the table has it.
func marked(lines []string, at Pos) string {
	lines = append([]string(nil), lines...)
	lines[at.Row] = lines[at.Row][:at.Col] + "¦" + lines[at.Row][at.Col:]
	return strings.Join(lines, "⏎")
}

// modes are what vim calls its modes.
var modes = map[Mode]string{Insert: "i", Normal: "n", Visual: "v", VisualLine: "V"}

// keyNames are the keys that vim writes in angle brackets.
var keyNames = map[string]string{
	"Esc": "esc", "CR": "enter", "BS": "backspace", "Left": "left", "Right": "right", "Up": "up", "Down": "down",
	"C-r": "ctrl+r", "Space": "space", "Del": "delete", "Home": "home", "End": "end", "lt": "<",
}

// keysOf are the keys of a sequence.
func keysOf(keys string) []string {
	var list []string
	for keys != "" {
		r := string([]rune(keys)[:1])
		n := len(r)
		if name, rest, ok := strings.Cut(keys[1:], ">"); r == "<" && ok && keyNames[name] != "" {
			r, n = keyNames[name], len(keys)-len(rest)
		}
		list, keys = append(list, r), keys[n:]
	}
	return list
}

// try does what a sequence says.
func try(s sequence) (text, mode string) {
	h := newHost(s.start())
	h.e.register = Register{Text: "reg"}
	for _, key := range keysOf(s.keys) {
		h.press(key)
	}
	return marked(h.lines, h.cursor), modes[h.e.Mode()]
}

func TestTable(t *testing.T) {
	list := readTable(t, resultFile)
	if len(list) < 150 {
		t.Errorf("%d sequences only", len(list))
	}
	for _, s := range list {
		if text, mode := try(s); text != s.want || mode != s.mode {
			t.Errorf("%s\n  in %s\ngives %s %s\n  vim %s %s", s.keys, s.text, text, mode, s.want, s.mode)
		}
	}
}
