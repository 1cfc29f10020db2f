package composer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
)

func TestCompletingCommands(t *testing.T) {
	commands := []acpclient.AvailableCommand{
		{Name: "compact", Description: "Shorten the conversation"},
		{Name: "commit", Description: "Write a commit", Input: &acpclient.AvailableCommandInput{Hint: "message"}},
		{Name: "/review", Description: "Look at changes, \x1b[31mall\x1b[0m of them\nand say"},
		{Name: "mcp:docs", Description: "Read"},
		{Name: "not typeable"},
		{Name: "\x1b[2J"},
		{Name: ""},
	}
	for _, tt := range []struct{ name, keys, text, screen, sent string }{
		{"all, in the agent's order", "/", "/", "› /compact   Shorten the conversation\n  /commit    Write a commit\n  /review    Look at changes, all of them and say\n  /mcp:docs  Read\n❯ /", ""},
		{"by letters", "/cmt", "/cmt", "› /commit   Write a commit\n  /compact  Shorten the conversation\n❯ /cmt", ""},
		{"by description, unmarked", "/shor", "/shor", "  /compact  Shorten the conversation\n❯ /shor", ""},
		{"a name that is not there is not replaced", "/shor<enter>", "", "❯", "/shor"},
		{"unless by a mark", "/shor<down><enter>", "", "❯", "/compact"},
		{"or by tab", "/shor<tab>", "/compact", "❯ /compact", ""},
		{"tab takes", "/rev<tab>", "/review", "❯ /review", ""},
		{"enter runs what is marked", "/rev<enter>", "", "❯", "/review"},
		{"also beside a whole name", "/new<down><enter>", "", "❯", "/newer"},
		{"but takes what wants words", "/commi<enter>", "/commit ", "❯ /commit message", ""},
		{"and nothing at random", "/<enter>", "/compact", "❯ /compact", ""},
		{"the whole name is first, then beginnings, then descriptions", "/new", "/new", "› /new    A new one\n  /newer  Describe anew\n  /anew   Do it again\n  /say    All that is new\n❯ /new", ""},
		{"a whole name is sent", "/compact<enter>", "", "❯", "/compact"},
		{"with its hint", "/com<tab>", "/commit ", "❯ /commit message", ""},
		{"down marks the next", "/com<down><enter>", "", "❯", "/compact"},
		{"up from the first is the last", "/com<up><tab>", "/compact", "❯ /compact", ""},
		{"esc closes", "/com<esc>", "/com", "❯ /com", ""},
		{"and it stays closed", "/com<esc>m", "/comm", "❯ /comm", ""},
		{"closed, enter sends", "/com<esc><enter>", "", "❯", "/com"},
		{"a new slash opens again", "/com<esc><ctrl+u>/rev", "/rev", "› /review  Look at changes, all of them and say\n❯ /rev", ""},
		{"only at the start", "a /", "a /", "❯ a /", ""},
		{"not for arguments", "/commit x", "/commit x", "❯ /commit x", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newTest(t, nil)
			list := commands
			if strings.HasPrefix(tt.keys, "/new") {
				list = []acpclient.AvailableCommand{{Name: "say", Description: "All that is new"}, {Name: "anew", Description: "Do it again"}, {Name: "newer", Description: "Describe anew"}, {Name: "new", Description: "A new one"}}
			}
			c.SetCommands(list, nil)
			sent := ""
			if r := play(c, tt.keys); r.Prompt != nil {
				sent = r.Prompt.Text()
			}
			if c.Text() != tt.text || sent != tt.sent {
				t.Errorf("the text is %q, sent %q, want %q and %q", c.Text(), sent, tt.text, tt.sent)
			}
			if got := screen(c); got != tt.screen {
				t.Errorf("the screen is\n%s\nwant\n%s", got, tt.screen)
			}
		})
	}
}

func TestPopupScrollsAndLeavesRoom(t *testing.T) {
	c := newTest(t, nil)
	var list []acpclient.AvailableCommand
	for i := range 30 {
		list = append(list, acpclient.AvailableCommand{Name: fmt.Sprintf("c%02d", i)})
	}
	c.SetCommands(list, nil)
	c.SetMaxHeight(5)
	play(c, "/"+strings.Repeat("<down>", 20))
	if got, want := screen(c), "  /c17\n  /c18\n  /c19\n› /c20\n❯ /"; got != want {
		t.Errorf("the screen is\n%s\nwant\n%s", got, want)
	}
	if c.Height() != 5 || c.PopupHeight() != 4 {
		t.Errorf("height %d, popup %d", c.Height(), c.PopupHeight())
	}
}

