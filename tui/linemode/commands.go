package linemode

import (
	"fmt"
	"strconv"
	"strings"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

// command is what a line that begins with a slash does.
type command struct {
	name, about string
	do          func(p *program, words string)
}

// commands are all of parley's own, as /help lists them.
func commands() []command {
	return []command{
		{"help", "list the commands", func(p *program, _ string) { p.help() }},
		{"mode", "choose the mode, or name it: /mode NAME", func(p *program, w string) { p.setCategory(acpclient.CategoryMode, "modes", w) }},
		{"model", "choose the model, or name it: /model NAME", func(p *program, w string) { p.setCategory(acpclient.CategoryModel, "models", w) }},
		{"options", "choose an option of the agent and its value, or name them: /options NAME VALUE", (*program).options},
		{"cancel", "cancel the turn; at a question of parley's own, leave it", func(p *program, _ string) { p.cancel() }},
		{"again", "write the open question again", func(p *program, _ string) { p.repeat() }},
		{"queue", "list the prompts that wait; /queue drop N takes one out", (*program).queue},
		{"send", "send what waits", func(p *program, _ string) { p.sendQueue() }},
		{"show", "write all about tool call number N: /show N", (*program).showCall},
		{"status", "say which agent, session and mode this is", func(p *program, _ string) { p.status() }},
		{"commands", "list the agent's own commands", func(p *program, _ string) { p.agentCommands() }},
		{"run", "run a command of your own: /run COMMAND, or !COMMAND", (*program).run},
		{"type", "type a line into your command that runs: /type LINE", (*program).typeInto},
		{"end", "end your command that runs", func(p *program, _ string) { p.endCommand() }},
		{"add", "add to your next prompt what your last command has printed", func(p *program, _ string) { p.addOutput() }},
		{"changes", "list the files that were changed; /changes N writes how number N was, /changes keep N agrees to it, /changes revert N takes it back, /changes undo takes back the last turn, /changes redo does that again", (*program).changes},
		{"sessions", "go on with a stored session of this directory, or with /sessions all of any", (*program).switchSession},
		{"new", "begin a new session with the same agent", func(p *program, _ string) { p.newSession() }},
		{"agent", "begin a new session with another agent", func(p *program, _ string) { p.anotherAgent() }},
		{"start", "start the agent again, or connect again, when it has gone", func(p *program, _ string) { p.startAgain() }},
		{"stop", "stop an agent that does not react", func(p *program, _ string) { p.stop() }},
		{"quit", "leave", func(p *program, _ string) { p.over = true }},
	}
}

// line takes a line of the person.
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
	p.out.line(fmt.Sprintf("There is no command /%s. /help lists parley's commands, /commands the agent's; //%s sends it all the same.", name, name))
}

func (p *program) help() {
	lines := []string{"What you type is sent to the agent. A line that ends with \\ goes on in the next one. @path mentions a file, !command runs a command of yours.", "Commands:"}
	for _, c := range commands() {
		lines = append(lines, "/"+c.name+": "+c.about)
	}
	lines = append(lines, "A question is answered by the number of an answer. ctrl+c cancels the turn, and leaves when it is pressed again; so does the end of the input (ctrl+d).")
	p.out.line(strings.Join(lines, "\n"))
}

// there reports whether a session is open, and says so if none is.
func (p *program) there() bool {
	if p.session == nil || p.conv.Phase != conversation.PhaseReady {
		p.out.line("There is no open session.")
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
		id := p.conv.Options[i].ID
		line := termtext.Line(p.conv.Options[i].Name)
		v, _ := p.conv.OptionValue(&p.conv.Options[i])
		line += ": " + termtext.Line(conversation.ValueName(&p.conv.Options[i], v))
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
	text := termtext.Line(o.Name) + " is " + termtext.Line(conversation.ValueName(o, now)) + ". Which is it to be?"
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
		p.out.line("This question has to be answered.")
	case p.session == nil || !p.session.Cancel():
		p.out.line("No turn is running.")
	default:
		p.out.line("Cancelling.")
	}
}

// repeat writes the open question again.
func (p *program) repeat() {
	if p.question == nil {
		p.out.line("No question is open.")
		return
	}
	p.show(p.question)
}

// queue lists the prompts that wait, or takes one out.
func (p *program) queue(words string) {
	if number, drop := strings.CutPrefix(words, "drop "); drop {
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil || n < 1 || n > len(p.conv.Queue) || p.session == nil {
			p.out.line("There is no such prompt. /queue lists what waits.")
			return
		}
		if _, ok := p.session.Unqueue(p.conv.Queue[n-1].ID); ok {
			p.out.line(fmt.Sprintf("Prompt %d was taken out.", n))
		}
		return
	}
	if len(p.conv.Queue) == 0 {
		p.out.line("Nothing waits.")
		return
	}
	for i, q := range p.conv.Queue {
		p.out.line(fmt.Sprintf("%d. %s", i+1, app.PromptLine(q)))
	}
}

func (p *program) sendQueue() {
	switch {
	case len(p.conv.Queue) == 0:
		p.out.line("Nothing waits.")
	case p.conv.Turn.Running:
		p.out.line("It is sent when the turn has ended.")
	case p.there():
		p.session.ResumeQueue()
	}
}

// showCall writes all about one tool call.
func (p *program) showCall(words string) {
	n, err := strconv.Atoi(words)
	if err != nil || n < 1 || n > len(p.out.calls) {
		p.out.line("There is no tool call of that number.")
		return
	}
	t := p.out.calls[n-1]
	p.out.line(dialog.NewPermission(p.env(), &conversation.Permission{Asked: t, ToolCall: t}, 1).Text())
	if given := strings.TrimRight(toolview.Output(t), "\n"); given != "" {
		p.out.line("\n# output\n" + given)
	}
}

func (p *program) status() {
	c := p.conv
	if p.session == nil {
		p.out.line("There is no session.")
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
		lines = append(lines, "The agent is at work.")
	default:
		lines = append(lines, "The agent waits for a prompt.")
	}
	if c.Usage != nil && c.Usage.Size > 0 {
		lines = append(lines, fmt.Sprintf("Context: %d of %d tokens used", c.Usage.Used, c.Usage.Size))
	}
	if n := len(c.Queue); n > 0 {
		lines = append(lines, waiting(n)+".")
	}
	p.out.line(strings.Join(lines, "\n"))
}

func (p *program) agentCommands() {
	if len(p.conv.Commands) == 0 {
		p.out.line("The agent has told of no commands.")
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

func (p *program) anotherAgent() {
	p.unlessWorking("Choose another agent", func() { p.chooseAgent() })
}

// unlessWorking does something that ends the session: the person is asked first if the
// agent is at work.
func (p *program) unlessWorking(what string, do func()) {
	if p.question != nil {
		p.out.line("Answer the question first, or leave it with /cancel.")
		return
	}
	if !p.conv.Turn.Running {
		do()
		return
	}
	p.later(confirm("The agent is at work, and is ended in the middle of its turn.",
		choice{line: "Go on waiting", do: func(string) {}},
		choice{line: what, do: func(string) { do() }}))
}

func (p *program) startAgain() {
	if p.session == nil {
		p.chooseAgent()
		return
	}
	switch p.conv.Phase {
	case conversation.PhaseLost, conversation.PhaseFailed:
		p.session.Start()
	default:
		p.out.line("The agent is there: nothing has to be started.")
	}
}

func (p *program) stop() {
	if p.session == nil {
		p.out.line("There is no agent.")
		return
	}
	p.session.Kill()
}
