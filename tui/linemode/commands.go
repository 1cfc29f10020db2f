package linemode

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// command is what a line that begins with a slash does.
type command struct {
	name, about string
	do          func(p *program, words string)
}

// commands returns parley's commands, in the order of /help.
func commands() []command {
	return []command{
		{"help", "list the commands", func(p *program, _ string) { p.help() }},
		{"mode", "choose the mode, or name it: /mode NAME", func(p *program, w string) { p.setCategory(acpclient.CategoryMode, "modes", w) }},
		{"model", "choose the model, or name it: /model NAME", func(p *program, w string) { p.setCategory(acpclient.CategoryModel, "models", w) }},
		{"options", "choose an option of the agent and its value, or name them: /options NAME VALUE", (*program).options},
		{"cancel", "cancel the turn, or parley's own question", func(p *program, _ string) { p.cancel() }},
		{"again", "repeat the question", func(p *program, _ string) {
			if p.question == nil {
				p.out.line("No question is open.")
				return
			}
			p.show(p.question)
		}},
		{"queue", "list queued prompts; /queue drop N removes one", (*program).queue},
		{"send", "send the queued prompts", func(p *program, _ string) { p.sendQueue() }},
		{"show", "show all of tool call N: /show N", (*program).showCall},
		{"status", "show agent, session and mode", func(p *program, _ string) { p.status() }},
		{"commands", "list the agent's own commands", func(p *program, _ string) { p.agentCommands() }},
		{"run", "run a command of your own: /run COMMAND, or !COMMAND", (*program).run},
		{"type", "type a line into your running command: /type LINE", (*program).typeInto},
		{"end", "stop your running command", func(p *program, _ string) { p.endCommand() }},
		{"add", "add the output of your last command to your next prompt", func(p *program, _ string) { p.addOutput() }},
		{"changes", "list changed files; /changes N shows one, keep N, revert N, undo (the last turn), redo", (*program).changes},
		{"sessions", "resume a session of this directory; /sessions all: of any", (*program).switchSession},
		{"new", "new session with the same agent", func(p *program, _ string) { p.newSession() }},
		{"agent", "new session with another agent", func(p *program, _ string) { p.unlessWorking("Choose another agent", p.chooseAgent) }},
		{"start", "restart the agent, or reconnect", func(p *program, _ string) { p.startAgain() }},
		{"stop", "stop an agent that does not respond", func(p *program, _ string) {
			if p.session == nil {
				p.out.line("There is no agent.")
				return
			}
			p.session.Kill()
		}},
		{"quit", "leave", func(p *program, _ string) { p.over = true }},
	}
}

