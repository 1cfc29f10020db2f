package toolview

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/theme"
)

func TestKindOf(t *testing.T) {
	for _, c := range []struct {
		kind acpclient.ToolKind
		want Kind
	}{
		{acpclient.ToolRead, Kind{"◇", "read"}},
		{acpclient.ToolExecute, Kind{"$", "run"}},
		{"", Kind{"•", "tool"}},
		{"summon_daemon", Kind{"•", "summon daemon"}},
		{"a\x1b[2Jb", Kind{"•", "ab"}},
		{"a very long word that an agent made up", Kind{"•", "a very long word that a…"}},
	} {
		if got := KindOf(c.kind); got != c.want {
			t.Errorf("KindOf(%q) = %+v, want %+v", c.kind, got, c.want)
		}
	}
}

func TestTitle(t *testing.T) {
	for _, c := range []struct {
		name, title, tool string
		clean             func(string) string
		want              string
	}{
		{"the title", " Edit it ", "edit", termtext.Line, "Edit it"},
		{"the name of the tool", " ", "edit", termtext.Line, "edit"},
		{"neither", "", "\t", termtext.Line, "tool (no title)"},
		{"nothing that can be seen", "\x1b]0;x\x07", "edit", termtext.Line, "edit"},
		{"one line", "a\nb", "", termtext.Line, "a b"},
		{"for a decision", "a\nb\u202e", "", termtext.Visible, "a\nb⟨U+202E⟩"},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := conversation.ToolCall{Title: c.title, Name: c.tool}
			if got := Title(&call, c.clean); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestCounts(t *testing.T) {
	c := Counts{Added: 3, Removed: 2}
	if got, want := c.String(), "+3 −2"; got != want {
		t.Errorf("String = %q, want %q", got, want)
	}
	if got := ansi.Strip(c.Styled(theme.New(true))); got != c.String() {
		t.Errorf("Styled says %q, String %q", got, c.String())
	}
}

func TestPath(t *testing.T) {
	session := Paths{Dir: "/home/ada/greet", Home: "/home/ada"}
	for _, c := range []struct {
		name   string
		places Paths
		path   string
		want   string
	}{
		{"inside", session, "/home/ada/greet/sub/a.go", "sub/a.go"},
		{"the directory itself", session, "/home/ada/greet", "."},
		{"beside, with the same beginning", session, "/home/ada/greeting/a.go", "~/greeting/a.go"},
		{"in the home directory", session, "/home/ada/other/b.go", "~/other/b.go"},
		{"the home directory itself", session, "/home/ada", "~"},
		{"of somebody with a longer name", session, "/home/adam/b.go", "/home/adam/b.go"},
		{"elsewhere", session, "/etc/passwd", "/etc/passwd"},
		{"leading out", session, "/home/ada/greet/../../bob/x", "/home/ada/greet/../../bob/x"},
		{"leading out and in again", session, "/home/ada/greet/../greet/a.go", "a.go"},
		{"relative already", session, "c.go", "c.go"},
		{"relative, leading out", session, "../c.go", "../c.go"},
		{"a name that begins with dots", session, "/home/ada/greet/..a", "..a"},
		{"a directory named ~", session, "/home/ada/greet/~/.ssh/config", "./~/.ssh/config"},
		{"hidden characters", session, "/home/ada/greet/a\u202eb\x1b\n", "a⟨U+202E⟩b␛␤"},
		{"without a session", Paths{Home: "/home/ada"}, "/home/ada/greet", "~/greet"},
		{"without a home", Paths{Dir: "/srv"}, "/home/ada/greet", "/home/ada/greet"},
		{"with the root as home", Paths{Home: "/"}, "/etc/passwd", "/etc/passwd"},
		{"no places at all", Paths{}, "/etc/passwd", "/etc/passwd"},
		{"no path", session, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.places.Path(c.path); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	t.Setenv("HOME", "/home/ada")
	if got := PathsIn("/home/ada/greet"); got != session {
		t.Errorf("In = %+v, want %+v", got, session)
	}
	home, link := t.TempDir(), filepath.Join(t.TempDir(), "home")
	if err := os.Symlink(home, link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", link)
	for _, name := range []string{home, link} {
		if got := PathsIn("").Path(filepath.Join(name, "greet")); got != "~/greet" {
			t.Errorf("in a home that is a link: %s", got)
		}
	}
}

func TestLocation(t *testing.T) {
	line := 7
	at := Paths{Dir: "/work"}
	if got, want := at.Location(acpclient.ToolCallLocation{Path: "/work/a.go", Line: &line}), "a.go:7"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := at.Location(acpclient.ToolCallLocation{Path: "/etc/a"}), "/etc/a"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCommand(t *testing.T) {
	at := Paths{Dir: "/work", Home: "/home/ada"}
	for _, c := range []struct {
		name, raw string
		want      Command
	}{
		{"a string", `{"command":"go test ./..."}`, Command{Line: "go test ./..."}},
		{"another name", `{"cmd":"ls"}`, Command{Line: "ls"}},
		{"an array", `{"command":["bash","-lc","it's"]}`, Command{Line: `bash -lc 'it'\''s'`}},
		{"arguments", `{"command":"npm","args":["run","my test"]}`, Command{Line: `npm run 'my test'`}},
		{"an array that is not all strings", `{"command":["rm",7]}`, Command{}},
		{"hidden characters", `{"command":"a\u202eb"}`, Command{Line: "a⟨U+202E⟩b"}},
		{"blanks", `{"command":" a\u2800\tb \r\n"}`, Command{Line: "␠a⟨U+2800⟩␉   b ␍\n"}},
		{"several lines", `{"command":"a\nb"}`, Command{Line: "a\nb"}},
		{"here", `{"command":"a","cwd":"/work"}`, Command{Line: "a"}},
		{"below", `{"command":"a","workdir":"/work/sub"}`, Command{Line: "a", Dir: "sub"}},
		{"at home", `{"command":"a","directory":"/home/ada/x"}`, Command{Line: "a", Dir: "~/x"}},
		{"no command", `{"path":"/work/a"}`, Command{}},
		{"no object", `"ls"`, Command{}},
		{"nothing", ``, Command{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := at.Command([]byte(c.raw)); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestCommandsWithoutTheirShell(t *testing.T) {
	for line, want := range map[string]string{
		`/bin/bash -lc 'ls -l'`:            `ls -l`,
		`bash -c ls`:                       `ls`,
		`sh -c 'echo '\''a b'\'''`:         `echo 'a b'`,
		`/bin/zsh -lc "echo 'a' \"b\" \d"`: `echo 'a' "b" \d`,
		"bash -lc 'one\ntwo'":              "one\ntwo",
		`bash -lc "echo $HOME"`:            `bash -lc "echo $HOME"`,
		`bash -lc 'ls' name`:               `bash -lc 'ls' name`,
		`bash -lc 'ls' > out`:              `bash -lc 'ls' > out`,
		`X=1 bash -lc 'ls'`:                `X=1 bash -lc 'ls'`,
		`bash -lc 'ls' && rm a`:            `bash -lc 'ls' && rm a`,
		`bash -lc 'ls' &`:                  `bash -lc 'ls' &`,
		`bash -lc 'ls`:                     `bash -lc 'ls`,
		`bash -lc $'ls\n'`:                 `bash -lc $'ls\n'`,
		`bash -x 'ls'`:                     `bash -x 'ls'`,
		`ls -l`:                            `ls -l`,
		``:                                 ``,
	} {
		if got := WithoutShell(line); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		most      int
		want      string
	}{
		{"set out", `{"a":[1]}`, 0, "{\n  \"a\": [\n    1\n  ]\n}"},
		{"short enough", `[1]`, 100, "[\n  1\n]"},
		{"too long", `["abcdef"]`, 6, "[\n  \"a\n…"},
		{"never inside a character", `"äöü"`, 4, "\"ä\n…"},
		{"no JSON", `{"a":`, 0, `{"a":`},
		{"hidden characters", "\"a\u202eb\"", 0, `"a⟨U+202E⟩b"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := JSON([]byte(c.raw), c.most); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Whatever an agent sends, nothing that is drawn holds a control character.
func TestEverythingIsFitToBeDrawn(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		return rapid.String().Draw(t, "a") + rapid.SampledFrom([]string{"\x1b[2J", "\u009b1m", "\u202e", "\x00", "\r", "\n", "\xff"}).Draw(t, "hostile") + rapid.String().Draw(t, "b")
	})
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "text")
		b := acpclient.ContentBlock{
			Type: rapid.SampledFrom([]acpclient.ContentType{"text", "image", "audio", "resource_link", "resource", acpclient.ContentType(s)}).Draw(t, "type"),
			Name: s, Title: s, MimeType: s, URI: s, Resource: &acpclient.ResourceContents{URI: s, MimeType: s, Blob: &s},
		}
		at := Paths{Dir: "/work", Home: "/home/ada"}
		c := acpclient.ToolCallContent{Type: acpclient.ToolContentType("x" + s)}
		for what, line := range map[string]string{
			"a block": at.Block(&b).String(), "a path": at.Path(s), "a path inside": at.Path("/work/" + s), "a path at home": at.Path("/home/ada/" + s),
			"a verb": KindOf(acpclient.ToolKind(s)).Verb, "a label": Visit(&c, seen{}),
			"a title": Title(&conversation.ToolCall{Title: s, Name: s}, termtext.Line),
		} {
			if i := strings.IndexFunc(line, unsafe); i >= 0 {
				t.Errorf("%s holds %q at %d: %q", what, line[i:], i, line)
			}
		}
	})
}

// unsafe reports characters that must not be drawn on a line.
func unsafe(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

func TestHeading(t *testing.T) {
	at := Paths{Dir: "/work/my project", Home: "/home/ada"}
	for _, c := range []struct {
		name, title string
		kind        acpclient.ToolKind
		want        string
		whole       bool
	}{
		{"words", "Read the notes", "read", "Read the notes", true},
		{"a file of the project", "/work/my project/src/a.go", "edit", "src/a.go", true},
		{"a file in words", "Read `/work/my project/src/a.go` (1 - 20)", "read", "Read `src/a.go` (1 - 20)", true},
		{"two files", "Move /work/my project/a to /work/my project/b", "move", "Move a to b", true},
		{"a file as seen from the root of the file system", "work/my project/src/a.go", "edit", "src/a.go", true},
		{"the project itself", "List /work/my project", "search", "List /work/my project", true},
		{"a file of another project", "/work/my project 2/a.go", "edit", "/work/my project 2/a.go", true},
		{"a path that goes on before it", "/mnt/work/my project/a.go", "edit", "/mnt/work/my project/a.go", true},
		{"a command stays as it runs", "cat /work/my project/a.go", "execute", "cat /work/my project/a.go", true},
		{"several lines of a command", "cd src &&\nmake", "execute", "cd src && …", false},
		{"a command that is marked as code", "`ls -la`", "execute", "ls -la", true},
		{"two that are", "`ls` and `pwd`", "execute", "`ls` and `pwd`", true},
		{"no title", "", "read", "read (no title)", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, whole := at.Heading(&conversation.ToolCall{Title: c.title, Kind: c.kind})
			if got != c.want || whole != c.whole {
				t.Errorf("%q, whole %v; want %q, whole %v", got, whole, c.want, c.whole)
			}
		})
	}
	for _, dir := range []string{"", "/", "relative"} {
		if got, _ := (Paths{Dir: dir}).Heading(&conversation.ToolCall{Title: "Read /a/b"}); got != "Read /a/b" {
			t.Errorf("in %q: %q", dir, got)
		}
	}
}

// The command is the heading, without what qwen-code and droid append to it.
func TestHeadingIsTheCommandWithoutItsDescription(t *testing.T) {
	for _, c := range []struct{ name, title, raw, want string }{
		{"a description", "rm -rf build (Deletes the build folder)", `{"command":"rm -rf build","description":"Deletes the build folder"}`, "rm -rf build"},
		{"one of two lines", "rm -rf build (Deletes it all)", `{"command":"rm -rf build","description":"Deletes\nit all"}`, "rm -rf build"},
		{"a directory", "make [in src] (Builds)", `{"command":"make","description":"Builds"}`, "make [in src]"},
		{"another command", "ls (Deletes it)", `{"command":"rm -rf build","description":"Deletes it"}`, "ls (Deletes it)"},
		{"a subshell", "(cd src; make)", `{"command":"(cd src; make)","description":"Builds"}`, "(cd src; make)"},
		{"a risk", "`rm -rf build` (high)", `{"command":"rm -rf build","summary":"Delete","riskLevel":"high"}`, "rm -rf build"},
		{"another risk", "rm -rf build (low)", `{"command":"rm -rf build","riskLevel":"high"}`, "rm -rf build (low)"},
		{"no command", "Look (closely)", `{"description":"closely"}`, "Look (closely)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := &conversation.ToolCall{Title: c.title, Kind: acpclient.ToolExecute, RawInput: json.RawMessage(c.raw)}
			if got, whole := (Paths{}).Heading(call); got != c.want || !whole {
				t.Errorf("%q, whole %v; want %q", got, whole, c.want)
			}
		})
	}
}

// A working directory says nothing about a call.
func TestWorks(t *testing.T) {
	line := 3
	at := Paths{Dir: "/work"}
	got := at.ShownLocations([]acpclient.ToolCallLocation{{Path: "/work"}, {Path: "/work/"}, {Path: "/work/a"}, {Path: "/work", Line: &line}})
	if len(got) != 2 || got[0].Path != "/work/a" || got[1].Line == nil {
		t.Errorf("%+v", got)
	}
	if got := (Paths{}).ShownLocations([]acpclient.ToolCallLocation{{Path: "."}}); len(got) != 1 {
		t.Errorf("without a directory: %+v", got)
	}
}

func TestBlock(t *testing.T) {
	size, text, blob := int64(1_500_000), "some text", "QUJD"
	for _, c := range []struct {
		name  string
		block acpclient.ContentBlock
		line  string
		want  Block // its Text and Media
	}{
		{"text", acpclient.TextBlock("**bold**"), "", Block{Text: "**bold**"}},
		{
			"image", acpclient.ImageBlock("image/png", strings.Repeat("A", 4000)), "▣ image image/png  3 KB",
			Block{Media: &Media{Data: strings.Repeat("A", 4000), Ext: ".png", Opens: true}},
		},
		{
			"image from somewhere",
			acpclient.ContentBlock{Type: acpclient.ContentImage, MimeType: "image/PNG", Data: "QUJD", URI: "https://a/b\u202e.png"},
			"▣ image image/PNG  3 bytes, https://a/b⟨U+202E⟩.png",
			Block{Media: &Media{Data: "QUJD", Ext: ".png", Opens: true}},
		},
		{
			"picture that may be a program", acpclient.ImageBlock("image/svg+xml", "QUJD"), "▣ image image/svg+xml  3 bytes",
			Block{Media: &Media{Data: "QUJD", Ext: ".bin"}},
		},
		{
			"audio",
			acpclient.ContentBlock{Type: acpclient.ContentAudio, MimeType: "audio/mpeg", Data: "QUJD"},
			"▣ audio audio/mpeg  3 bytes",
			Block{Media: &Media{Data: "QUJD", Ext: ".mp3", Opens: true}},
		},
		{"link", acpclient.ResourceLinkBlock("docs", "https://a/b%20c"), "▣ link docs  https://a/b%20c", Block{}},
		{"link to a file", acpclient.ResourceLinkBlock("a.go", "file:///a.go"), "▣ file /a.go", Block{}},
		{"link to a file of the project", acpclient.ResourceLinkBlock("src/a b.go", "file:///work/src/a%20b.go"), "▣ file src/a b.go", Block{}},
		{"link to a file by another name", acpclient.ResourceLinkBlock("the notes", "file:///home/ada/n%C3%B6tes.md"), "▣ file the notes  ~/nötes.md", Block{}},
		{"link to lines of a file", acpclient.ResourceLinkBlock("a.go", "file:///work/a.go#L3:9"), "▣ file a.go  a.go#L3:9", Block{}},
		{"link to a file elsewhere", acpclient.ResourceLinkBlock("a.go", "file://host/a.go"), "▣ link a.go  file://host/a.go", Block{}},
		{"link that hides something", acpclient.ResourceLinkBlock("a.go", "file:///work/%E2%80%AEa%0A.go"), "▣ file a.go  ⟨U+202E⟩a␤.go", Block{}},
		{
			"folder",
			acpclient.ContentBlock{Type: acpclient.ContentResourceLink, Name: "src", URI: "file:///work/src", MimeType: "inode/directory"},
			"▣ folder src",
			Block{},
		},
		{
			"link with everything",
			acpclient.ContentBlock{Type: acpclient.ContentResourceLink, Name: "n", Title: "The title", URI: "x:y", MimeType: "text/plain", Size: &size},
			"▣ link The title  x:y, text/plain, 1.5 MB",
			Block{},
		},
		{
			"link with a description",
			acpclient.ContentBlock{Type: acpclient.ContentResourceLink, Name: "n", URI: "x:y", Description: "What we\nagreed on"},
			"▣ link n  x:y, What we agreed on",
			Block{},
		},
		{
			"text of a resource", acpclient.TextResourceBlock("file:///a.txt", "text/plain", text), "▣ file /a.txt  text/plain, 9 bytes",
			Block{Text: text, Media: &Media{Data: text, Plain: true, Ext: ".txt"}},
		},
		{
			"data of a resource",
			acpclient.ContentBlock{Type: acpclient.ContentResource, Resource: &acpclient.ResourceContents{URI: "x:y", Blob: &blob}},
			"▣ resource x:y  3 bytes",
			Block{Media: &Media{Data: blob, Ext: ".bin"}},
		},
		{"resource without any", acpclient.ContentBlock{Type: acpclient.ContentResource}, "▣ content resource  of a kind that parley does not know", Block{}},
		{"unknown", acpclient.ContentBlock{Type: "smell"}, "▣ content smell  of a kind that parley does not know", Block{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Paths{Dir: "/work", Home: "/home/ada"}.Block(&c.block)
			if got.String() != c.line || ansi.Strip(got.Styled(theme.New(true))) != c.line {
				t.Errorf("it says %q, want %q", got.String(), c.line)
			}
			if d := cmp.Diff(c.want, Block{Text: got.Text, Media: got.Media}); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestMediaBytes(t *testing.T) {
	for _, c := range []struct {
		name  string
		media Media
		want  string
		err   string
	}{
		{"base64", Media{Data: "QUJD"}, "ABC", ""},
		{"text", Media{Data: "QUJD", Plain: true}, "QUJD", ""},
		{"damaged", Media{Data: "?"}, "", "the content is damaged: it is not base64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.media.Bytes()
			if string(got) != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
				t.Errorf("got %q and error %v", got, err)
			}
		})
	}
}

func TestExcerptOf(t *testing.T) {
	line := 7
	old := "one\n"
	image := acpclient.ImageBlock("image/png", "QUJD")
	for _, c := range []struct {
		name string
		call conversation.ToolCall
		want Excerpt
	}{
		{"the title alone", conversation.ToolCall{Title: "Think"}, Excerpt{Text: "Think"}},
		{"nothing", conversation.ToolCall{Title: " ", Name: "think"}, Excerpt{}},
		{
			"text and a diff",
			conversation.ToolCall{Title: "Edit", Content: []acpclient.ToolCallContent{
				acpclient.TextContent("done"), acpclient.DiffContent("/a.go", &old, "two\n"), acpclient.DiffContent("/b.go", nil, "new\n"),
			}},
			Excerpt{Text: "Edit\n\ndone\n\n/a.go\ntwo\n\n\n/b.go\nnew\n", Path: "/a.go"},
		},
		{
			"a location comes before a diff",
			conversation.ToolCall{
				Locations: []acpclient.ToolCallLocation{{Path: "/c.go", Line: &line}, {Path: "/d.go"}},
				Content:   []acpclient.ToolCallContent{acpclient.DiffContent("/a.go", nil, "x")},
			},
			Excerpt{Text: "/a.go\nx", Path: "/c.go", Line: 7},
		},
		{
			"the last of the media",
			conversation.ToolCall{Title: "See", Content: []acpclient.ToolCallContent{
				{Type: acpclient.ToolContentBlock, Content: &image}, acpclient.TerminalContent("t"), acpclient.TextContent("that was it"),
			}},
			Excerpt{Text: "See\n\nthat was it", Media: &Media{Data: "QUJD", Ext: ".png", Opens: true}},
		},
		{
			"an unknown kind",
			conversation.ToolCall{Title: "Project", Content: []acpclient.ToolCallContent{{Type: "hologram", Raw: []byte(`{"type":"hologram"}`)}}},
			Excerpt{Text: "Project\n\n{\"type\":\"hologram\"}"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, ExcerptOf(&c.call)); d != "" {
				t.Error(d)
			}
		})
	}
}

// A path of nothing but backticks is written as fast as any other: this test does not end
// otherwise.
func TestChangeOfBackticks(t *testing.T) {
	ticks := strings.Repeat("`", 4<<20)
	c := acpclient.ToolCallContent{Path: ticks, Change: &acpclient.FileChange{Operation: acpclient.FileAdd}}
	if got, want := Change(&c), "Adds "+ticks+"` "+ticks+" `"+ticks; got != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}

// What a program printed is not Markdown, but what an agent has fenced is.
func TestVerbatim(t *testing.T) {
	const output = "def __init__(self):\n    `x`\n"
	for _, kind := range []acpclient.ToolKind{"execute", "read", "search"} {
		if !Verbatim(kind, output) {
			t.Errorf("what a call of kind %s printed is taken for Markdown", kind)
		}
		if !VerbatimWhenAsked(kind, output) || !VerbatimWhenAsked("edit", output) || VerbatimWhenAsked("other", output) {
			t.Errorf("in a question, a call of kind %s or edit is taken for Markdown", kind)
		}
	}
	for _, kind := range []acpclient.ToolKind{"think", "fetch", "other", "edit", "delete", "move", "switch_mode", "", "summon_daemon"} {
		if Verbatim(kind, output) {
			t.Errorf("the text of a call of kind %q is not taken for Markdown", kind)
		}
	}
	for text, fence := range map[string]bool{
		"```console\n$ ls\n```":            true,
		"\n```\na\nb\n```\n\n":             true,
		"````md\n```\nx\n```\n````":        true,
		"```\n```":                         true,
		"```go\nx\n```\ntext\n```\ny\n```": false, // a file that has fences in it
		"text\n```\nx\n```":                false,
		"```\nnever closed":                false,
		"```x``` is code":                  false,
		"``":                               false,
		"":                                 false,
	} {
		if Verbatim("read", text) == fence {
			t.Errorf("%q is fenced: %v, want %v", text, !fence, fence)
		}
	}
}

// The three priorities look different, also without colours.
func TestPrioritiesLookDifferent(t *testing.T) {
	th := theme.New(true)
	for _, status := range []acpclient.PlanEntryStatus{acpclient.PlanPending, acpclient.PlanInProgress} {
		seen := map[string]acpclient.PlanEntryPriority{}
		for _, priority := range []acpclient.PlanEntryPriority{acpclient.PlanHigh, acpclient.PlanMedium, acpclient.PlanLow} {
			e := acpclient.PlanEntry{Content: "the same", Status: status, Priority: priority}
			look := ansi.Strip(strings.Join(Task(e, th, 40), "|"))
			if other, taken := seen[look]; taken {
				t.Errorf("%s and %s both look like %q", other, priority, look)
			}
			seen[look] = priority
		}
	}
}
