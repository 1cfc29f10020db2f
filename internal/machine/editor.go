package machine

import (
	"context"
	"iter"
	"strings"
	"time"

	"parley/acpclient"
	"parley/fs"
	"parley/internal/conversation"
)

// Editor returns a function that asks an editor for the text that it shows of a file, nil if there is no
// editor to ask.
type Editor func() func(ctx context.Context, path string) (text string, err error)

// mostUnsaved limits what is taken from an editor, and the files that it is asked for, in bytes.
const mostUnsaved = 4 << 20

// unsaved returns the text that an editor has of a file, if it has one that the file does not hold. What
// it has is not the file's: the agent knows it, and a write asks unless it has been saved.
//
// An editor runs outside the sandbox, and opens the path itself: it is asked only for what the agent may
// read here, and its answer counts only if nobody has turned the path elsewhere meanwhile.
func (m *Machine) unsaved(ctx context.Context, place fs.ResolvedPath) (text string, ok bool) {
	ask := m.editor()
	if ask == nil || place.File() != nil || fileSize(place.Target) > mostUnsaved {
		return "", false
	}
	still, ok := place.Steady(ctx)
	if !ok {
		return "", false
	}
	text, err := ask(ctx, place.Target)
	text = strings.TrimPrefix(text, byteOrderMark)
	if err != nil || text == "" || len(text) > mostUnsaved || !still() { // many clients answer what they do not know with nothing
		return "", false
	}
	file, err := m.fs.Read(ctx, place, nil, nil)
	if err == nil {
		_, err = m.fs.Lines(ctx, text, nil, nil) // it must be text, as a file
	}
	if err != nil || strings.Count(text, notUTF8) > strings.Count(file.Text, notUTF8) {
		return "", false
	}
	if stale := m.stale(place.Target, plain(text), file.Version.ChangedAt()); stale || plain(text) == plain(file.Text) {
		return "", false
	}
	if m.gate.gave(place.Target, text) {
		m.observer(conversation.NoticeAdded{
			Severity: acpclient.NoticeInfo, Title: m.short(place) + " was read from the editor",
			Detail: "It has unsaved changes there. parley writes to the file on disk.",
		})
	}
	return text, true
}

const (
	byteOrderMark = "\ufeff"
	notUTF8       = "\ufffd" // what JSON makes of bytes that are not UTF-8
)

// plain returns a text without what editors keep apart from it: the byte order mark, the kind of line
// ends, and the last one.
func plain(text string) string {
	text = strings.TrimPrefix(text, byteOrderMark)
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.TrimSuffix(text, "\n")
}

// stale reports whether a text of an editor may be one that the file had before, which the editor has not
// loaded again since: the file has changed since the turn began, or since the editor was first seen to
// have this text, or the journal knows the text as the file's. changed is when the file last changed.
func (m *Machine) stale(target, text string, changed time.Time) bool {
	if m.journal == nil {
		return m.gate.shownSince(target, text, changed)
	}
	began := m.journal.TurnBegan()
	inTurn := !began.IsZero() && changed.Add(fs.SettleTime).After(began)
	if inTurn {
		changed = time.Time{} // the text does not count later either
	}
	return m.gate.shownSince(target, text, changed) || inTurn || m.journal.Had(target, contents(text))
}

// contents are those that a file with a plain text may have.
func contents(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, mark := range []string{"", byteOrderMark} {
			for _, last := range []string{"\n", ""} {
				unix := mark + text + last
				if !yield(unix) || !yield(strings.ReplaceAll(unix, "\n", "\r\n")) {
					return
				}
			}
		}
	}
}

// shown is a text that an editor has of a file.
type shown struct {
	text    fs.Version
	changed time.Time // when the file had last changed, when the editor was first seen to have the text
}

// shownSince reports whether an editor was seen to have a text before the file last changed.
func (g *gate) shownSince(target, text string, changed time.Time) bool {
	now := shown{fs.VersionOf(text), changed}
	g.mu.Lock()
	defer g.mu.Unlock()
	if before, _ := g.shown.get(target); before.text.Same(now.text) {
		now = before
	}
	g.shown.put(target, now)
	return !now.changed.Equal(changed)
}

// gave records that the agent knows a text of an editor, and reports whether it did not before.
func (g *gate) gave(target, text string) (news bool) {
	v := fs.VersionOf(plain(text))
	g.mu.Lock()
	defer g.mu.Unlock()
	before, known := g.seen.get(target)
	g.seen.put(target, v)
	return !known || !before.Same(v)
}

// holds reports whether a file is as the agent knows it; of an editor's text, it need not have the last
// line end, or the same kind of line ends.
func holds(now fs.Current, known fs.Version) bool {
	return now.Version.Same(known) || known.Elsewhere() && now.Text != nil && fs.VersionOf(plain(*now.Text)).Same(known)
}
