package dialog

import (
	"strings"
	"testing"

	"parley/internal/conversation"
)

// aboutOne is a question of parley's own, as the fold makes it.
func aboutOne(q *conversation.FileQuestion, before *string, after string) *conversation.Permission {
	c := conversation.New()
	c.Apply(conversation.PermissionOpened{ID: 7, Request: conversation.FileRequest(q, before, after), File: q})
	return c.Permissions[0]
}

// The dialog says that parley asks, which file it is, by its whole path, and every
// reason.
func TestFileQuestion(t *testing.T) {
	old := "the old text\n"
	for name, tt := range map[string]struct {
		question     conversation.FileQuestion
		before       *string
		shows, shuns []string
	}{
		"outside, by a link": {
			question: conversation.FileQuestion{Path: "/w/link\u202e", Target: "/etc/ho\x1bsts", Outside: true, Folder: "/etc"},
			shows:    []string{"read this file", "/etc/ho", "by the path /w/link", "outside the session's directories", "files directly in /etc/"},
			shuns:    []string{"secrets", "changed", "hard links"},
		},
		"a secret of parley's with two names": {
			question: conversation.FileQuestion{Path: "/w/.env", Target: "/w/.env", Secret: ".env", Own: true, Links: 2},
			shows:    []string{"may hold secrets: .env", "belongs to parley itself", "2 names (hard links)", "reading this file in this session"},
			shuns:    []string{"outside", "by the path", "Only this one gets the new content"},
		},
		"a changed file that is run": {
			question: conversation.FileQuestion{Path: "/w/.git/hooks/x", Target: "/w/.git/hooks/x", Write: true, Runs: ".git", Changed: true, Links: 3},
			before:   &old,
			shows:    []string{"write this file", "take commands from it: .git", "changed on disk", "3 names", "Only this one gets the new content", "the old text", "the new text"},
			shuns:    []string{"removed", "too large"},
		},
		"a removed file": {
			question: conversation.FileQuestion{Path: "/w/a", Target: "/w/a", Write: true, Changed: true},
			shows:    []string{"was removed", "the new text"},
			shuns:    []string{"has changed"},
		},
		"a large change": {
			question: conversation.FileQuestion{Path: "/a", Target: "/a", Write: true, Outside: true, Hidden: true, Changed: true},
			before:   &old,
			shows:    []string{"too large to show", "changed on disk"},
			shuns:    []string{"the new text", "removed"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := armed(aboutOne(&tt.question, tt.before, "the new text\n"))
			text := shownBy(d, 120, 60)
			if !strings.HasPrefix(text, "parley asks") {
				t.Errorf("it does not say who asks:\n%s", text)
			}
			for _, want := range tt.shows {
				if !strings.Contains(text, want) {
					t.Errorf("it does not show %q:\n%s", want, text)
				}
			}
			for _, no := range tt.shuns {
				if strings.Contains(text, no) {
					t.Errorf("it shows %q:\n%s", no, text)
				}
			}
			if strings.ContainsAny(text, "\x1b\u202e") {
				t.Errorf("it draws a path raw: %q", text)
			}
		})
	}
}

// Once and no take one key, the session two; nothing else answers.
func TestFileQuestionKeys(t *testing.T) {
	q := &conversation.FileQuestion{Path: "/etc/hosts", Target: "/etc/hosts", Outside: true}
	for keys, want := range map[string]Action{
		"y": Answer{7, conversation.FileOnce}, "n": Answer{7, conversation.FileNo}, "1": Answer{7, conversation.FileOnce}, "3": Answer{7, conversation.FileNo},
		"2": nil, "2 enter": Answer{7, conversation.FileSession}, "enter": nil,
	} {
		d, _ := armed(aboutOne(q, nil, ""))
		if got := presses(t, d, strings.Fields(keys)...); got != want {
			t.Errorf("%s does %#v, want %#v", keys, got, want)
		}
	}
}

// An agent cannot make a question of its own look like one of parley's.
func TestAgentsQuestionIsNotParleys(t *testing.T) {
	p := aboutOne(&conversation.FileQuestion{Path: "/a", Target: "/a"}, nil, "")
	p.File = nil
	d, _ := armed(p)
	if text := shownBy(d, 100, 40); !strings.HasPrefix(text, "Permission") || strings.Contains(text, "The agent wants parley to") {
		t.Errorf("an agent's question is drawn as parley's:\n%s", text)
	}
}