// line handles a typed line.
func (p *program) line(line typed) {
	p.out.answered()
	if p.question != nil {
		p.answer(line)
		return
	}
	text := line.text
	if head, goesOn := strings.CutSuffix(text, `\`); goesOn {
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
		p.run(strings.TrimSpace(text[1:]))
	default:
		p.send(text)
	}
}

// command carries out a command: one of parley's own, or of the agent.
func (p *program) command(text string) {
	name, words, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	for _, c := range commands() {
		if c.name == name {
			c.do(p, strings.TrimSpace(words))
			return
		}
	}
	for _, c := range p.conv.Commands {
		if c.Name == name {
			p.send(text)
			return
		}
	}
	p.out.line(fmt.Sprintf("No command /%s. /help lists parley's commands, /commands the agent's; //%s sends it anyway.", name, name))
}

func (p *program) help() {
	lines := []string{"What you type is sent to the agent. A line that ends with \\ continues in the next one. @path mentions a file, !command runs a command of yours.", "Commands:"}
	for _, c := range commands() {
		lines = append(lines, "/"+c.name+": "+c.about)
	}
	lines = append(lines, "Answer a question with a number. ctrl+c cancels the turn; again, it quits, as ctrl+d does.")
	p.out.words(lines...)
}

// there reports whether a session is open, and says so if none is.
func (p *program) there() bool {
	if p.session == nil || p.conv.Phase != conversation.PhaseReady {
		p.out.line("No open session.")
		return false
	}
	return true
}

// setCategory sets the option of a category.
func (p *program) setCategory(c acpclient.ConfigCategory, many, value string) {
	if !p.there() {
		return
	}
	o := p.conv.OptionByCategory(c)
	if o == nil {
		p.out.line("The agent has no " + many + ".")
		return
	}
	p.set(o, value)
}

// options sets any option.
func (p *program) options(words string) {
	if !p.there() {
		return
	}
	if len(p.conv.Options) == 0 {
		p.out.line("The agent has no options.")
		return
	}
	if words != "" {
		for i := range p.conv.Options {
			o := &p.conv.Options[i]
			for _, name := range []string{string(o.ID), o.Name} {
				if len(words) >= len(name) && strings.EqualFold(words[:len(name)], name) {
					p.set(o, strings.TrimSpace(words[len(name):]))
					return
				}
			}
		}
		p.out.line("The agent has no such option. /options lists them.")
		return
	}
	q := &question{text: "Which option?", cancel: func() {}}
	for i := range p.conv.Options {
		o := &p.conv.Options[i]
		id := o.ID
		v, _ := p.conv.OptionValue(o)
		line := termtext.Line(o.Name) + ": " + termtext.Line(conversation.ValueName(o, v))
		q.choices = append(q.choices, choice{line: line, do: func(string) {
			if o := p.conv.Option(id); o != nil {
				p.set(o, "")
			}
		}})
	}
	p.later(q)
}

// set sets an option to the value of that name, or asks for it if there is no name.
func (p *program) set(o *acpclient.SessionConfigOption, name string) {
	id := o.ID
	if name != "" {
		v, ok := conversation.ValueNamed(o, name)
		if !ok {
			p.out.line(fmt.Sprintf("%s cannot be %q.", o.Name, name))
			return
		}
		p.session.SetOption(id, v)
		return
	}
	now, _ := p.conv.OptionValue(o)
	text := termtext.Line(o.Name) + " is " + termtext.Line(conversation.ValueName(o, now)) + ". Which one?"
	q := &question{text: text, cancel: func() {}}
	add := func(line string, v acpclient.ConfigValue) {
		q.choices = append(q.choices, choice{line: line, do: func(string) {
			if p.session != nil {
				p.session.SetOption(id, v)
			}
		}})
	}
	if o.Type == acpclient.ConfigBoolean {
		add("on", acpclient.BoolValue(true))
		add("off", acpclient.BoolValue(false))
	} else {
		for _, v := range o.Options.All() {
			line := termtext.Line(v.Name)
			if v.Description != "" {
				line += ": " + termtext.Line(v.Description)
			}
			add(line, acpclient.SelectValue(v.Value))
		}
	}
	p.later(q)
}

// cancel cancels the turn, or leaves the open question.
func (p *program) cancel() {
	switch q := p.question; {
	case q != nil && q.cancel != nil:
		p.question = nil
		q.cancel()
		p.take()
	case q != nil:
		p.out.line("Answer this question first.")
	case p.session == nil || !p.session.Cancel():
		p.out.line("No turn is running.")
	default:
		p.out.line("Cancelling.")
	}
}

// queue lists the prompts that wait, or takes one out.
func (p *program) queue(words string) {
	if number, drop := strings.CutPrefix(words, "drop "); drop {
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil || n < 1 || n > len(p.conv.Queue) || p.session == nil {
			p.out.line("No such prompt. /queue lists them.")
			return
		}
		if _, ok := p.session.Unqueue(p.conv.Queue[n-1].ID); ok {
			p.out.line(fmt.Sprintf("Removed prompt %d.", n))
		}
		return
	}
	if len(p.conv.Queue) == 0 {
		p.out.line("The queue is empty.")
		return
	}
	for i, q := range p.conv.Queue {
		p.out.line(fmt.Sprintf("%d. %s", i+1, app.PromptLine(q)))
	}
}

func (p *program) sendQueue() {
	switch {
	case len(p.conv.Queue) == 0:
		p.out.line("The queue is empty.")
	case p.conv.Turn.Running:
		p.out.line("It will be sent when the turn ends.")
	case p.there():
		p.session.ResumeQueue()
	}
}

// showCall writes all about one tool call.
func (p *program) showCall(words string) {
	n, err := strconv.Atoi(words)
	if err != nil || n < 1 || n > len(p.out.calls) {
		p.out.line("No such tool call.")
		return
	}
	t := p.out.calls[n-1]
	p.out.line(p.permissionText(&conversation.Permission{Asked: t, ToolCall: t}))
	if given := strings.TrimRight(toolview.Output(t), "\n"); given != "" {
		p.out.line("\n# output\n" + termtext.VisibleBlanks(given))
	}
}

func (p *program) status() {
	c := p.conv
	if p.session == nil {
		p.out.line("No session.")
		return
	}
	lines := []string{"Agent: " + termtext.Line(p.agent.Name), "Directory: " + toolview.PathsIn("").Path(c.Cwd)}
	for i := range c.Options {
		o := &c.Options[i]
		v, _ := c.OptionValue(o)
		lines = append(lines, termtext.Line(o.Name)+": "+termtext.Line(conversation.ValueName(o, v)))
	}
	switch {
	case c.Gone():
		lines = append(lines, app.GoneText(c, p.session.Connects())+".")
	case c.Turn.Running:
		lines = append(lines, "The agent is working.")
	default:
		lines = append(lines, "The agent waits for a prompt.")
	}
	if c.Usage != nil && c.Usage.Size > 0 {
		lines = append(lines, fmt.Sprintf("Context: %d of %d tokens used", c.Usage.Used, c.Usage.Size))
	}
	if n := len(c.Queue); n > 0 {
		lines = append(lines, termtext.Count(n, "queued prompt")+".")
	}
	p.out.line(strings.Join(lines, "\n"))
}

func (p *program) agentCommands() {
	if len(p.conv.Commands) == 0 {
		p.out.line("The agent has no commands.")
		return
	}
	for _, c := range p.conv.Commands {
		p.out.line("/" + termtext.Line(c.Name) + ": " + termtext.Line(c.Description))
	}
}

func (p *program) newSession() {
	if p.session == nil {
		p.chooseAgent()
		return
	}
	p.unlessWorking("Begin a new session", func() { p.start(p.agent) })
}

// unlessWorking does something that ends the session: the person is asked first if the
// agent is at work.
func (p *program) unlessWorking(what string, do func()) {
	if p.question != nil {
		p.out.line("Answer the question first, or /cancel it.")
		return
	}
	if !p.conv.Turn.Running {
		do()
		return
	}
	p.later(&question{text: "The agent is working; this stops it in the middle of its turn.", choices: []choice{
		{line: "Keep waiting", do: func(string) {}},
		{line: what, do: func(string) { do() }},
	}})
}

func (p *program) startAgain() {
	switch {
	case p.session == nil:
		p.chooseAgent()
	case p.conv.Gone():
		p.session.Start()
	default:
		p.out.line("The agent is already running.")
	}
}

// The size of the terminal in which a command of the person's runs: what it prints is
// read line by line, and not drawn.
const commandCols, commandRows = 80, 24

// run runs a command of the person's own. Its output is written as it comes.
func (p *program) run(line string) {
	switch {
	case line == "":
		p.out.line("Which command? /run COMMAND, or !COMMAND.")
		return
	case p.session == nil:
		p.out.line("Start an agent first.")
		return
	}
	s := p.session
	p.beside(func() func() {
		_, err := s.StartShell(session.ShellSpec{Line: line, Cols: commandCols, Rows: commandRows})
		return func() {
			if err != nil {
				p.out.line("Cannot run the command: " + err.Error())
			}
			p.take()
		}
	})
}

// running returns the newest running command of the person's, or nil.
func (p *program) running() *conversation.Terminal {
	for _, term := range slices.Backward(p.conv.Running()) {
		if term.Personal {
			return term
		}
	}
	return nil
}

// typeInto types a line into the command that runs.
func (p *program) typeInto(line string) {
	term := p.running()
	if term == nil {
		p.out.line("No command is running.")
		return
	}
	if err := p.session.TypeInto(term.ID, []byte(line+"\r")); err != nil {
		p.out.line("Cannot type that: " + err.Error())
	}
}

// endCommand ends the command that runs.
func (p *program) endCommand() {
	term := p.running()
	if term == nil {
		p.out.line("No command is running.")
		return
	}
	s := p.session
	p.beside(func() func() {
		err := s.EndTerminal(term.ID)
		return func() {
			if err != nil {
				p.out.line("Cannot stop the command: " + err.Error())
			}
		}
	})
}

// addOutput adds the output of the last command to the next prompt, or removes it.
func (p *program) addOutput() {
	var last *conversation.Terminal
	for _, item := range slices.Backward(p.conv.Items) {
		if c, ok := item.(*conversation.ShellCommand); ok {
			last = c.Terminal
			break
		}
	}
	switch {
	case last == nil:
		p.out.line("No output to add: run !COMMAND first.")
	case p.adds == last:
		p.adds = nil
		p.out.line("Removed the output from your next prompt.")
	default:
		p.adds = last
		p.out.line("The output of " + termtext.VisibleLine(last.Command) + " goes with your next prompt. /add again removes it.")
	}
}
