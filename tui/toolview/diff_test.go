package toolview

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/internal/conversation"
)

func TestLocate(t *testing.T) {
	const before = "one\ntwo\nthree\nfour\n"
	for _, c := range []struct {
		name, file, old, new string
		line                 int
	}{
		{"before the change", before, "three\n", "THREE\n", 3},
		{"after the change", "one\ntwo\nTHREE\nfour\n", "three\n", "THREE\n", 3},
		{"the whole file", before, before, "x\n", 1},
		{"inside a line", before, "ee", "EE", 3},
		{"lines are added, before", before, "two\n", "two\nand a half\n", 2},
		{"lines are added, after", "one\ntwo\nand a half\nthree\n", "two\n", "two\nand a half\n", 2},
		{"lines are added above, after", "one\nzero\ntwo\nthree\n", "two\n", "zero\ntwo\n", 2},
		{"lines are taken away, before", before, "two\nthree\n", "three\n", 2},
		{"lines are taken away, after", "one\nthree\nfour\n", "two\nthree\n", "three\n", 2},
		{"nothing is left of it", "one\n", "two\n", "", 0},
		{"in several places", "a\nb\na\n", "a\n", "c\n", 0},
		{"nowhere", before, "five", "six", 0},
		{"other line ends in the file", "one\r\ntwo\r\nthree\r\n", "two\nthree\n", "2\n3\n", 2},
		{"other line ends in the change", before, "two\r\nthree\r\n", "2\r\n", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, ok := locate([]byte(c.file), Fragment{Old: c.old, New: c.new})
			if at.Line != c.line || ok != (c.line > 0) {
				t.Errorf("line %d, %v; want %d", at.Line, ok, c.line)
			}
		})
	}
}

// What stands beside a line number is that line of the file, also where the agent names
// only a part of it.
func TestAChangeInsideALineIsShownWithAllOfIt(t *testing.T) {
	for _, c := range []struct{ name, file, old, new, before, after string }{
		{"before the change", "one\n\tPrintln(\"hi\")\nthree\n", "hi", "hello", "\tPrintln(\"hi\")", "\tPrintln(\"hello\")"},
		{"after the change", "one\n\tPrintln(\"hello\")\nthree\n", "hi", "hello", "\tPrintln(\"hi\")", "\tPrintln(\"hello\")"},
		{"of two lines", "a b\nc d\n", "b\nc", "B\nC", "a b\nc d", "a B\nC d"},
		{"whole lines", "one\ntwo\n", "two\n", "2\n", "two\n", "2\n"},
		{"a line end is taken away", "one two\nthree\n", "two\n", "", "two\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, _ := locate([]byte(c.file), Fragment{Old: c.old, New: c.new})
			if before, after := at.Whole(&c.old, c.new); *before != c.before || after != c.after {
				t.Errorf("it shows %q and %q", *before, after)
			}
		})
	}
}

// Only a change of which it is said, or seen, that it leaves nothing deletes a file.
func TestDeletions(t *testing.T) {
	if !Removes([]byte("a\n"), Fragment{Old: "a\n"}) || Removes([]byte("a\nb\n"), Fragment{Old: "a\n"}) || Removes([]byte("a\n"), Fragment{Old: "a\n", New: "b"}) {
		t.Error("what a change leaves is not seen")
	}
	text := "a\n"
	gone, kept := acpclient.DiffContent("x", &text, ""), acpclient.DiffContent("x", &text, "b\n")
	said := gone
	said.Meta = []byte(`{"kind":"delete"}`)
	if Deletes(&gone, acpclient.ToolEdit) || !Deletes(&gone, acpclient.ToolDelete) || !Deletes(&said, acpclient.ToolEdit) || Deletes(&kept, acpclient.ToolDelete) {
		t.Error("what the agent says is not read")
	}
}

