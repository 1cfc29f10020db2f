// This file looks for changes in the files of the project, beside the screen: agents send
// parts of files, and do not say which.

package tab

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/toolview"
)

// largestSource is the largest file, in bytes, in which a change is looked for.
const largestSource = 4 << 20

// Sites are the places of changes in their files, as far as they are known.
type diffPositions struct {
	known toolview.DiffPositions
	dir   func() string // of the session
}

// newDiffPositions returns the places of the changes of a tab. dir is its directory at a moment.
func newDiffPositions(dir func() string) *diffPositions { return &diffPositions{dir: dir} }

// Known are the places that are known.
func (s *diffPositions) Known() *toolview.DiffPositions { return &s.known }

// Find looks for the changes of events; it is nil if there is nothing to look for.
func (s *diffPositions) Find(events []conversation.Event) tea.Cmd {
	var wanted []toolview.Fragment
	for _, e := range events {
		for _, f := range toolview.Fragments(changesIn(e)) {
			if s.known.Of(f.Path, &f.Old, f.New) == (toolview.DiffPosition{}) {
				wanted = append(wanted, f)
			}
		}
	}
	return s.Locate(wanted)
}

// diffFragments are the changes of all tool calls of a conversation.
func diffFragments(c *conversation.Conversation) []toolview.Fragment {
	var all []toolview.Fragment
	for _, i := range c.Items {
		if call, ok := i.(*conversation.ToolCall); ok {
			all = append(all, toolview.Fragments(call.Content)...)
		}
	}
	return all
}

// Locate looks for changes in their files, beside the screen.
func (s *diffPositions) Locate(wanted []toolview.Fragment) tea.Cmd {
	if len(wanted) == 0 {
		return nil
	}
	dir := s.dir()
	return inBackground(func() then {
		found := findPositions(dir, wanted)
		return func() tea.Cmd { s.known.Add(found); return nil }
	})
}

// changesIn is the content of a tool call that an event tells of.
func changesIn(e conversation.Event) []acpclient.ToolCallContent {
	switch e := e.(type) {
	case conversation.PermissionOpened:
		return e.Request.ToolCall.Content
	case conversation.Update:
		switch u := e.Update.(type) {
		case *acpclient.ToolCall:
			return u.Content
		case *acpclient.ToolCallUpdate:
			return u.Content
		case *acpclient.ToolCallContentChunk:
			return u.Content
		}
	}
	return nil
}

// lookFor finds those of the changes that can be found in files below dir.
// Every file is read once.
func findPositions(dir string, wanted []toolview.Fragment) map[toolview.Fragment]toolview.DiffPosition {
	found := map[toolview.Fragment]toolview.DiffPosition{}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return found // then no change has a place
	}
	defer func() { _ = root.Close() }()
	files := map[string][]byte{}
	for _, f := range wanted {
		text, known := files[f.Path]
		if !known {
			text, err = source(root, dir, f.Path)
			if errors.Is(err, fs.ErrNotExist) && f.New == "" {
				found[f] = toolview.DiffPosition{Line: 1, Deleted: true}
			}
			if err != nil {
				continue
			}
			files[f.Path] = text
		}
		if at, ok := toolview.Locate(text, f); ok {
			at.Deleted = toolview.Removes(text, f)
			found[f] = at
		}
	}
	return found
}

// source reads a file of the project by the path that an agent has written: no link
// leads out of it, and what is no regular file, or too large, is an error.
func source(root *os.Root, dir, path string) ([]byte, error) {
	name := path
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return nil, err
		}
		name = rel
	}
	if info, err := root.Stat(name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() || info.Size() > largestSource {
		return nil, errors.New("not a source file")
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // nothing was written
	return io.ReadAll(io.LimitReader(file, largestSource))
}
