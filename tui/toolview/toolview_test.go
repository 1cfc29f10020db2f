package toolview

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
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
		{"neither", "", "\t", termtext.Line, "a tool without a name"},
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
		{"hidden characters", session, "/home/ada/greet/a\u202eb\x1b\n", "a⟨U+202E⟩b␛"},
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
