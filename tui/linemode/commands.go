package linemode

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/compare"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// rows are the commands, in the order of /help: those of all front ends, and line mode's own.
// The names of a row are Names and Slash.
func (f *front) rows() command.Rows[command.Common] {
	type row = command.Row[command.Common]
	own := func(name, plain string, do func()) row {
		return row{Slash: name, Help: plain, Do: command.Common{Plain: plain, Do: func(command.Front) { do() }}}
	}
	inSession := func(name, plain string, do func(*live)) row {
		return row{Slash: name, Help: plain, Do: command.Common{Session: true, Plain: plain, Do: func(command.Front) { do(f.live()) }}}
	}
	return append(
		command.Commands(),
		row{ID: command.Cancel, Slash: "cancel", Help: "Cancel", Do: command.Common{
			Plain: "cancel the turn, or parley's own question", Do: func(command.Front) { f.p.cancel() },
		}},
		own("again", "repeat the question", f.p.repeat),
		inSession("send", "send the queued prompts", (*live).sendQueue),
		inSession("now", "send a prompt into the running turn, or after cancelling it: /now PROMPT", func(*live) { f.sendNow() }),
		own("show", "show all of tool call N: /show N", func() { f.p.showCall(f.words) }),
		own("compare", "list the comparisons of agents here", f.compare),
		inSession("status", "show agent, session and mode", (*live).status),
		inSession("commands", "list the agent's own commands, and your prompts", (*live).agentCommands),
		inSession("run", "run a command of your own: /run COMMAND, or !COMMAND", func(l *live) { l.run(f.words) }),
		inSession("type", "type a line into your running command: /type LINE", func(l *live) { l.typeInto(f.words) }),
		inSession("end", "stop your running command", (*live).endCommand),
		inSession("add", "add the output of your last command to your next prompt", (*live).addOutput),
		inSession("stop", "stop an agent that does not respond", func(l *live) { session.Post(l.Session, session.Kill{}) }),
	)
}

// compare says what agents were compared here.
func (f *front) compare() {
	dir, now := f.Cwd(), time.Now()
	f.InBackground(func(ctx context.Context) func() {
		words, err := compare.Words(ctx, dir, now)
		return func() {
			if err != nil {
				words = err.Error()
			}
			f.p.out.lines(words)
		}
	})
}

// names are the names of a command.
func names(r command.Row[command.Common]) []string { return strings.Fields(r.Do.Names + " " + r.Slash) }

// named returns the command of a name, nil if there is none. Without others it is one that
// comes before the agent's, by its own name.
func (f *front) named(name string, others bool) *command.Row[command.Common] {
	all := f.rows()
	i := slices.IndexFunc(all, func(r command.Row[command.Common]) bool {
		names := names(r)
		return len(names) > 0 && names[0] == name && (r.Do.Plain != "" || others)
	})
	if i < 0 && others {
		i = slices.IndexFunc(all, func(r command.Row[command.Common]) bool { return slices.Contains(names(r), name) })
	}
	if i < 0 {
		return nil
	}
	return &all[i]
}

