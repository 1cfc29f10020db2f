package tab

import (
	"cmp"
	"errors"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/dialog"
)

// stepTime bounds how long each step of collecting items may block the screen.
const stepTime = 5 * time.Millisecond

// exportSource is the session to export.
type exportSource struct {
	Conversation *conversation.Conversation
	// Named is the person's name for it, or "". About is a fallback for the file name.
	Named, About string
	// Base is the directory for relative paths.
	Base string
	// Open opens a file with the desktop's program.
	Open func(path string) tea.Cmd
}

// exporter exports one session.
type exporter struct {
	tab  *Tab
	from exportSource
}

// chooseExport asks for the export format.
func chooseExport(t *Tab, from exportSource) tea.Cmd {
	if from.Conversation == nil || len(from.Conversation.Items) == 0 {
		return t.say("nothing to export yet")
	}
	x := &exporter{t, from}
	var items []dialog.Item
	for _, f := range app.ExportFormats {
		items = append(items, dialog.Item{ID: f.Name, Title: f.What, Detail: "." + f.Name, Do: dialog.Do(func() tea.Cmd {
			x.askWhere(f, f.FileName(cmp.Or(from.Named, from.About)))
			return nil
		})})
	}
	t.choose(dialog.List{Title: "Export this session as", Items: items})
	return nil
}

// askWhere asks for the file, relative to parley's working directory.
func (x *exporter) askWhere(f app.ExportFormat, name string) {
	x.tab.dialogs.Push(dialog.NewEntry(x.tab.env(), dialog.Entry{
		Title: "Export as " + f.What + ", to the file", Text: name, Hint: "a file's name",
		Do: func(name string) tea.Cmd {
			if name = strings.TrimSpace(name); name == "" {
				return x.tab.say("not exported: the file has no name")
			}
			return x.exportTo(f, name, false)
		},
	}))
}

// exportTo exports the session as shown, whether or not it is stored.
func (x *exporter) exportTo(f app.ExportFormat, name string, replace bool) tea.Cmd {
	e, err := app.NewExport(f, x.from.Conversation, x.from.Named, x.from.Base, name)
	if err != nil {
		return x.tab.say("not exported: " + err.Error())
	}
	return x.step(e, name, replace)
}

// step collects more items, and writes the file when done.
func (x *exporter) step(e *app.Export, name string, replace bool) tea.Cmd {
	if !e.Collect(stepTime) {
		return inBackground(func() then { return func() tea.Cmd { return x.step(e, name, replace) } })
	}
	return inBackground(func() then {
		err := e.Write(replace)
		return func() tea.Cmd { return x.exported(e, name, replace, err) }
	})
}

// exported reports the outcome. It asks before it replaces a file.
func (x *exporter) exported(e *app.Export, name string, replace bool, err error) tea.Cmd {
	switch {
	case errors.Is(err, os.ErrExist) && !replace:
		x.tab.ask(dialog.Confirmation{
			Title: "The file already exists", Text: "The session was not exported.", Lines: []string{e.Path},
			Choices: []dialog.Choice{
				{Name: "Choose another name", Key: "a", Do: dialog.Do(func() tea.Cmd { x.askWhere(e.Format, name); return nil })},
				{Name: "Replace it", Key: "r", Risky: true, Do: dialog.Do(func() tea.Cmd { return x.exportTo(e.Format, name, true) })},
			},
		})
		return nil
	case err != nil:
		return x.tab.say("not exported: " + err.Error())
	case !e.Format.Opens:
		return x.tab.say("exported to " + e.Path)
	}
	x.tab.ask(dialog.Confirmation{
		Title: "The session is exported", Text: "It is in the file", Lines: []string{e.Path},
		Choices: []dialog.Choice{
			{Name: "Open it", Key: "o", Do: dialog.Do(func() tea.Cmd { return x.from.Open(e.Path) })},
			{Name: "Close", Key: "c", Do: dialog.Close{}},
		},
	})
	return nil
}

// source returns this tab's session for export.
func (ac *actions) source() exportSource {
	t := ac.tab
	return exportSource{
		Conversation: t.conv, Named: cmp.Or(t.info.Name(), termtext.Line(t.stored.title)), About: t.Title(), Base: t.base,
		Open: func(path string) tea.Cmd { return open(path, func(err error) tea.Msg { return ErrorMsg{Err: err} }) },
	}
}
