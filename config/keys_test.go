package config

import (
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	"github.com/google/go-cmp/cmp"
)

func TestParseKey(t *testing.T) {
	for text, want := range map[string]string{
		"enter": "enter", "Return": "enter", "ESCAPE": "esc", "esc": "esc", " ": "space", "space": "space",
		"ctrl+p": "ctrl+p", "Ctrl+P": "ctrl+p", "control+p": "ctrl+p",
		"shift+ctrl+p": "ctrl+shift+p", "super+shift+alt+ctrl+x": "ctrl+alt+shift+super+x",
		"option+1": "alt+1", "cmd+k": "super+k", "Shift+Enter": "shift+enter", "shift+tab": "shift+tab",
		"PgDn": "pgdown", "page_down": "pgdown", "pgdown": "pgdown", "pgup": "pgup", "PageUp": "pgup",
		"del": "delete", "f2": "f2", "F12": "f12", "f63": "f63",
		"g": "g", "G": "G", "shift+g": "G", "shift+G": "G", "Shift+é": "É", "?": "?", "alt+?": "alt+?", "/": "/",
		"+": "+", "ctrl++": "ctrl++", "ctrl+plus": "ctrl++", "ctrl+space": "ctrl+space", "ctrl+ enter": "ctrl+enter",
	} {
		if got, err := parseKey(text); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":            "is empty: write [] for no key",
		"entre":       `is not a known key: did you mean "enter"?`,
		"f64":         `is not a known key: did you mean "f4"?`,
		"crtl+x":      `has an unknown modifier "crtl": did you mean "ctrl"?`,
		"ctrl+ctrl+x": `has "ctrl" twice`,
		"shift+/":     `depends on the keyboard layout: write the resulting character, as in "?"`,
		"ctrl+\x1b":   "is not a character that a key can type",
		"ctrl":        "is not a known key",
		"ctrl+":       "is not a known key",
		"\xff":        "is not a character that a key can type",
	} {
		got, err := parseKey(text)
		if got != "" || err == nil || !strings.HasPrefix(err.message+": "+err.hint, want) {
			t.Errorf("%q: %q, %v; want %s", text, got, err, want)
		}
	}
}

func FuzzParseKey(f *testing.F) {
	f.Add("Ctrl+Shift+P")
	f.Add("shift+ß")
	f.Add("++")
	f.Fuzz(func(t *testing.T, text string) {
		key, err := parseKey(text)
		if err != nil {
			return
		}
		if again, err := parseKey(key); err != nil || again != key {
			t.Errorf("%q gives %q, which gives %q, %v", text, key, again, err)
		}
	})
}

func TestDefaultKeys(t *testing.T) {
	keys := Default(TestActions).Keys
	seen := map[Action]bool{}
	for _, a := range TestActions.List() {
		if a.Help == "" || seen[a.Action] {
			t.Errorf("%+v", a)
		}
		seen[a.Action] = true
		// A default lost to another action would be a conflict between defaults.
		if got := keys.For(a.Action); !slices.Equal(got, a.Keys) {
			t.Errorf("%s: %q, want %q", a.Action, got, a.Keys)
		}
		for _, key := range a.Keys {
			if parsed, err := parseKey(key); err != nil || parsed != key {
				t.Errorf("%s: %q is %q, %v", a.Action, key, parsed, err)
			}
			if got, ok := keys.Action(a.Context, key); !ok || got != a.Action || !keys.Match(a.Action, key) {
				t.Errorf("%q in %s does %q", key, a.Context, got)
			}
		}
	}
	for key, want := range map[string]map[Context]Action{
		"enter":  {ContextPrompt: "send", ContextTranscript: "expand", ContextDialog: "dialog_accept"},
		"y":      {ContextTranscript: "copy", ContextDialog: "allow_once"},
		"ctrl+j": {ContextPrompt: "newline"},
		"q":      {},
	} {
		for _, context := range []Context{ContextPrompt, ContextTranscript, ContextDialog} {
			if got, _ := keys.Action(context, key); got != want[context] {
				t.Errorf("%q in %s does %q, want %q", key, context, got, want[context])
			}
		}
	}
	if keys.Match("no_such_action", "enter") || keys.Match("no_such_action", "nokey") || (Keys{}).Match("send", "enter") {
		t.Error("matched what is not bound")
	}
}

