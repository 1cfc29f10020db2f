package linemode

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/diffview"
	"parley/tui/toolview"
)

// item writes the news of an item. whole means incomplete lines too, because something else
// follows.
func (w *printer) item(g *growth, whole bool) {
	v := g.item.Version()
	if g.drawn && g.version == v && !whole {
		return
	}
	g.drawn, g.version = true, v
	g.item.Visit(&itemWriter{printer: w, g: g, whole: whole})
}

// itemWriter writes the news of each kind of item.
type itemWriter struct {
	*printer
	g     *growth
	whole bool
}

// speaker returns the name in front of a message.
func speaker(m *conversation.Message) string {
	who := "Agent"
	switch m.Chunk {
	case acpclient.UserMessageChunk:
		if m.Steered {
			return "You, steering: "
		}
		return "You: "
	case acpclient.AgentThoughtChunk:
		who = "Thought"
	}
	if m.Parent != "" {
		who = "Subagent"
	}
	return who + ": "
}

// Message writes the complete lines of a message.
func (w *itemWriter) Message(m *conversation.Message) {
	g := w.g
	if w.typed[m] { // the terminal has echoed it
		delete(w.typed, m)
		g.over = true
		return
	}
	whole := w.whole || m.Done || !m.Growing && w.conv.Turn.Running
	g.half = false
	if r := m.Replaced(); r != g.replaced { // write the new text below the old one
		g.replaced, g.part, g.bytes, g.begun, g.prose = r, 0, 0, false, prose{}
	}
	for ; g.part < len(m.Parts); g.part, g.bytes = g.part+1, 0 {
		p := &m.Parts[g.part]
		last := g.part == len(m.Parts)-1
		if p.Block != nil {
			if p.Block.Type != acpclient.ContentText { // else it is not for the user
				words := toolview.PathsIn(w.conv.Cwd).Block(p.Block)
				line := words.String()
				if text := strings.TrimSpace(termtext.Block(words.Text)); text != "" {
					line += "\n" + text
				}
				w.says(m, line)
			}
		} else {
			w.grown(m, p.Text(), whole || !last)
		}
		if last && p.Block == nil {
			break // it may grow
		}
	}
	if g.over = m.Done; g.half && !slices.Contains(w.halves, g) {
		w.halves = append(w.halves, g)
	}
}

// grown writes the new lines of a text, the last one only if it is complete.
func (w *itemWriter) grown(m *conversation.Message, text string, whole bool) {
	g := w.g
	text = text[g.bytes:]
	end := strings.LastIndexByte(text, '\n') + 1
	if whole {
		end = len(text)
	}
	if end > 0 {
		if lines := strings.TrimSuffix(text[:end], "\n"); g.begun || strings.TrimSpace(lines) != "" {
			w.says(m, lines)
		}
		g.bytes += end
	}
	g.half = end < len(text)
}

// says writes lines of a message, the first one after the name of the speaker.
func (w *itemWriter) says(m *conversation.Message, lines string) {
	g, lead := w.g, ""
	if !g.begun || w.speaks != g {
		lead, lines = speaker(m), strings.TrimLeft(lines, "\n")
		w.gap()
	}
	if m.Chunk != acpclient.UserMessageChunk { // prompts are not Markdown
		lines = g.prose.Lines(lines, lead, widthOf(w.to))
	} else {
		lines = lead + lines
	}
	g.begun = true
	w.lines(lines)
	w.speaks = g
}

// ToolCall writes the beginning of a tool call, once it has a title, and its end.
func (w *itemWriter) ToolCall(t *conversation.ToolCall) {
	g := w.g
	if g.number == 0 {
		w.calls = append(w.calls, t)
		g.number = len(w.calls)
	}
	ended := !t.Running()
	if t.Title == "" && t.Name == "" && !ended {
		return // the title follows
	}
	name := fmt.Sprintf("Tool %d", g.number)
	if t.Parent != "" {
		name += ", of a subagent"
	}
	if !g.announced {
		g.announced = true
		name += ": " + w.heading(t)
		if !ended {
			w.line(name)
			return
		}
	}
	if ended {
		w.line(name + ": " + outcome(t))
		g.over = true
	}
}

// heading describes a tool call in a line.
func (w *printer) heading(t *conversation.ToolCall) string {
	heading, _ := toolview.PathsIn(w.conv.Cwd).Heading(t)
	verb := toolview.KindOf(t.Kind).Verb
	if len(heading) > len(verb) && strings.EqualFold(heading[:len(verb)+1], verb+" ") {
		return heading // begins with the verb
	}
	return verb + " " + heading
}

