package tab

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/record"
	"parley/internal/session"
	"parley/internal/termtext"
)

// ShowSessions lists the sessions.
func (t *Tab) ShowSessions() tea.Cmd { return t.address(t.front(command.ChooseSession)) }

// openSession opens another of the agent's sessions: here if that loses no turn, queued
// prompt or transcript that is not stored, else in a new tab.
func (l *live) openSession(info acpclient.SessionInfo) tea.Cmd {
	t, c := l.tab, l.Conversation
	switch {
	case info.SessionID == c.ID:
		return nil
	case info.Cwd != "" && filepath.Clean(info.Cwd) != filepath.Clean(t.cwd):
		return t.try(l.Session, session.OpenSession{Info: info}) // reports the error
	case c.Turn.Running || len(c.Queue) > 0 || len(c.Items) > 0 && t.StoredID() == "":
		return t.openBeside(app.Spec{Agent: &l.Agent, Cwd: t.cwd, Session: info.SessionID})
	}
	return t.try(l.Session, session.OpenSession{Info: info})
}

// stepTime bounds how long each step of collecting items may block the screen.
const stepTime = 5 * time.Millisecond

// exporter exports one session as shown, whether or not it is stored.
type exporter struct {
	*ui
	title string // of the session, for the file's name
	// begin begins an export to a file, relative to parley's working directory.
	begin func(f app.ExportFormat, file string) (*app.Export, error)
	// open opens a file with the desktop's program.
	open func(path string) tea.Cmd
}

// export asks how to export the session.
func (l *live) export() {
	t := l.tab
	named := cmp.Or(t.info.Name(), termtext.Line(t.stored.title))
	x := &exporter{
		ui: t.ui, title: cmp.Or(named, t.Title()),
		begin: func(f app.ExportFormat, file string) (*app.Export, error) {
			return app.NewExport(f, l.Conversation, t.Redactor(), named, t.StoredID(), t.base, file)
		},
		open: func(path string) tea.Cmd { return open(path, t.sayIf) },
	}
	x.choose()
}

// Redactor removes what is secret about the tab's agent from what leaves the machine.
func (t *Tab) Redactor() *record.Redactor { return t.program.Redactor(t.state.agent()) }

// choose asks for the export format.
func (x *exporter) choose() {
	var items []command.Item
	for _, f := range app.ExportFormats {
		items = append(items, command.Item{ID: f.Name, Title: f.What, Detail: "." + f.Name, Do: func() { x.askWhere(f, f.FileName(x.title)) }})
	}
	x.ui.choose(command.Choice{Title: "Export this session as", Items: items})
}

// askWhere asks for the file.
func (x *exporter) askWhere(f app.ExportFormat, name string) {
	x.ask(app.Question{
		Title: "Export as " + f.What + ", to the file", Entered: name, Hint: "a file's name",
		EnterHere: func(name string) {
			if name = strings.TrimSpace(name); name == "" {
				x.acting.Say("not exported: the file has no name")
				return
			}
			x.acting.add(x.exportTo(f, name, false))
		},
	})
}

// exportTo exports the session to a file.
func (x *exporter) exportTo(f app.ExportFormat, name string, replace bool) tea.Cmd {
	e, err := x.begin(f, name)
	if err != nil {
		return x.say("not exported: " + err.Error())
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
		x.ask(app.Question{
			Title: "The file already exists", Text: "The session was not exported.", Lines: []string{e.Path},
			Choices: []app.Choice{
				{Name: "Choose another name", Key: "a", Here: func() { x.askWhere(e.Format, name) }},
				{Name: "Replace it", Key: "r", Risky: true, Here: func() { x.acting.add(x.exportTo(e.Format, name, true)) }},
			},
		})
		return nil
	case err != nil:
		return x.say("not exported: " + err.Error())
	case !e.Format.Opens:
		return x.say("exported to " + e.Path)
	}
	x.ask(app.Question{
		Title: "The session is exported", Text: "It is in the file", Lines: []string{e.Path},
		Choices: []app.Choice{
			{Name: "Open it", Key: "o", Here: func() { x.acting.add(x.open(e.Path)) }},
			{Name: "Close", Key: "c"},
		},
	})
	return nil
}
