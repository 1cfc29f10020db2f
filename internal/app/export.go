package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"parley/internal/conversation"
	"parley/internal/export"
	"parley/internal/record"
	"parley/internal/store"
)

// ExportFormat is a format for exporting a session.
type ExportFormat struct {
	Name string // for [export.Format]; also the file's extension
	What string
	// Opens means that the system displays such a file.
	Opens bool
}

// ExportFormats lists the formats.
var ExportFormats = []ExportFormat{
	{Name: "md", What: "Markdown"},
	{Name: "json", What: "JSON, for programs"},
	{Name: "html", What: "a page for a browser", Opens: true},
}

// exportNameRunes limits a proposed file name.
const exportNameRunes = 48

// FileName proposes a file name for a session with this title.
func (f ExportFormat) FileName(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	name := []rune(strings.Join(words, "-"))
	if len(name) > exportNameRunes {
		name = name[:exportNameRunes]
	}
	return cmp.Or(strings.Trim(string(name), "-"), "session") + "." + f.Name
}

// Export writes a session to a file.
type Export struct {
	Format ExportFormat
	Path   string

	from       *conversation.Conversation
	transcript *export.Transcript
	next       int // index of the next item to add
}

// NewExport begins to export a conversation to the file name that the user gave. title, if not "", is
// the user's name for the session, and id its id in the store.
func NewExport(f ExportFormat, c *conversation.Conversation, secrets *record.Redactor, title string, id store.ID, name string) (*Export, error) {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, fmt.Errorf("cannot find your home directory: %w", err)
		}
		name = filepath.Join(home, rest)
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("cannot find parley's directory: %w", err)
	}
	e := &Export{Format: f, Path: path, from: c, transcript: export.Begin(c, secrets)}
	e.transcript.Title, e.transcript.Stored = cmp.Or(secrets.Text(title), e.transcript.Title), string(id)
	return e, nil
}

// Collect adds items for about the given time, and reports whether it has all. Items change
// while the agent works: call it where events are folded.
func (e *Export) Collect(most time.Duration) (done bool) {
	for began := time.Now(); e.next < len(e.from.Items); e.next++ {
		if time.Since(began) > most {
			return false
		}
		e.transcript.Add(e.from.Items[e.next])
	}
	return true
}

// Write writes the file. Without replace, the error is os.ErrExist if the file exists.
func (e *Export) Write(replace bool) error {
	write, err := export.Format(e.Format.Name)
	if err != nil {
		return err
	}
	to := export.File
	if replace {
		to = export.Replace
	}
	return to(e.Path, func(w io.Writer) error { return write(w, e.transcript) })
}

// StoredTranscript returns a stored session as text, without the secrets that redactor knows for its
// agent.
func StoredTranscript(ctx context.Context, s *store.Store, id store.ID, redactor func(agent string) *record.Redactor) (*export.Transcript, error) {
	stored, err := s.Read(ctx, id)
	if err != nil {
		return nil, err
	}
	secrets := redactor(stored.Meta.Agent)
	t := export.Of(stored.Conversation, secrets)
	t.Title = cmp.Or(secrets.Text(stored.Title), t.Title)
	t.Begun, t.Stored = stored.Meta.Created, string(id)
	return t, nil
}
