package linemode

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/app/command"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// front is the program, as commands of all front ends use it.
type front struct{ p *program }

var _ command.Front = (*front)(nil)

func (f *front) live() *live {
	l, _ := f.p.live()
	return l
}

// Live implements command.Front, as the methods below do.
func (f *front) Live() *app.Live {
	if l := f.live(); l != nil {
		return l.Live
	}
	return nil
}

// Say says it as a sentence.
func (f *front) Say(words string) {
	f.p.out.line(strings.ToUpper(words[:1]) + words[1:] + ".")
}

func (f *front) Ask(q app.Question) { f.p.later(f.p.numbered(q)) }

// Choose writes what cannot be chosen, and numbers the rest.
func (f *front) Choose(c command.Choice) {
	if len(c.Items) == 0 {
		f.p.out.line(c.Empty)
		return
	}
	fixed, q := c.Title+":", &question{text: c.Ask, cancel: func() {}}
	for _, it := range c.Items {
		line := termtext.Line(it.Label)
		if it.Group != "" {
			line += ", " + termtext.Line(it.Group)
		}
		if it.Do == nil {
			fixed += "\n- " + line + ": " + termtext.Line(it.Why)
			continue
		}
		q.choices = append(q.choices, choice{line: line, do: func(string) { it.Do() }})
	}
	if len(q.choices) < len(c.Items) {
		f.p.out.line(fixed)
	}
	if len(q.choices) > 0 {
		q.choices = append(q.choices, choice{line: "None", do: func(string) {}})
		f.p.later(q)
	}
}

func (f *front) Beside(do func(context.Context) func()) {
	f.p.beside(func() func() { return do(f.p.ctx) })
}

func (f *front) Help()                 { f.p.help() }
func (f *front) Quit()                 { f.p.over = true }
func (f *front) Detach()               { f.p.over = true }
func (f *front) Options(words string)  { f.live().options(words) }
func (f *front) Changes(words string)  { f.live().changes(words) }
func (f *front) Rewind(words string)   { f.live().rewind(words) }
func (f *front) Queue(words string)    { f.live().queue(words) }
func (f *front) Sessions(words string) { f.p.switchSession(words) }
func (f *front) NewSession()           { f.p.newSession() }
func (f *front) NewAgent()             { f.p.unlessWorking("Choose another agent", f.p.chooseAgent) }
func (f *front) StartAgain()           { f.p.startAgain() }
func (f *front) SignIn()               { f.live().signIn = f.live().SignIn(conversation.AuthRequired{}) }

// Categories sets the option of the first category that has one.
func (f *front) Categories(words, _ string, of ...acpclient.ConfigCategory) {
	for _, category := range of {
		if o := f.live().Conversation.OptionByCategory(category); o != nil {
			f.live().set(o, words)
			return
		}
	}
}

func (f *front) NoChanges() string {
	if f.live().Session.Journal() == nil {
		return "changes are not recorded: journal = false in the configuration"
	}
	return ""
}

func (f *front) NoRewind() string {
	if f.live().Conversation.Turn.Running {
		return "the agent is working: wait, or /cancel first"
	}
	return f.NoChanges()
}

func (f *front) NoDetach() string {
	if f.live().Running() == "" {
		return "this session ends with parley: start it with 'parley --keep'"
	}
	return ""
}

// Export writes the session to a file, in the format of its name.
func (f *front) Export(file string) {
	l := f.live()
	for _, format := range app.ExportFormats {
		if filepath.Ext(file) != "."+format.Name {
			continue
		}
		e, err := app.NewExport(format, l.Conversation, f.p.opt.Redactor(l.Agent), "", l.StoredID(), f.p.opt.Cwd, file)
		if err == nil {
			for !e.Collect(time.Second) {
			}
			err = e.Write(false)
		}
		switch {
		case errors.Is(err, fs.ErrExist):
			f.Say("not exported: " + e.Path + " already exists")
		case err != nil:
			f.Say("not exported: " + err.Error())
		default:
			f.p.out.line("Exported to " + e.Path + ".")
		}
		return
	}
	f.p.out.line("Which file? /export FILE, whose name ends in .md, .json or .html.")
}