func TestCallersCannotChangeKeys(t *testing.T) {
	keys := Default(TestActions).Keys
	keys.For("send")[0] = "x"
	if !slices.Equal(keys.For("send"), []string{"enter"}) || !slices.Equal(Default(TestActions).Keys.For("send"), []string{"enter"}) {
		t.Error("changed from outside")
	}
}

func TestKeysOfTheFile(t *testing.T) {
	keys := parse(t, `[keys]
palette = ["ctrl+k", "CTRL+K", "f11"]
mode = "f3"       # swapped
model = "f2"
quit = []
copy = "X"
`).Keys
	for action, want := range map[Action][]string{
		"palette": {"ctrl+k", "f11"}, "mode": {"f3"}, "model": {"f2"}, "quit": nil,
		"copy": {"X"}, "send": {"enter"},
	} {
		if got := keys.For(action); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", action, got, want)
		}
	}
	if keys.Match("palette", "ctrl+p") {
		t.Error("the default key stays beside the configured one")
	}
}

func TestBindingsOfTheFile(t *testing.T) {
	keys := parse(t, "[keys]\npalette = [\"ctrl+k\", \"f11\"]\nquit = []\n").Keys
	for action, want := range map[Action]key.Binding{
		"palette": key.NewBinding(key.WithKeys("ctrl+k", "f11"), key.WithHelp("ctrl+k", "Open the palette")),
		"quit":    key.NewBinding(key.WithHelp("", "Quit")),
		"send":    key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "Send the prompt")),
		"no_such": {},
	} {
		got := keys.Binding(action)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(key.Binding{})); diff != "" {
			t.Errorf("%s:\n%s", action, diff)
		}
		if got.Enabled() != (len(keys.For(action)) > 0) {
			t.Errorf("%s is enabled: %t", action, got.Enabled())
		}
	}
}

func TestBadKeys(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"unknown action":         {`sned = "enter"`, `2:1: unknown action "sned" in keys: did you mean "send"?`},
		"unlike any action":      {`launch = "f9"`, `2:1: unknown action "launch" in keys: 'parley config show --all' lists the actions`},
		"one word right":         {`send_prompt = "f9"`, `2:1: unknown action "send_prompt" in keys: did you mean "send"?`},
		"part of a name":         {`history = "f9"`, `2:1: unknown action "history" in keys: did you mean "history_next"?`},
		"taken from a default":   {`palette = "ctrl+o"`, `2:11: keys.palette takes "ctrl+o", the key of "options" in the same context (prompt): "options" has it by default, give that another key too`},
		"taken by a default":     {`options = "ctrl+p"`, `2:11: keys.options takes "ctrl+p", the key of "palette" in the same context (prompt): "palette" has it by default, give that another key too`},
		"two configured":         {"quit = \"f11\"\neditor = \"F11\"", `3:10: keys.editor takes "f11", the key of "quit" in the same context (prompt): give one of them another key`},
		"two configured, turned": {"editor = \"f11\"\nquit = \"F11\"", `3:8: keys.quit takes "f11", the key of "editor" in the same context (prompt): give one of them another key`},
		"in a dialog":            {`allow_once = "n"`, `2:14: keys.allow_once takes "n", the key of "reject_once" in the same context (dialog): "reject_once" has it by default, give that another key too`},
		"not a key":              {`editor = "ctrl+pgdwn"`, `2:10: keys.editor has an invalid key: "ctrl+pgdwn" is not a known key: did you mean "pgdown"?`},
		"empty key":              {`editor = [""]`, `2:10: keys.editor has an invalid key: "" is empty: write [] for no key`},
		"types text":             {`editor = "f"`, `2:10: keys.editor cannot be "f", which types text into the prompt: add a modifier, as in "ctrl+f"`},
		"types a space":          {`send = "shift+space"`, `2:8: keys.send cannot be "shift+space", which types text into the prompt: add a modifier, as in "ctrl+shift+space"`},
		"not text":               {`editor = 3`, `2:10: keys.editor must be a string or a list of strings, not a number`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("config.toml", []byte("[keys]\n"+test.text), TestActions)
			if err == nil {
				t.Fatal("accepted")
			}
			got, _, _ := strings.Cut(err.Error(), "\n")
			if got != "config.toml:"+test.want || len(problems(t, err)) != 1 {
				t.Errorf("%v\nwant %s", err, test.want)
			}
		})
	}
}

func BenchmarkMatch(b *testing.B) {
	keys := Default(TestActions).Keys
	b.ReportAllocs()
	for b.Loop() {
		keys.Match("sessions", "ctrl+p")
	}
}