// outcome describes how a tool call ended, and how much it changed.
func outcome(t *conversation.ToolCall) string {
	words := "no end was reported"
	switch {
	case t.Rejected && t.Answer != nil && t.Answer.Rule != "":
		words = "rejected by the rule " + termtext.VisibleLine(t.Answer.Rule)
	case t.Rejected:
		words = "rejected"
	case t.Cancelled:
		words = "cancelled"
	case t.Failed():
		words = toolview.Failure(t)
	case t.Status == acpclient.ToolCompleted && t.ID == "" && t.Answer != nil:
		words = "allowed" // the agent asked without a tool call, and reports no result
	case toolview.Silent(t):
		words = "done " + toolview.NoOutput
	case t.Status == acpclient.ToolCompleted:
		words = "done"
	}
	for i := range t.Content {
		if c := &t.Content[i]; c.Type == acpclient.ToolContentDiff {
			added, removed := diffview.New(c.Path, c.OldText, c.NewText).Stats()
			words += fmt.Sprintf(", %s added and %d removed", termtext.Count(added, "line"), removed)
		}
	}
	if t.Failed() {
		if why, _, _ := strings.Cut(strings.TrimSpace(toolview.Output(t)), "\n"); why != "" {
			words += ": " + termtext.Line(why)
		}
	}
	return words
}

// Plan writes a plan if its steps are new, else its progress if it changed.
func (w *itemWriter) Plan(p *conversation.Plan) {
	g := w.g
	var steps, now []string
	for i, e := range p.Entries {
		line := fmt.Sprintf("%d. %s", i+1, termtext.Line(e.Content))
		switch e.Status {
		case acpclient.PlanCompleted:
			line += " (done)"
		case acpclient.PlanInProgress:
			line += " (in progress)"
			now = append(now, termtext.Line(e.Content))
		}
		steps = append(steps, line)
	}
	done, all := p.Progress()
	text := strings.TrimSpace(strings.Join(steps, "\n") + "\n" + termtext.Block(p.Markdown) + "\n" + termtext.VisibleLine(p.URI))
	if text == g.last || text == "" {
		return
	}
	switch {
	case p.Removed:
		w.line("The plan was removed.")
		g.over = true
	case g.last == "" || all != g.part || all == 0:
		w.gap()
		w.line("Plan:\n" + text)
	default:
		line := fmt.Sprintf("Plan: %d of %d done", done, all)
		if len(now) > 0 {
			line += "; in progress: " + strings.Join(now, "; ")
		}
		w.line(line)
	}
	g.last, g.part = text, all
}

// Note writes a notice, an error, or the end of a turn.
func (w *itemWriter) Note(n *conversation.Note) {
	w.g.over = true
	lead := ""
	switch n.Severity {
	case acpclient.NoticeError:
		lead = "Error: "
	case acpclient.NoticeWarning:
		lead = "Warning: "
	}
	text := lead + n.Title
	if n.Title == "" {
		text = "The turn has ended"
	}
	if n.Worked >= time.Second {
		text += " after " + termtext.Elapsed(n.Worked)
	}
	if n.Detail != "" {
		text += "\n" + n.Detail
	}
	w.line(text)
}

// ShellCommand writes the user's command, its new lines of output, and how it ended.
func (w *itemWriter) ShellCommand(s *conversation.ShellCommand) {
	g, t := w.g, s.Terminal
	name := termtext.VisibleLine(t.Command)
	if !g.announced {
		g.announced = true
		w.line("You ran: " + name)
		w.speaks = g
	}
	text, behind := toolview.PrintedSince(t, int64(g.bytes), w.whole || t.Exit != nil)
	if text != "" {
		if w.speaks != g {
			w.line("Output of " + name + ":")
		}
		w.lines(termtext.VisibleBlanks(text))
		w.speaks = g
	}
	g.bytes = int(behind)
	if g.over = t.Exit != nil; g.over {
		w.line(name + ": " + toolview.Ended(t.Exit))
	}
	if g.half = t.Total() > behind; g.half && !slices.Contains(w.halves, g) {
		w.halves = append(w.halves, g)
	}
}

// changed writes the state of an item if it differs from the last one written.
func (w *itemWriter) changed(words string) {
	if words != w.g.last {
		w.line(words)
	}
	w.g.last = words
}

// Elicitation writes how a question of the agent was answered.
func (w *itemWriter) Elicitation(e *conversation.Elicitation) {
	g := w.g
	words := "You answered: " + string(e.Action)
	if e.Completed {
		words = "The agent says it is done."
	}
	w.changed(words)
	g.over = e.Completed || e.Request.Mode != acpclient.ElicitURL
}

// Compaction writes the status of a compaction.
func (w *itemWriter) Compaction(c *conversation.Compaction) {
	g := w.g
	words := "Compaction of the context: " + termtext.Line(strings.ReplaceAll(string(c.Status), "_", " "))
	if c.Error != "" {
		words += ": " + termtext.Line(c.Error)
	}
	w.changed(words)
	g.over = c.Status != acpclient.CompactionInProgress
}

// Unknown writes that an update was of an unknown kind.
func (w *itemWriter) Unknown(u *conversation.Unknown) {
	w.g.over = true
	w.line("The agent sent an unknown update: " + termtext.VisibleLine(u.Kind))
}
