package machine

import (
	"context"
	"slices"
	"strings"

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
	if err != nil || text == "" || len(text) > mostUnsaved || !still() { // many clients answer what they do not know with nothing
		return "", false
	}
	file, err := m.fs.Read(ctx, place, nil, nil)
	if err == nil {
		_, err = m.fs.Lines(ctx, text, nil, nil) // it must be text, as a file
	}
	if err != nil || plain(text) == plain(file.Text) || m.gate.wasReplaced(place.Target, text) {
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

// plain returns a text without what editors keep apart from it: the kind of line ends, and the last one.
func plain(text string) string {
	return strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}

// gave records that the agent knows a text of an editor, and reports whether it did not before.
func (g *gate) gave(target, text string) (news bool) {
	v := fs.VersionOf(text)
	g.mu.Lock()
	defer g.mu.Unlock()
	before, known := g.seen.get(target)
	g.seen.put(target, v)
	return !known || !before.Same(v)
}

// mostReplaced limits the texts that are remembered of a file.
const mostReplaced = 16

// replaces records what a write replaces, and what the agent knew of the file: an editor that shows one
// of them has not loaded the file since. It must be called before [gate.saw].
func (g *gate) replaces(target string, before *string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	texts, _ := g.replaced.get(target)
	if known, _ := g.seen.get(target); known.Elsewhere() {
		texts = append(slices.Clone(texts), known)
	}
	if before != nil {
		texts = append(slices.Clone(texts), fs.VersionOf(plain(*before)))
	}
	g.replaced.put(target, texts[max(0, len(texts)-mostReplaced):])
}

// wasReplaced reports whether a text is one that a write has replaced.
func (g *gate) wasReplaced(target, text string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	texts, _ := g.replaced.get(target)
	return slices.ContainsFunc(texts, fs.VersionOf(text).Same) || slices.ContainsFunc(texts, fs.VersionOf(plain(text)).Same)
}
