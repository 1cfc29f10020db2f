package machine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"parley/acpclient"
	"parley/fs"
	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/session"
)

// ReadTextFile serves fs/read_text_file.
func (m *Machine) ReadTextFile(ctx context.Context, r *acpclient.ReadTextFileRequest) (*acpclient.ReadTextFileResponse, error) {
	if r.Line != nil && *r.Line < 0 || r.Limit != nil && *r.Limit < 0 {
		return nil, invalid("line and limit must not be negative")
	}
	place, err := m.mayRead(ctx, r.Path)
	if err != nil {
		return nil, fileError(r.Path, err)
	}
	size := fileSize(place.Target)
	if m.editor() != nil {
		size += mostUnsaved
	}
	done, err := m.inFlight.take(ctx, size)
	if err != nil {
		return nil, err
	}
	defer done()
	if unsaved, ok := m.unsaved(ctx, place); ok {
		part, err := m.fs.Lines(ctx, unsaved, r.Line, r.Limit)
		return &acpclient.ReadTextFileResponse{Content: part}, err
	}
	text, err := m.fs.Read(ctx, place, r.Line, r.Limit)
	if err != nil {
		return nil, fileError(r.Path, err)
	}
	m.gate.saw(place.Target, text.Version)
	m.announceEncoding(place, text.Encoding)
	return &acpclient.ReadTextFileResponse{Content: text.Text}, nil
}

// mayRead resolves a path, and asks about the file if necessary.
func (m *Machine) mayRead(ctx context.Context, path string) (fs.ResolvedPath, error) {
	place, err := m.fs.Find(path)
	if err != nil {
		return place, err
	}
	rule, err := m.gate.rule(ctx, fileCall(place, false))
	if err != nil || m.gate.judge(place, false, rule) == nil {
		return place, err
	}
	if err := place.File(); err != nil {
		return place, err // there is nothing to ask about
	}
	unlock, err := m.gate.lock(ctx)
	if err != nil {
		return place, err
	}
	defer unlock()
	if q := m.gate.judge(place, false, rule); q != nil { // no answer since then covers it
		err = m.ask(ctx, place, q, nil, "")
	}
	return place, err
}

// WriteTextFile serves fs/write_text_file.
func (m *Machine) WriteTextFile(ctx context.Context, r *acpclient.WriteTextFileRequest) (*acpclient.WriteTextFileResponse, error) {
	const tries = 5
	var place fs.ResolvedPath
	var change fs.Change
	var err error
	for range tries {
		var expected *fs.Version
		if place, expected, err = m.mayWrite(ctx, r); err != nil {
			break
		}
		change, err = m.write(ctx, place, r.Content, expected)
		if errors.Is(err, journal.ErrUnkept) {
			change, err = m.writeUnkept(ctx, place, r.Content)
		}
		if !errors.Is(err, fs.ErrChanged) && !errors.Is(err, fs.ErrMoved) {
			break
		}
	}
	if err != nil {
		return nil, fileError(r.Path, err)
	}
	m.gate.saw(place.Target, change.Version)
	m.announceEncoding(place, change.Encoding)
	m.observer(conversation.FileWritten{Path: change.Path})
	return &acpclient.WriteTextFileResponse{}, nil
}

func (m *Machine) write(ctx context.Context, place fs.ResolvedPath, content string, expected *fs.Version) (fs.Change, error) {
	release, err := m.inFlight.borrow(ctx, int64(len(content))+fileSize(place.Target))
	if err != nil {
		return fs.Change{}, err
	}
	defer release()
	return m.fs.Write(ctx, place, content, expected)
}

// writeUnkept writes a file whose current content the journal cannot keep, if the user
// agrees.
func (m *Machine) writeUnkept(ctx context.Context, place fs.ResolvedPath, content string) (fs.Change, error) {
	unlock, err := m.gate.lock(ctx)
	if err != nil {
		return fs.Change{}, err
	}
	defer unlock()
	now, size, err := m.current(ctx, place)
	if err != nil {
		return fs.Change{}, err
	}
	if !m.gate.mayWrite(place.Target) {
		q := m.gate.judge(place, true, "") // mayWrite has asked about the rule
		if q == nil {
			q = &conversation.FileQuestion{Path: place.Path, Target: place.Target, Write: true, Links: place.Links}
		}
		q.Unkept, q.Hidden = true, size+len(content) > maxShown
		if err := m.ask(ctx, place, q, now.Text, content); err != nil {
			return fs.Change{}, err
		}
	}
	m.journal.Forgo(place.Target)
	return m.write(ctx, place, content, &now.Version)
}