// line handles a typed line.
func (p *program) line(line typed) {
	p.out.answered()
	p.left = time.Time{}
	if p.question != nil {
		p.answer(line)
		return
	}
	text := line.text
	if head, continues := strings.CutSuffix(text, `\`); continues {
		p.draft = append(p.draft, head)
		p.out.prompt("… ")
		return
	}
	text = strings.TrimSpace(strings.Join(append(p.draft, text), "\n"))
	p.draft = nil
	switch {
	case text == "":
	case strings.HasPrefix(text, "//"):
		p.send(text[1:])
	case strings.HasPrefix(text, "/"):
		p.command(text)
	case strings.HasPrefix(text, "!"):
		p.command("/run " + text[1:])
	default:
		p.send(text)
	}
}

// command runs a command: parley's own, or the agent's.
func (p *program) command(text string) {
	asked := len(p.own)
	defer func() { // the next number answers the open question
		if p.question != nil && len(p.own) > asked {
			p.out.line("This is asked next: answer the question first, or /cancel it.")
		}
	}()
	name, words, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	f := &front{p: p, name: name, words: strings.TrimSpace(words)}
	if c := f.named(name, false); c != nil {
		f.run(c.Do)
		return
	}
	for _, c := range p.out.conv.Commands {
		if c.Name == name {
			p.send(text)
			return
		}
	}
	if l, open := p.live(); open {
		for _, t := range app.Templates(l.Session) {
			if t.Name == name {
				p.send(t.With(f.words))
				return
			}
		}
	}
	if c := f.named(name, true); c != nil {
		f.run(c.Do)
		return
	}
	p.out.line(fmt.Sprintf("No command /%s. /help lists parley's commands, /commands the agent's; //%s sends it anyway.", name, name))
}

// run does a command, or says why it cannot be done now.
func (f *front) run(c command.Common) {
	f.p.take() // what the command before has done counts
	l, open := f.p.live()
	switch {
	case !open && c.Session && !c.Begins:
		f.p.out.line(noSession)
		return
	case open && c.Waits && !l.opened():
		return
	case open && c.Why != nil:
		if why := c.Why(f); why != "" {
			f.Say(why)
			return
		}
	}
	if c.With != nil && f.words != "" {
		c.With(f, f.words)
		return
	}
	c.Do(f)
}

// repeat writes the open question again.
func (p *program) repeat() {
	if p.question == nil {
		p.out.line("No question is open.")
		return
	}
	p.show(p.question)
}

// Help implements command.Front.
func (f *front) Help() {
	lines := []string{"What you type is sent to the agent. A line that ends with \\ continues on the next one. @path mentions a file, !command runs your own command.", "Commands:"}
	for _, r := range f.rows() {
		if names := names(r); len(names) > 0 {
			lines = append(lines, "/"+names[0]+": "+cmp.Or(r.Do.Plain, strings.ToLower(r.Help[:1])+r.Help[1:]))
		}
	}
	lines = append(lines, "Answer a question with a number. ctrl+c cancels the turn; again, it quits, as ctrl+d does.")
	f.p.out.words(lines...)
}

const noSession = "No open session."

// opened reports whether the session is open, and prints a line if it is not.
func (l *live) opened() bool {
	if l.Conversation.Phase != conversation.PhaseReady {
		l.p.out.line(noSession)
		return false
	}
	return true
}

// cancel cancels the turn, or closes parley's own question.
func (p *program) cancel() {
	l, open := p.live()
	switch q := p.question; {
	case q != nil && q.Closed != nil:
		p.question = nil
		q.Closed()
		p.take()
	case q != nil:
		p.out.line("Answer this question first.")
	case open && l.Conversation.Opening():
		p.out.line("No turn is running. /stop stops the agent.")
	case open && l.Conversation.WaitsForLimit():
		session.Post(l.Session, session.StopWaiting{})
		p.out.line("No more waiting for the limit. The queue is paused.")
	case !open || !l.cancel():
		p.out.line("No turn is running.")
	default:
		p.out.line("Cancelling.")
	}
}

// cancel cancels the turn, and reports whether one is running.
func (l *live) cancel() bool {
	running, err := session.Do(l.p.ctx, l.Session, session.Cancel{})
	return running && err == nil
}

func (l *live) sendQueue() {
	switch {
	case len(l.Conversation.Queue) == 0:
		l.p.out.line("The queue is empty.")
	case l.Conversation.Turn.Running:
		l.p.out.line("It will be sent when the turn ends.")
	case l.opened():
		session.Post(l.Session, session.ResumeQueue{})
	}
}

// sendNow sends a prompt at once.
func (f *front) sendNow() {
	if f.words == "" {
		f.p.out.line("Which prompt? /now PROMPT.")
		return
	}
	command.SendAtOnce(f, f.live().content(f.words))
	f.p.take()
}

// showCall writes the tool call with a number.
func (p *program) showCall(words string) {
	n, err := strconv.Atoi(words)
	if err != nil || n < 1 || n > len(p.out.calls) {
		p.out.line("No such tool call.")
		return
	}
	p.writeCall(p.out.calls[n-1])
}

// writeCall writes a tool call in full.
func (p *program) writeCall(t *conversation.ToolCall) {
	var facts *toolview.Facts
	if l, open := p.live(); open {
		facts = &l.facts
	}
	p.out.line(toolview.PermissionQuestion(p.out.conv, &conversation.Permission{Asked: t, ToolCall: t}, facts).Text)
	if given := strings.TrimRight(toolview.Output(t), "\n"); given != "" {
		p.out.line("\n# output\n" + termtext.VisibleBlanks(given))
	}
}

func (l *live) status() {
	c := l.Conversation
	lines := []string{"Agent: " + termtext.Line(l.Agent.Name), "Directory: " + toolview.PathsIn("").Path(c.Cwd)}
	for i := range c.Options {
		o := &c.Options[i]
		lines = append(lines, termtext.Line(o.Name)+": "+command.OptionText(c, o))
	}
	switch {
	case c.Gone():
		lines = append(lines, l.GoneText()+".")
	case c.Opening():
		lines = append(lines, "The agent has not opened the session yet. /stop stops it.")
	case !c.Turn.Cancelling.IsZero():
		lines = append(lines, "The agent has not ended the cancelled turn. /stop stops it.")
	default:
		lines = append(lines, termtext.Capital(app.OverviewOf(&c.State, l.Session.Journal()).State())+".")
	}
	if c.Usage != nil && c.Usage.Size > 0 {
		lines = append(lines, fmt.Sprintf("Context: %d of %d tokens used", c.Usage.Used, c.Usage.Size))
	}
	l.p.out.line(strings.Join(lines, "\n"))
}

func (l *live) agentCommands() {
	if len(l.Conversation.Commands) == 0 {
		l.p.out.line("The agent has no commands.")
	}
	for _, c := range l.Conversation.Commands {
		l.p.out.line("/" + termtext.Line(c.Name) + ": " + termtext.Line(c.Description))
	}
	for _, t := range app.Templates(l.Session) {
		agents := slices.ContainsFunc(l.Conversation.Commands, func(c acpclient.AvailableCommand) bool { return c.Name == t.Name })
		if own := (&front{p: l.p}).named(t.Name, true); agents || own != nil {
			l.p.out.line("Your prompt /" + t.Name + " is hidden: there is a command of this name.")
			continue
		}
		l.p.out.line("/" + t.Name + ": your prompt: " + t.About)
	}
}

func (p *program) newSession() {
	l, open := p.live()
	if !open {
		p.chooseAgent()
		return
	}
	p.unlessWorking("Open a new session", func() { p.open(app.Spec{Agent: &l.Agent}) })
}

// unlessWorking calls do, which ends the session. It asks first if the agent is working.
func (p *program) unlessWorking(what string, do func()) {
	if p.question != nil {
		p.out.line("Answer the question first, or /cancel it.")
		return
	}
	if !p.out.conv.Turn.Running {
		do()
		return
	}
	p.later(&question{Question: app.Question{
		Text: "The agent is working; this stops it in the middle of its turn.", Choices: []app.Choice{{Name: "Keep waiting"}, {Name: what, Here: do}},
	}})
}

// The size of the terminal for the user's commands. Their output is read line by line.
const commandCols, commandRows = 80, 24

// run runs the user's own command.
func (l *live) run(line string) {
	if line == "" {
		l.p.out.line("Which command? /run COMMAND, or !COMMAND.")
		return
	}
	l.p.inBackground(func() func() {
		_, err := session.Do(l.p.ctx, l.Session, session.StartShell{Spec: session.ShellSpec{Line: line, Cols: commandCols, Rows: commandRows}})
		return func() {
			if err != nil {
				l.p.out.line("Cannot run the command: " + err.Error())
			}
			l.p.take()
		}
	})
}

// running returns the user's newest running command, or nil.
func (l *live) running() *conversation.Terminal {
	for _, term := range slices.Backward(l.Conversation.Running()) {
		if term.Personal {
			return term
		}
	}
	return nil
}

// typeInto types a line into the running command.
func (l *live) typeInto(line string) {
	term := l.running()
	if term == nil {
		l.p.out.line("No command is running.")
		return
	}
	if err := session.Try(l.p.ctx, l.Session, session.TypeInto{ID: term.ID, Data: []byte(line + "\r")}); err != nil {
		l.p.out.line("Cannot type that: " + err.Error())
	}
}

// endCommand stops the running command.
func (l *live) endCommand() {
	term := l.running()
	if term == nil {
		l.p.out.line("No command is running.")
		return
	}
	command.Try(&front{p: l.p}, l.Session, session.EndTerminal{ID: term.ID}, "cannot stop the command: ")
}

// addOutput adds the output of the last command to the next prompt, or removes it.
func (l *live) addOutput() {
	switch last := l.Conversation.LastCommand(); {
	case last == nil:
		l.p.out.line("No output to add: run !COMMAND first.")
	case l.adds == last:
		l.adds = nil
		l.p.out.line("Removed the output from your next prompt.")
	default:
		l.adds = last
		l.p.out.line("The output of " + termtext.VisibleLine(last.Command) + " is added to your next prompt. /add again removes it.")
	}
}
