package config

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestKeptSessions(t *testing.T) {
	if c := parse(t, "[host]\nkeep = true"); c.Host != (Host{Keep: true, Idle: 12 * time.Hour}) {
		t.Errorf("%+v", c.Host)
	}
	c := parse(t, "[host]\nidle = \"1h30m\"\n[notify]\ncommand = [\"mail\", \"me\"]")
	if c.Host != (Host{Idle: 90 * time.Minute}) || !slices.Equal(c.NotifyCommand, []string{"mail", "me"}) {
		t.Errorf("%+v, %q", c.Host, c.NotifyCommand)
	}
	for text, want := range map[string]string{
		"[host]\nidle = 12":                 `2:8: host.idle must be a time such as "12h", not a number`,
		"[host]\nidle = \"2 days\"":         `2:8: host.idle cannot be "2 days": write hours and minutes, as in "1h30m"`,
		"[host]\nidle = \"59s\"":            `2:8: host.idle must be at least "1m"`,
		"[host]\nidle = \"-1h\"":            `2:8: host.idle must be at least "1m"`,
		"[host]\nkeeps = true":              `2:1: unknown key "keeps" in host: did you mean "keep"?`,
		"[notify]\ncommand = \"mail me\"":   `2:11: notify.command must be a list of strings, not a string`,
		"[notify]\ncommand = [\"\", \"x\"]": `2:11: notify.command is empty: name a program first`,
	} {
		if _, err := Parse("config.toml", []byte(text), TestActions); err == nil || !strings.HasPrefix(err.Error(), "config.toml:"+want+"\n") {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}

// Settings of [attention] that are in a section with a similar name find the way back.
func TestNotifyIsNotAttention(t *testing.T) {
	for text, want := range map[string]string{
		"[notify]\nwhen = \"always\"":      `unknown key "when" in notify: [attention] sets the notifications of the terminal`,
		"[notify]\nnotify = \"bell\"":      `unknown key "notify" in notify: [attention] sets the notifications of the terminal`,
		"[notify]\ncomand = [\"x\"]":       `unknown key "comand" in notify: did you mean "command"?`,
		"[notify]\ncmd = [\"x\"]":          `unknown key "cmd" in notify: did you mean "command"?`,
		"notify = true":                    `notify must be a table, not true or false: [attention] sets the notifications of the terminal`,
		"[notification]\nwhen = \"never\"": `unknown key "notification": did you mean "attention"?`,
		"notifications = false":            `unknown key "notifications": did you mean "attention"?`,
	} {
		_, err := Parse("config.toml", []byte(text), TestActions)
		if err == nil || len(problems(t, err)) != 1 || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}

// On a system without kept sessions their settings are no mistakes, but said to do nothing.
func TestIneffectiveSettings(t *testing.T) {
	const windows = "[host] and [notify] have no effect: kept sessions are not available on Windows"
	for text, want := range map[string]string{
		"[host]\nkeep = true":              windows,
		"[host]\nidle = \"1h\"":            windows,
		"[notify]\ncommand = [\"mail\"]":   windows,
		"theme = \"dark\"":                 "",
		"[host]\nkeep = false\n[notify]\n": "",
	} {
		c := parse(t, text)
		if got := c.Ineffective("windows"); got != want {
			t.Errorf("%q on Windows: %q, want %q", text, got, want)
		}
		if got := c.Ineffective("linux"); got != "" {
			t.Errorf("%q on Linux: %q", text, got)
		}
	}
}