func TestSites(t *testing.T) {
	old, empty := "a\n", ""
	var none *Facts
	if none.Position("x", &old, "b\n") != (DiffPosition{}) || none.Version() != 0 {
		t.Error("nothing is known, and something is said")
	}
	var s Facts
	if s.Position("x", nil, "b\n").Line != 1 || s.Position("x", &empty, "b\n").Line != 1 {
		t.Error("a new file does not begin with its first line")
	}
	before := s.Version()
	s.Add(Found{Positions: map[Fragment]DiffPosition{{Path: "x", Old: "a\n", New: "b\n"}: {Line: 7}}})
	if s.Position("x", &old, "b\n").Line != 7 || s.Position("y", &old, "b\n").Line != 0 || s.Version() == before {
		t.Errorf("%+v", s)
	}
}

func TestReplaced(t *testing.T) {
	text, image := acpclient.TextContent, acpclient.ToolCallContent{
		Type: acpclient.ToolContentBlock, Content: &acpclient.ContentBlock{Type: acpclient.ContentImage, Data: "aGk="},
	}
	diff := func(path, now string) acpclient.ToolCallContent { return acpclient.DiffContent(path, nil, now) }
	type contents = acpclient.ToolCallContents
	for name, tt := range map[string]struct{ asked, shown, want contents }{
		"the same":                     {contents{text("# plan"), diff("/a", "x"), image}, contents{image, text("# plan\n"), diff("/a", "y")}, nil},
		"part of a longer text":        {contents{text("# plan")}, contents{text("This is the\n# plan\nof today")}, nil},
		"replaced by a word":           {contents{text("# plan"), diff("/a", "x"), image}, contents{text("Done")}, contents{text("# plan"), diff("/a", "x"), image}},
		"another file":                 {contents{diff("/a", "x")}, contents{diff("/b", "x")}, contents{diff("/a", "x")}},
		"asked twice, shown once more": {contents{text("# plan"), text("# plan"), image, image}, nil, contents{text("# plan"), image}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Replaced(&conversation.ToolCall{Content: tt.shown, Asked: []*conversation.ToolCall{{Content: tt.asked}}})
			if d := cmp.Diff([]acpclient.ToolCallContent(tt.want), got); d != "" {
				t.Error(d)
			}
		})
	}
}

// A question with very many contents, about a call that has as many others, is drawn like
// any other: this test does not end otherwise.
func TestReplacedOfMany(t *testing.T) {
	const many = 50_000
	for name, content := range map[string]func(word string, i int) acpclient.ToolCallContent{
		"texts": func(word string, i int) acpclient.ToolCallContent {
			return acpclient.TextContent(fmt.Sprintf("# %s %08d", word, i))
		},
		"files": func(word string, i int) acpclient.ToolCallContent {
			return acpclient.DiffContent(fmt.Sprintf("/%s/%08d", word, i), nil, "")
		},
		"unknown ones": func(word string, i int) acpclient.ToolCallContent {
			return acpclient.ToolCallContent{Type: "odd", Raw: fmt.Appendf(nil, `{"%s":%d}`, word, i)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var asked, shown acpclient.ToolCallContents
			for i := range many {
				asked, shown = append(asked, content("plan", i)), append(shown, content("done", i))
			}
			got := Replaced(&conversation.ToolCall{Content: shown, Asked: []*conversation.ToolCall{{Content: asked}}})
			if len(got) != many {
				t.Errorf("%d of %d are shown", len(got), many)
			}
		})
	}
}

// A patch that says anything else than the change is shown beside it.
func TestAPatchThatSaysMoreIsShown(t *testing.T) {
	old := "one\ntwo\nthree\n"
	c := acpclient.DiffContent("/p/a.txt", &old, "one\n2\nthree\n")
	for patch, want := range map[string]bool{
		"--- a/p/a.txt\n+++ b/p/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n": true,
		"@@ -2 +2 @@\n-two\n+2\n\\ No newline at end of file\n":                   true,
		"--- /p/a.txt\n+++ /p/b.txt\n@@ -2 +2 @@\n-two\n+2\n":                     false,
		"@@ -2 +2 @@\n-two\n+22\n":                                                false,
		"@@ -2 +2 @@\n-two\n+2\n@@ -9 +9 @@\n-x\n+rm\n":                           false,
		"rename from x\n@@ -2 +2 @@\n-two\n+2\n":                                  false,
		"two":                                                                     false,
		"":                                                                        false,
	} {
		if got := isPatchOf(patch, c); got != want {
			t.Errorf("%q: %v", patch, got)
		}
	}
}