// mayWrite resolves a path, and asks about the write if necessary. expected is the
// version that the file must have when it is written: the one that the agent knows, or
// the one that the user saw in the question; nil means any.
func (m *Machine) mayWrite(ctx context.Context, r *acpclient.WriteTextFileRequest) (place fs.ResolvedPath, expected *fs.Version, err error) {
	if place, err = m.fs.Find(r.Path); err != nil {
		return place, nil, err
	}
	rule, err := m.gate.rule(ctx, fileCall(place, true))
	if err != nil {
		return place, nil, err
	}
	known, knows := m.gate.knows(place.Target)
	switch {
	case m.gate.judge(place, true, rule) != nil:
	case !knows:
		return place, nil, nil
	case place.Version().Same(known):
		return place, &known, nil
	}
	unlock, err := m.gate.lock(ctx)
	if err != nil {
		return place, nil, err
	}
	defer unlock()
	return m.askToWrite(ctx, place, r.Content, rule)
}

// askToWrite compares the file with what the agent knows, and asks about the write if
// there is still a reason to.
func (m *Machine) askToWrite(ctx context.Context, place fs.ResolvedPath, content, rule string) (fs.ResolvedPath, *fs.Version, error) {
	now, size, err := m.current(ctx, place)
	if err != nil {
		return place, nil, err
	}
	known, knows := m.gate.knows(place.Target)
	changed := knows && !holds(now, known)
	q := m.gate.judge(place, true, rule)
	switch {
	case q == nil && !changed:
		return place, &now.Version, nil
	case q == nil && m.unattended:
		return place, nil, invalid(place.Path + " changed on disk since it was read: read it again before you write it")
	case q == nil:
		q = &conversation.FileQuestion{Path: place.Path, Target: place.Target, Write: true, Links: place.Links}
	}
	q.Changed, q.Unsaved = changed, changed && known.Elsewhere()
	q.Hidden = size+len(content) > maxShown
	return place, &now.Version, m.ask(ctx, place, q, now.Text, content)
}

// ask asks the user. It returns nil if the file may be used.
func (m *Machine) ask(ctx context.Context, place fs.ResolvedPath, q *conversation.FileQuestion, before *string, after string) error {
	switch allowed, err := m.gate.ask(ctx, q, before, after); {
	case err != nil || allowed:
		return err
	case m.unattended:
		if err := place.Inside(); err != nil {
			return err
		}
		return invalid(fmt.Sprintf("%s needs the user's permission, but no user can be asked: %s", place.Path, q.Why()))
	case q.Write:
		return invalid("The user denied writing " + q.Path)
	}
	return invalid("The user denied reading " + q.Path)
}

// maxShown limits a change that a question shows, in bytes before and after together,
// because the question is kept as long as the session.
const maxShown = 4 << 20

// current returns the content of the file and its size in bytes. It drops content that is
// too large to show while the user decides.
func (m *Machine) current(ctx context.Context, place fs.ResolvedPath) (now fs.Current, size int, err error) {
	release, err := m.inFlight.borrow(ctx, fileSize(place.Target))
	if err != nil {
		return now, 0, err
	}
	defer release()
	now, err = m.fs.Current(ctx, place)
	if now.Text != nil {
		if size = len(*now.Text); size > maxShown {
			now.Text = nil
		}
	}
	return now, size, err
}

func (m *Machine) announceEncoding(place fs.ResolvedPath, e fs.Encoding) {
	if m.gate.announces(place.Target, e) {
		m.observer(conversation.NoticeAdded{
			Severity: acpclient.NoticeInfo, Title: m.short(place) + " is stored as " + e.String(),
			Detail: "The agent sees UTF-8; parley keeps the file's encoding and byte order mark.",
		})
	}
}

// short returns the path as the agent named it, relative to the working directory if it is there.
func (m *Machine) short(place fs.ResolvedPath) string {
	if rel, err := filepath.Rel(m.cwd, place.Path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return place.Path
}

func fileError(path string, err error) error {
	switch {
	case errors.Is(err, session.ErrCancelled):
		return &acpclient.Error{Code: acpclient.CodeRequestCancelled, Message: err.Error()}
	case errors.Is(err, fs.ErrNotExist):
		return acpclient.NotFoundError(path)
	case errors.Is(err, fs.ErrNotAbsolute), errors.Is(err, fs.ErrOutsideRoots), errors.Is(err, fs.ErrMoved), errors.Is(err, fs.ErrChanged),
		errors.Is(err, fs.ErrNotRegular), errors.Is(err, fs.ErrNotText), errors.Is(err, fs.ErrTooLarge), errors.Is(err, fs.ErrTooDeep):
		return invalid(err.Error())
	}
	return err
}
