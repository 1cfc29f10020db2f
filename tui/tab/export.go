package tab

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
	"parley/internal/export"
	"parley/internal/safetext"
	"parley/tui/dialog"
)

// exportTime is how long writing items down may hold up the screen at a time.
const exportTime = 5 * time.Millisecond

// exportForm is a form in which a session can be exported.
type exportForm struct {
	name string // as export.Format knows it, and what the file's name ends with
	what string
	// opens says that the person's programs show such a file as it is meant to look.
	opens bool
}

var exportForms = []exportForm{
	{name: "md", what: "Markdown"},
	{name: "json", what: "JSON, for programs"},
	{name: "html", what: "a page for a browser", opens: true},
}

// chooseExport asks in what form the session is exported.
func (t *Tab) chooseExport() tea.Cmd {
	if t.conv == nil || len(t.conv.Items) == 0 {
		return t.desk.Say("there is nothing to export yet")
	}
	var items []dialog.Item
	for _, f := range exportForms {
		items = append(items, dialog.Item{ID: f.name, Title: f.what, Detail: "." + f.name, Do: dialog.Do(func() tea.Cmd {
			t.askWhere(f, t.exportName()+"."+f.name)
			return nil
		})})
	}
	t.desk.List(dialog.List{Title: "Export this session as", Items: items})
	return nil
}

// maxExportName bounds the name of a file that parley proposes, in characters.
const maxExportName = 48

// exportName is the name that is proposed for the file, without its end: that of the
// session in letters and digits.
func (t *Tab) exportName() string {
	words := strings.FieldsFunc(strings.ToLower(cmp.Or(t.name, t.Title(), t.asked)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
	name := []rune(strings.Join(words, "-"))
	if len(name) > maxExportName {
		name = name[:maxExportName]
	}
	return cmp.Or(strings.Trim(string(name), "-"), "session")
}

// askWhere asks for the file. It stands in the directory that parley works in, unless
// the person writes another one.
func (t *Tab) askWhere(f exportForm, name string) {
	t.dialogs.Push(dialog.NewEntry(t.desk.Env(), dialog.Entry{
		Title: "Export as " + f.what + ", to the file", Text: name, Hint: "a file's name",
		Do: func(name string) tea.Cmd {
			if name = strings.TrimSpace(name); name == "" {
				return t.desk.Say("not exported: the file has no name")
			}
			return t.exportTo(f, name, false)
		},
	}))
}

// exportMsg goes on writing the session down, exporting is how far that is.
type exportMsg struct{ *exporting }

type exporting struct {
	form       exportForm
	name       string // as the person wrote it
	path       string
	replace    bool
	from       *conversation.Conversation
	transcript *export.Transcript
	next       int // the item to write down next
}

// exportedMsg says that a session was exported, or why not.
type exportedMsg struct {
	*exporting
	err error
}

// exportTo exports the session as it is known here, whether or not it is stored.
func (t *Tab) exportTo(f exportForm, name string, replace bool) tea.Cmd {
	path, err := t.pathOf(name)
	if err != nil {
		return t.desk.Say("not exported: " + err.Error())
	}
	e := &exporting{form: f, name: name, path: path, replace: replace, from: t.conv, transcript: export.Begin(t.conv)}
	if title := cmp.Or(t.name, safetext.Line(t.back.title)); title != "" {
		e.transcript.Title = title
	}
	return t.exportOn(exportMsg{e})
}

// pathOf is the path that the person means by a file's name.
func (t *Tab) pathOf(name string) (string, error) {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("your home directory is not known: %w", err)
		}
		return filepath.Join(home, rest), nil
	}
	if filepath.IsAbs(name) {
		return filepath.Clean(name), nil
	}
	return filepath.Join(t.base, name), nil
}

// exportOn writes some more items down, and the file once all of them are. The items
// change while the agent works, so only here they can be read.
func (t *Tab) exportOn(e exportMsg) tea.Cmd {
	for began := time.Now(); e.next < len(e.from.Items); e.next++ {
		if time.Since(began) > exportTime {
			return func() tea.Msg { return e }
		}
		e.transcript.Add(e.from.Items[e.next])
	}
	return func() tea.Msg { return exportedMsg{e.exporting, e.write()} }
}

// write writes the file.
func (e *exporting) write() error {
	write, err := export.Format(e.form.name)
	if err != nil {
		return err
	}
	to := export.File
	if e.replace {
		to = export.Replace
	}
	return to(e.path, func(w io.Writer) error { return write(w, e.transcript) })
}

// exported says where the session is now. It asks before a file is replaced.
func (t *Tab) exported(e exportedMsg) tea.Cmd {
	switch {
	case errors.Is(e.err, os.ErrExist) && !e.replace:
		t.desk.Ask(dialog.Confirmation{
			Title: "There is a file of that name already", Text: "The session was not exported.", Lines: []string{e.path},
			Choices: []dialog.Choice{
				{Name: "Another name", Key: "a", Do: dialog.Do(func() tea.Cmd { t.askWhere(e.form, e.name); return nil })},
				{Name: "Replace it", Key: "r", Risky: true, Do: dialog.Do(func() tea.Cmd { return t.exportTo(e.form, e.name, true) })},
			},
		})
		return nil
	case e.err != nil:
		return t.desk.Say("not exported: " + e.err.Error())
	case !e.form.opens:
		return t.desk.Say("exported to " + e.path)
	}
	t.desk.Ask(dialog.Confirmation{
		Title: "The session is exported", Text: "It is in the file", Lines: []string{e.path},
		Choices: []dialog.Choice{
			{Name: "Open it", Key: "o", Do: dialog.Do(func() tea.Cmd {
				return open(e.path, func(err error) tea.Msg { return ErrorMsg{err} })
			})},
			{Name: "Close", Key: "c", Do: dialog.Close{}},
		},
	})
	return nil
}
