// This file is where a person has a session written into a file: in what form, under
// which name, and whether it takes the place of another.

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
	"parley/internal/termtext"
	"parley/tui/dialog"
)

// stepTime is how long writing items down may hold up the screen at a time.
const stepTime = 5 * time.Millisecond

// form is a form in which a session can be exported.
type form struct {
	name string // as export.Format knows it, and what the file's name ends with
	what string
	// opens says that the person's programs show such a file as it is meant to look.
	opens bool
}

var forms = []form{
	{name: "md", what: "Markdown"},
	{name: "json", what: "JSON, for programs"},
	{name: "html", what: "a page for a browser", opens: true},
}

// exportSource is the session that is exported.
type exportSource struct {
	Conversation *conversation.Conversation
	// Named is what the person calls it, "" if they have given it no name, and About what
	// else there is to make a file's name of.
	Named, About string
	// Base is where paths begin that the person writes.
	Base string
	// Open shows a file with the program that the person has for it.
	Open func(path string) tea.Cmd
}

// exporter exports one session.
type exporter struct {
	tab  *Tab
	from exportSource
}

// chooseExport asks in what form a session is exported.
func chooseExport(t *Tab, from exportSource) tea.Cmd {
	if from.Conversation == nil || len(from.Conversation.Items) == 0 {
		return t.say("there is nothing to export yet")
	}
	x := &exporter{t, from}
	var items []dialog.Item
	for _, f := range forms {
		items = append(items, dialog.Item{ID: f.name, Title: f.what, Detail: "." + f.name, Do: dialog.Do(func() tea.Cmd {
			x.askWhere(f, x.name()+"."+f.name)
			return nil
		})})
	}
	t.choose(dialog.List{Title: "Export this session as", Items: items})
	return nil
}

// maxFileName bounds the name of a file that parley proposes, in characters.
const maxFileName = 48

// name is the name that is proposed for the file, without its end: that of the
// session in letters and digits.
func (x *exporter) name() string {
	words := strings.FieldsFunc(strings.ToLower(cmp.Or(x.from.Named, x.from.About)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
	name := []rune(strings.Join(words, "-"))
	if len(name) > maxFileName {
		name = name[:maxFileName]
	}
	return cmp.Or(strings.Trim(string(name), "-"), "session")
}

// askWhere asks for the file. It stands in the directory that parley works in, unless
// the person writes another one.
func (x *exporter) askWhere(f form, name string) {
	x.tab.dialogs.Push(dialog.NewEntry(x.tab.env(), dialog.Entry{
		Title: "Export as " + f.what + ", to the file", Text: name, Hint: "a file's name",
		Do: func(name string) tea.Cmd {
			if name = strings.TrimSpace(name); name == "" {
				return x.tab.say("not exported: the file has no name")
			}
			return x.exportTo(f, name, false)
		},
	}))
}

// exporting is how far writing the session down is.
type exporting struct {
	form       form
	name       string // as the person wrote it
	path       string
	replace    bool
	transcript *export.Transcript
	next       int // the item to write down next
}

// exportTo exports the session as it is known here, whether or not it is stored.
func (x *exporter) exportTo(f form, name string, replace bool) tea.Cmd {
	path, err := x.pathOf(name)
	if err != nil {
		return x.tab.say("not exported: " + err.Error())
	}
	e := &exporting{form: f, name: name, path: path, replace: replace, transcript: export.Begin(x.from.Conversation)}
	if x.from.Named != "" {
		e.transcript.Title = x.from.Named
	}
	return x.goOn(e)
}

// pathOf is the path that the person means by a file's name.
func (x *exporter) pathOf(name string) (string, error) {
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
	return filepath.Join(x.from.Base, name), nil
}

// goOn writes some more items down, and the file once all of them are. The items change
// while the agent works, so only in an update they can be read.
func (x *exporter) goOn(e *exporting) tea.Cmd {
	items := x.from.Conversation.Items
	for began := time.Now(); e.next < len(items); e.next++ {
		if time.Since(began) > stepTime {
			return beside(func() then { return func() tea.Cmd { return x.goOn(e) } })
		}
		e.transcript.Add(items[e.next])
	}
	return beside(func() then {
		err := e.write()
		return func() tea.Cmd { return x.exported(e, err) }
	})
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
func (x *exporter) exported(e *exporting, err error) tea.Cmd {
	switch {
	case errors.Is(err, os.ErrExist) && !e.replace:
		x.tab.ask(dialog.Confirmation{
			Title: "There is a file of that name already", Text: "The session was not exported.", Lines: []string{e.path},
			Choices: []dialog.Choice{
				{Name: "Another name", Key: "a", Do: dialog.Do(func() tea.Cmd { x.askWhere(e.form, e.name); return nil })},
				{Name: "Replace it", Key: "r", Risky: true, Do: dialog.Do(func() tea.Cmd { return x.exportTo(e.form, e.name, true) })},
			},
		})
		return nil
	case err != nil:
		return x.tab.say("not exported: " + err.Error())
	case !e.form.opens:
		return x.tab.say("exported to " + e.path)
	}
	x.tab.ask(dialog.Confirmation{
		Title: "The session is exported", Text: "It is in the file", Lines: []string{e.path},
		Choices: []dialog.Choice{
			{Name: "Open it", Key: "o", Do: dialog.Do(func() tea.Cmd {
				return x.from.Open(e.path)
			})},
			{Name: "Close", Key: "c", Do: dialog.Close{}},
		},
	})
	return nil
}

// source is the session, to be exported as it is known here, whether or not it is stored.
func (t *Tab) source() exportSource {
	return exportSource{
		Conversation: t.conv, Named: cmp.Or(t.standing.Name(), termtext.Line(t.back.title)), About: cmp.Or(t.Title(), t.standing.Asked()), Base: t.base,
		Open: func(path string) tea.Cmd { return open(path, func(err error) tea.Msg { return ErrorMsg{Err: err} }) },
	}
}
