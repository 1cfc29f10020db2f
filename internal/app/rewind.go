package app

import (
	"cmp"
	"fmt"
	"slices"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/session"
	"parley/internal/termtext"
)

// effects describes the effects of a rewind, in the order in which they are listed.
var effects = []struct {
	effect      journal.Effect
	verb, about string
}{
	{journal.EffectRestore, "restores", ""},
	{journal.EffectDelete, "deletes", ""},
	{journal.EffectRecreate, "recreates", ""},
	{journal.EffectConflict, "leaves", "you have changed the same lines since"},
	{journal.EffectSeen, "leaves", "the change may be your own"},
	{journal.EffectLost, "leaves", "the earlier content was not kept"},
	{journal.EffectReported, "leaves", "only the agent says what it contained"},
	{journal.EffectBlocked, "leaves", ""},
}

// AsReported marks an earlier content of a file that only the agent has reported.
const AsReported = "as reported by the agent"

// Unmarked says that a file has lost its byte order mark.
const Unmarked = "byte order mark removed"

// LinkWords says what a file is if that or what it was is a symbolic link, else "".
func LinkWords(c *journal.Comparison) string {
	to := func(v journal.Version) string {
		switch {
		case v.Absent:
			return ""
		case v.IsLink():
			return "link → " + termtext.VisibleLine(v.Content)
		}
		return "file"
	}
	is, was := to(c.Now), to(c.Before)
	switch {
	case !c.Now.IsLink() && !c.Before.IsLink() || c.Before.Lost:
		return ""
	case was == "":
		return is
	case is == "":
		return "was a " + was
	}
	return is + ", was a " + was
}

// RewindLines describes a plan, one line for each file that it changes, or that it leaves
// alone although it has changed. name shortens a path.
func RewindLines(p *journal.RewindPlan, name func(string) string, chosen ...journal.Part) (lines []string) {
	for _, e := range effects {
		for _, f := range p.Files {
			if f.Effect != e.effect {
				continue
			}
			line, about := e.verb+" "+name(f.Path), cmp.Or(f.Why, e.about)
			if slices.Contains(chosen, f.Part) {
				line, about = "restores "+name(f.Path), "loses what has changed since"
			}
			if f.Added+f.Removed > 0 {
				line += fmt.Sprintf("  +%d −%d", f.Added, f.Removed)
			}
			if about != "" {
				line += ": " + about
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// Unsettled returns the files that a plan leaves alone unless the user chooses them.
func Unsettled(p *journal.RewindPlan) (files []journal.RewindFile) {
	for _, f := range p.Files {
		if f.Effect == journal.EffectConflict || f.Effect == journal.EffectSeen {
			files = append(files, f)
		}
	}
	return files
}

// rewoundTitle titles the notice about rewinding files to before a prompt.
func rewoundTitle(prompt int) string {
	return fmt.Sprintf("Rewound the files to before prompt %d", prompt)
}

// NoteRewind adds a notice to a session that files were rewound to before a prompt, and how to
// undo that.
func NoteRewind(s Session, prompt int, done journal.Done) {
	session.Post(s, session.AddNotice{Severity: acpclient.NoticeInfo, Title: rewoundTitle(prompt), Detail: termtext.Count(len(done.Files), "file") + " changed. /rewind can undo it."})
}

// noteOldRewind adds a notice if the files of a stored session were rewound but its
// conversation continues past the prompt, because parley exited in between.
func noteOldRewind(s Session, c *conversation.Conversation) {
	j := s.Journal()
	if j == nil || j.LastRewind == 0 {
		return
	}
	for _, p := range c.Prompts() {
		if TurnOf(j, p) != j.LastRewind {
			continue
		}
		for _, item := range c.Items[p.Item:] {
			if n, ok := item.(*conversation.Note); ok && n.Title == rewoundTitle(p.Number) {
				return
			}
		}
		session.Post(s, session.AddNotice{Severity: acpclient.NoticeWarning, Title: rewoundTitle(p.Number), Detail: "The conversation was not rewound. Undo or finish it with /rewind."})
	}
}
