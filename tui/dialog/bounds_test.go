package dialog

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/tui/theme"
)

var (
	colours = regexp.MustCompile("\x1b\\[[0-9;:]*m")
	links   = regexp.MustCompile("\x1b\\]8;[^\x1b\x07]*(\x1b\\\\|\x07)")
)

// badRune finds a character that must never reach the terminal.
func badRune(line string) (rune, bool) {
	line = links.ReplaceAllString(colours.ReplaceAllString(line, ""), "")
	for _, r := range line {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f {
			return r, true
		}
	}
	return 0, !utf8.ValidString(line)
}

// hostile is text as an agent could send it to do harm.
func hostile(t *rapid.T, name string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "word ", "日本語", "👩‍👩‍👧", "e\u0301", "\x1b[31m", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\", "\x1b[2J", "\x1bP+q\x1b\\",
		"\x00", "\x07", "\b", "\r", "\r\n", "\n", "\t", "\x7f", "\u0085", "\u009b31m", "\u202e", "\u2066", "\u200b", "\u200f", "\ufeff", "\xff\xfe",
		"https://user@xn--80ak6aa92e.com/", "**bold**", "```\n", "|a|b|\n|-|-|\n", "…", "x.y/z", strings.Repeat("long", 30),
	}), 0, 8).Draw(t, name), "")
}

func hostileDialog(t *rapid.T, env Env) Dialog {
	text := func(name string) string { return hostile(t, name) }
	items := func() []Item {
		list := make([]Item, rapid.IntRange(0, 30).Draw(t, "items"))
		for i := range list {
			list[i] = Item{
				ID: text("id"), Title: text("title"), Detail: text("detail"), Group: text("group"),
				Disabled: rapid.Bool().Draw(t, "disabled"), Current: rapid.Bool().Draw(t, "current"),
			}
		}
		return list
	}
	switch rapid.IntRange(0, 7).Draw(t, "kind") {
	case 0:
		old, line := text("old"), 3
		p := &conversation.Permission{ID: 1, Asked: &conversation.ToolCall{
			Title: text("title"), Name: text("name"), Kind: acpclient.ToolKind(text("tool kind")),
			Locations: []acpclient.ToolCallLocation{{Path: text("path"), Line: &line}, {Path: "/" + text("path")}},
			Content: []acpclient.ToolCallContent{
				acpclient.TextContent(text("text")), acpclient.DiffContent(text("path"), &old, text("new")),
				{Type: acpclient.ToolContentType(text("content type"))},
			},
			RawInput: []byte(`{"command":` + quote(text("command")) + `,"cwd":` + quote(text("dir")) + `}`),
		}}
		for range rapid.IntRange(0, 12).Draw(t, "options") {
			p.Options = append(p.Options, acpclient.PermissionOption{
				OptionID: acpclient.PermissionOptionID(text("id")), Name: text("name"),
				Kind: rapid.SampledFrom([]acpclient.PermissionOptionKind{acpclient.AllowOnce, acpclient.RejectOnce, acpclient.AllowAlways, "odd"}).Draw(t, "kind"),
			})
		}
		return NewPermission(env, p, rapid.IntRange(0, 12).Draw(t, "waiting"))
	case 1:
		return NewSelector(env, List{Title: text("title"), Items: items(), Filter: rapid.Bool().Draw(t, "filter"), Empty: text("empty")})
	case 2:
		return NewElicitation(env, linkElicitation(rapid.SampledFrom([]string{"https://", "http://", ""}).Draw(t, "scheme")+text("url")), text("agent"))
	case 3:
		e := formElicitation()
		e.Request.Message, e.Request.RequestedSchema.Title = text("message"), text("title")
		for i := range e.Request.RequestedSchema.Properties {
			s := &e.Request.RequestedSchema.Properties[i].Schema
			s.Title, s.Description, s.Pattern, s.Format = text("title"), text("description"), text("pattern"), text("format")
			s.Default = []byte(quote(text("default")))
			for j := range s.OneOf {
				s.OneOf[j].Title, s.OneOf[j].Description = text("choice"), text("about")
			}
		}
		return NewElicitation(env, e, text("agent"))
	case 4:
		d := NewAuth(env, text("agent"), text("message"), []acpclient.AuthMethod{
			{ID: "1", Name: text("name"), Description: text("description")},
			{ID: "2", Name: text("name"), Type: acpclient.AuthMethodTerminal, Args: []string{text("arg")}},
			{ID: acpclient.AuthMethodID(text("id")), Type: acpclient.AuthMethodType(text("type"))},
		})
		switch rapid.IntRange(0, 2).Draw(t, "state") {
		case 0:
			d.Busy(text("name"))
		case 1:
			d.Failed(errors.New(text("error")))
		}
		return d
	case 5:
		return NewConfirm(env, Confirmation{Title: text("title"), Text: text("text"), Detail: text("detail"), Choices: []Choice{{Name: text("name"), Key: "x"}, {Name: "b"}}})
	case 6:
		c := optionConversation()
		for i := range c.Options {
			c.Options[i].Name, c.Options[i].Description = text("name"), text("description")
		}
		return NewOptions(env, c)
	}
	return NewEntry(env, Entry{Title: text("title"), Text: text("text"), Hint: text("hint")})
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// Whatever the agent sends and the person presses, a dialog stays within its
// bounds and draws no control character.
func TestViewBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env, c := newEnv()
		env.Keys = config.DefaultKeys()
		d := hostileDialog(t, env)
		if rapid.Bool().Draw(t, "armed") {
			c.pass(time.Second)
		}
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				d.Paste(hostile(t, "pasted"))
			case 1:
				d.SetTheme(theme.New(rapid.Bool().Draw(t, "dark")))
			default:
				d.Key(press(rapid.SampledFrom([]string{
					"down", "up", "enter", "pgdown", "pgup", "home", "end", "space", "tab", "shift+tab", "i", "a", "x", "1", "backspace", "left", "right", "ctrl+w", "c", "o",
				}).Draw(t, "key")))
			}
			width, height := rapid.IntRange(0, 140).Draw(t, "width"), rapid.IntRange(0, 45).Draw(t, "height")
			v := d.View(width, height)
			if len(v.Lines) > height {
				t.Fatalf("%d lines where there is room for %d", len(v.Lines), height)
			}
			for i, l := range v.Lines {
				if w := ansi.StringWidth(l); w > width {
					t.Fatalf("line %d is %d wide where there is room for %d: %q", i, w, width, l)
				}
				if r, bad := badRune(l); bad {
					t.Fatalf("line %d holds %U: %q", i, r, l)
				}
			}
			if cur := v.Cursor; cur != nil && (cur.X < 0 || cur.X >= width || cur.Y < 0 || cur.Y >= len(v.Lines)) {
				t.Fatalf("the cursor is at %d,%d of %dx%d", cur.X, cur.Y, width, len(v.Lines))
			}
			for _, h := range d.Hints() {
				if _, bad := badRune(h.Key + h.Text); bad {
					t.Fatalf("hint %q", h)
				}
			}
		}
	})
}
