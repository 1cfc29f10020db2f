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

// largestSource is the largest file to search, in bytes.
const largestSource = 4 << 20

// diffPositions finds the positions of diffs in the project's files, because agents send
// parts of files without line numbers. It reads files in the background.
type diffPositions struct {
	known toolview.DiffPositions
	dir   func() string // of the session
}

// newDiffPositions returns an empty set of positions. dir returns the session's current
// directory.
func newDiffPositions(dir func() string) *diffPositions { return &diffPositions{dir: dir} }

// Known returns the positions found so far.
func (s *diffPositions) Known() *toolview.DiffPositions { return &s.known }

// Find locates the diffs of events. It returns nil if there are none to locate.
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

// diffFragments returns the diffs of all tool calls of a conversation.
func diffFragments(c *conversation.Conversation) []toolview.Fragment {
	var all []toolview.Fragment
	for _, i := range c.Items {
		if call, ok := i.(*conversation.ToolCall); ok {
			all = append(all, toolview.Fragments(call.Content)...)
		}
	}
	return all
}

// Locate finds the positions of fragments in the background.
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

// changesIn returns the tool-call content of an event.
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

// findPositions returns the positions of the fragments that it finds in files below dir.
// It reads each file once.
func findPositions(dir string, wanted []toolview.Fragment) map[toolview.Fragment]toolview.DiffPosition {
	found := map[toolview.Fragment]toolview.DiffPosition{}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return found // no positions without the directory
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

// source reads a project file by the agent's path. It follows no link out of the project,
// and fails for files that are not regular or too large.
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
	defer func() { _ = file.Close() }() // read only
	return io.ReadAll(io.LimitReader(file, largestSource))
}