func TestCompletingFiles(t *testing.T) {
	files := []string{"a b.txt", "cmd/main.go", "docs/guide.md", "main.go", "main_test.go", "odd\"name.txt"}
	for _, tt := range []struct{ name, keys, text, popup string }{
		{"top level first", "@", "@", "a b.txt cmd/ docs/ main.go main_test.go odd\"name.txt cmd/main.go docs/guide.md"},
		{"names before paths", "@main", "@main", "main.go cmd/main.go main_test.go"},
		{"scattered letters", "@dgm", "@dgm", "docs/guide.md"},
		{"letter case", "@MAIN_", "@MAIN_", "main_test.go"},
		{"paths", "@cmd/m", "@cmd/m", "cmd/main.go"},
		{"tab takes", "see @guide<tab>", "see @docs/guide.md ", ""},
		{"enter takes", "see @guide<enter>", "see @docs/guide.md ", ""},
		{"spaces are quoted", "@a<tab>", `@"a b.txt" `, ""},
		{"quotes are escaped", "@odd<tab>", `@"odd\"name.txt" `, ""},
		{"lines follow the name", "@guide<tab>:10-20 x", "@docs/guide.md:10-20 x", ""},
		{"lines follow a quoted name", "@a<tab>:10", `@"a b.txt":10`, ""},
		{"lines follow nothing else", "@guide<tab><space>:1", "@docs/guide.md  :1", ""},
		{"a directory goes on", "@cmd<tab>", "@cmd/", "cmd/ cmd/main.go"},
		{"in quotes", `@"a b<tab>`, `@"a b.txt" `, ""},
		{"with escapes", `@a\ b<tab>`, `@"a b.txt" `, ""},
		{"in the middle", "see @gui now<left><left><left><left><tab>x", "see @docs/guide.md x" + "now", ""},
		{"not inside of a word", "me@main", "me@main", ""},
		{"after a bracket", "(@guide", "(@guide", "docs/guide.md"},
		{"esc closes", "@main<esc>", "@main", ""},
		{"no match sends", "@nothing.here", "@nothing.here", ""},
		{"a second one", "@guide<tab>@main_<tab>", "@docs/guide.md @main_test.go ", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newTest(t, nil)
			c.index, c.listed = newFileIndex(files), c.Now()
			play(c, tt.keys)
			if c.Text() != tt.text {
				t.Errorf("the text is %q, want %q", c.Text(), tt.text)
			}
			var labels []string
			if c.completion.open() {
				for _, it := range c.completion.items {
					labels = append(labels, it.label)
				}
			}
			if got := strings.Join(labels, " "); got != tt.popup {
				t.Errorf("offered %q, want %q", got, tt.popup)
			}
		})
	}
}

func TestListingFilesOnTheFirstMention(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	c := newTest(t, nil)
	c.Now = func() time.Time { return now }
	write(t, c.Root, "found.txt", "x")
	play(c, "see ")
	_, cmd := c.Key(press("@"))
	if got, want := screen(c), "  listing files…\n❯ see @"; got != want {
		t.Fatalf("the screen is\n%s\nwant\n%s", got, want)
	}
	if play(c, "f"); c.Text() != "see @f" {
		t.Fatalf("typing is held up: %q", c.Text())
	}
	settleCmds(c, cmd)
	if got, want := screen(c), "› found.txt\n❯ see @f"; got != want {
		t.Errorf("the screen is\n%s\nwant\n%s", got, want)
	}

	due := func() bool {
		play(c, "<tab>")
		_, cmd := c.Key(press("@"))
		defer settleCmds(c, cmd)
		return cmd != nil
	}
	if due() {
		t.Error("listed again at once")
	}
	now = now.Add(listAge + time.Second)
	write(t, c.Root, "found too.txt", "x")
	if !due() {
		t.Error("an old list was not read again")
	}
	if got := screen(c); !strings.Contains(got, "found too.txt") {
		t.Errorf("the new file is not offered:\n%s", got)
	}
}

// Commands that come late are offered for what was typed already.
func TestCommandsThatComeLate(t *testing.T) {
	c := newTest(t, nil)
	play(c, "/pl")
	c.SetCommands(planAndCompact, nil)
	if got, want := screen(c), "› /plan  Make a plan\n❯ /pl"; got != want {
		t.Errorf("the screen is\n%s\nwant\n%s", got, want)
	}
}

func TestListingThatFails(t *testing.T) {
	c := newTest(t, nil)
	c.Root = "/nowhere/at all"
	_, cmd := c.Key(press("@"))
	settleCmds(c, cmd)
	if got := screen(c); !strings.Contains(got, "list the files of /nowhere/at all") {
		t.Errorf("the screen is\n%s", got)
	}
	if r := play(c, "<enter>"); r.Prompt == nil {
		t.Error("the popup holds up sending")
	}
}

func TestMessagesOfOtherComposers(t *testing.T) {
	c, other := newTest(t, nil), newTest(t, nil)
	_, cmd := other.Key(press("@"))
	settleCmds(c, cmd)
	if c.index != nil {
		t.Error("took the files of another project")
	}
}

func TestRanking(t *testing.T) {
	x := newFileIndex([]string{"internal/server/session.go", "server.go", "session/readme.md", "web/my-session.ts", "web/sessions/list.ts", "x/se/s/sion.go"})
	want := []string{
		"session/", "web/sessions/", "internal/server/session.go", // names that begin so
		"session/readme.md",    // a path that does
		"web/my-session.ts",    // a name that has it
		"web/sessions/list.ts", // a path that has it
		"x/se/s/sion.go",       // the letters
	}
	list, _, _ := x.match("session")
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
