package dialog

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/internal/test"
)

// questions ask about a text in each place where a person must see all of it.
var questions = map[string]func(Env, string) Dialog{
	"command": func(env Env, s string) Dialog {
		p := runPermission()
		p.Asked.RawInput = []byte(`{"command":` + quote(s) + `}`)
		return NewPermission(env, p, 1)
	},
	"title": func(env Env, s string) Dialog {
		return NewPermission(env, &conversation.Permission{ID: 1, Asked: &conversation.ToolCall{Title: s}}, 1)
	},
	"path": func(env Env, s string) Dialog {
		p := &conversation.Permission{ID: 1, Asked: &conversation.ToolCall{
			Title: "Write", Locations: []acpclient.ToolCallLocation{{Path: s}},
		}}
		return NewPermission(env, p, 1)
	},
	"content": func(env Env, s string) Dialog {
		p := editPermission()
		p.Asked.Content = []acpclient.ToolCallContent{acpclient.DiffContent("a.txt", nil, s)}
		return NewPermission(env, p, 1)
	},
	"option": func(env Env, s string) Dialog {
		p := runPermission()
		p.Options[1].Name = s
		return NewPermission(env, p, 1)
	},
	"message": func(env Env, s string) Dialog {
		e := formElicitation()
		e.Request.Message = s
		return NewElicitation(env, e, "agent")
	},
	"address": func(env Env, s string) Dialog {
		return NewElicitation(env, linkElicitation("https://example.com/"+s), "agent")
	},
	"confirmation": func(env Env, s string) Dialog {
		return NewConfirm(env, Confirmation{Title: "t", Text: s, Choices: []Choice{{Name: "a"}}})
	},
}

// Every character of what a person decides on stands on the screen.
func TestEveryCharacterReachesTheScreen(t *testing.T) {
	names := slices.Sorted(maps.Keys(questions))
	for _, on := range test.TerminalSettings() {
		t.Run(on.String(), func(t *testing.T) {
			test.UseWidthMethod(t, on.Method)
			rapid.Check(t, func(t *rapid.T) {
				env, c := newEnv()
				env.Keys = config.DefaultKeys()
				name := rapid.SampledFrom(names).Draw(t, "question")
				text := strings.ToValidUTF8(test.HardText(16).Draw(t, "text"), "\ufffd")
				d := questions[name](env, text)
				c.pass(time.Second)
				width := rapid.IntRange(10, 200).Draw(t, "width")
				if name == "option" { // a marked name is shown whole
					d.Key(press("down"))
					d.Key(press("down"))
				}
				screen := test.ShowOnTerminal(on.Kind, d.View(width, 2000).Lines, width)
				if name != "content" && name != "message" && name != "confirmation" {
					text = termtext.Visible(text) // what cannot be seen is shown by its number
				}
				if name == "address" {
					text = strings.ReplaceAll(text, " ", "")
				}
				if lost := test.MissingText(screen, text); lost != "" {
					t.Fatalf("the screen lacks %+q\n%s", lost, screen)
				}
			})
		})
	}
}

// What a command does cannot be hidden behind emoji that the terminal draws wider
// than was planned.
func TestEmojiHideNothing(t *testing.T) {
	thumbs := strings.Repeat("👍🏽", 30)
	command := "echo " + thumbs + " ; rm -rf ~/important ; echo ok"
	env, _ := newEnv()
	screen := test.ShowOnTerminal(test.Wcwidth, questions["command"](env, command).View(100, 40).Lines, 100)
	if lost := test.MissingText(screen, command); lost != "" {
		t.Errorf("the screen lacks %q\n%s", lost, screen)
	}
}

// No width of the terminal takes a dash away.
func TestDashesStay(t *testing.T) {
	const command = "npm -- --watch foo-bar --a --b-c"
	env, _ := newEnv()
	for width := 10; width <= 200; width++ {
		for _, name := range []string{"title", "confirmation"} {
			screen := test.ShowOnTerminal(test.Wcwidth, questions[name](env, command).View(width, 200).Lines, width)
			if lost := test.MissingText(screen, command); lost != "" {
				t.Errorf("%s at %d columns: the screen lacks %q\n%s", name, width, lost, screen)
			}
		}
	}
}

// When it turns out how the terminal measures text, questions are laid out anew.
func TestViewFollowsTheMethod(t *testing.T) {
	test.UseWidthMethod(t, termtext.Safe)
	thumbs := strings.Repeat("👍🏽", 10)
	for name, ask := range questions {
		termtext.UseMethod(termtext.Safe)
		env, _ := newEnv()
		d := ask(env, thumbs)
		if name == "address" { // in which thumbs are numbers
			continue
		}
		if got := shownBy(d, 40, 60); strings.Contains(got, thumbs) {
			t.Errorf("%s: 40 cells of thumbs stand on one line:\n%s", name, got)
		}
		termtext.UseMethod(termtext.Graphemes)
		if got := shownBy(d, 40, 60); !strings.Contains(got, thumbs) {
			t.Errorf("%s: 20 cells of thumbs stand on several lines:\n%s", name, got)
		}
	}
}
