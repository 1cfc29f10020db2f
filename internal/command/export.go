package command

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/app"
)

// chooseExport asks for a format and a file, and exports the session as shown, whether or not it is
// stored.
func chooseExport(f Front) {
	c := Choice{Title: "Export this session as", Ask: "As what?"}
	_, title := f.Called()
	for _, format := range app.ExportFormats {
		c.Items = append(c.Items, Item{
			ID: format.Name, Title: format.What, Detail: "." + format.Name,
			Do: func() { askWhere(f, format, format.FileName(title)) },
		})
	}
	f.Choose(c)
}

// exportNamed exports the session to a file whose name has the format, or asks for a file of a format.
func exportNamed(f Front, words string) {
	_, title := f.Called()
	for _, format := range app.ExportFormats {
		switch "." + format.Name {
		case filepath.Ext(words):
			exportTo(f, format, words, false)
			return
		case "." + words:
			askWhere(f, format, format.FileName(title))
			return
		}
	}
	f.Say("name a file that ends in .md, .json or .html")
}

func askWhere(f Front, format app.ExportFormat, name string) {
	f.Ask(app.Question{
		Title: "Export as " + format.What + ", to the file", Entered: name, Hint: "a file's name",
		EnterHere: func(name string) {
			if name = strings.TrimSpace(name); name == "" {
				f.Say("not exported: the file has no name")
				return
			}
			exportTo(f, format, name, false)
		},
	})
}

func exportTo(f Front, format app.ExportFormat, name string, replace bool) {
	l := f.Live()
	called, _ := f.Called()
	e, err := app.NewExport(format, l.Conversation, f.Backend().Redactor(l.Agent), called, f.StoredID(), name)
	if err != nil {
		f.Say("not exported: " + err.Error())
		return
	}
	exportStep(f, e, name, replace)
}

// stepTime bounds how long each step of collecting items may block the front end.
const stepTime = 5 * time.Millisecond

// exportStep collects more items, and writes the file when done.
func exportStep(f Front, e *app.Export, name string, replace bool) {
	if !e.Collect(stepTime) {
		f.InBackground(func(context.Context) func() { return func() { exportStep(f, e, name, replace) } })
		return
	}
	f.InBackground(func(context.Context) func() {
		err := e.Write(replace)
		return func() { exported(f, e, name, err) }
	})
}

// exported reports the outcome. It asks before it replaces a file.
func exported(f Front, e *app.Export, name string, err error) {
	switch {
	case errors.Is(err, fs.ErrExist):
		f.Ask(app.Question{
			Title: "The file already exists", Text: "The session was not exported.", Lines: []string{e.Path},
			Choices: []app.Choice{
				{Name: "Choose another name", Key: "a", Here: func() { askWhere(f, e.Format, name) }},
				{Name: "Replace it", Key: "r", Risky: true, Here: func() { exportTo(f, e.Format, name, true) }},
			},
		})
	case err != nil:
		f.Say("not exported: " + err.Error())
	case !e.Format.Opens:
		f.Say("exported to " + e.Path)
	default:
		f.Ask(app.Question{
			Title: "The session is exported", Text: "It is in the file", Lines: []string{e.Path},
			Choices: []app.Choice{
				{Name: "Open it", Key: "o", Here: func() { f.OpenFile(e.Path) }},
				{Name: "Close", Key: "c"},
			},
		})
	}
}
