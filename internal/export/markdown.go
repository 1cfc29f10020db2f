package export

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Markdown writes a transcript as Markdown: prompts as headings, answers as they are, and
// tool calls as quotations.
func Markdown(w io.Writer, t *Transcript) error {
	_, err := io.WriteString(w, t.Head())
	for i := range t.Entries {
		if err == nil {
			_, err = io.WriteString(w, "\n"+t.Entries[i].Markdown())
		}
	}
	if err != nil {
		return fmt.Errorf("export the session: %w", err)
	}
	return nil
}

// Head returns what a transcript is of, as Markdown.
func (t *Transcript) Head() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", inline(cmp.Or(t.Title, "A session")))
	fact := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "- %s: %s\n", name, inline(value))
		}
	}
	fact("Agent", t.Agent)
	fact("Directory", t.Cwd)
	if !t.Begun.IsZero() {
		fact("Begun", t.Begun.Format(time.DateTime))
	}
	fact("Session", cmp.Or(t.Stored, t.Session))
	return b.String()
}

// Markdown returns an entry as Markdown.
func (e *Entry) Markdown() string {
	b := &strings.Builder{}
	switch e.Type {
	case "prompt":
		if e.Continues {
			fmt.Fprint(b, quoted(e.Text))
			break
		}
		heading := "## Prompt"
		switch {
		case e.Relayed:
			heading = "### Prompt of the agent to a subagent"
		case e.Steered:
			heading = "### Prompt, steering the turn"
		}
		fmt.Fprint(b, heading, "\n\n", quoted(e.Text))
	case "answer":
		fmt.Fprint(b, e.Text, "\n")
	case "thought":
		fmt.Fprint(b, "> *Thought*\n>\n", quoted(e.Text))
	case "tool_call":
		markdownCall(b, e)
	case "command":
		b.WriteString(markdownContent(&e.Content[0]))
	case "plan":
		fmt.Fprint(b, "**Plan**\n\n")
		if e.Text != "" {
			fmt.Fprint(b, e.Text, "\n")
		}
		markdownSteps(b, "", e.Steps)
	case "question":
		fmt.Fprint(b, "**Question** ", inline(e.Text), "\n\n")
		for _, f := range e.Fields {
			fmt.Fprintf(b, "- %s: %s\n", inline(f.Name), inline(f.shown()))
		}
		if len(e.Fields) == 0 {
			fmt.Fprintf(b, "- %s\n", inline(e.Status))
		}
	case "note":
		fmt.Fprint(b, "*", inline(e.noteTitle()), "*\n")
		if e.Text != "" {
			fmt.Fprint(b, "\n", quoted(e.Text))
		}
	default:
		fmt.Fprint(b, "*", inline(e.Caption), "*\n")
		if e.Text != "" {
			fmt.Fprint(b, "\n", quoted(e.Text))
		}
		if e.Input != "" {
			fmt.Fprint(b, "\n", fenced("json", e.Input))
		}
	}
	for _, a := range e.Attachments {
		fmt.Fprintf(b, "\n- %s\n", inline(a.label()))
	}
	return b.String()
}

// markdownCall writes a tool call as a quotation.
func markdownCall(b *strings.Builder, e *Entry) {
	var c strings.Builder
	fmt.Fprintf(&c, "**%s**", inline(e.callTitle()))
	answered := ""
	if e.Answer != "" {
		answered = "you: " + e.Answer
	}
	for _, word := range []string{e.Kind, e.Status, answered, e.took()} {
		if word != "" {
			fmt.Fprintf(&c, " · %s", inline(word))
		}
	}
	c.WriteString("\n")
	// The input of an edit says what its diff shows.
	if e.Input != "" && !slices.ContainsFunc(e.Content, func(c Content) bool { return c.Diff != "" }) {
		c.WriteString("\n" + fenced("json", e.Input))
	}
	for i := range e.Content {
		if text := markdownContent(&e.Content[i]); text != "" {
			c.WriteString("\n" + text)
		}
	}
	fmt.Fprint(b, quoted(c.String()))
	if len(e.Steps) > 0 {
		fmt.Fprint(b, ">\n")
		markdownSteps(b, "> ", e.Steps)
	}
}

// markdownContent returns a piece of a tool's output, "" if it is empty.
func markdownContent(c *Content) string {
	switch c.Type {
	case "diff":
		if c.Diff == "" {
			return inline(c.Path) + ": no change\n"
		}
		return inline(c.Path) + ":\n\n" + fenced("diff", c.Diff)
	case "terminal":
		if c.Command == "" && c.Output == "" && c.Exit == "" {
			return ""
		}
		text := fenced("console", strings.TrimPrefix("$ "+c.Command+"\n", "$ \n")+c.Output)
		if c.Exit != "" {
			text += "\nended: " + inline(c.Exit) + "\n"
		}
		return text
	case "attachment":
		return "- " + inline(c.Attachment.label()) + "\n"
	}
	if strings.TrimSpace(c.Text) == "" {
		return ""
	}
	return fenced("", c.Text)
}

func markdownSteps(b *strings.Builder, prefix string, steps []Step) {
	for _, s := range steps {
		box := " "
		if s.Status == "completed" {
			box = "x"
		}
		fmt.Fprintf(b, "%s- [%s] %s\n", prefix, box, inline(s.Text))
	}
}

func (e Entry) callTitle() string { return cmp.Or(e.Title, "Tool call") }

func (e Entry) noteTitle() string { return cmp.Or(e.Title, "worked "+e.took()) }

// took returns the duration, "" if that is not known.
func (e Entry) took() string {
	if e.Seconds == 0 {
		return ""
	}
	return time.Duration(e.Seconds * float64(time.Second)).Round(100 * time.Millisecond).String()
}

func (f Field) shown() string {
	if f.Secret {
		return "(not kept)"
	}
	return f.Value
}

func (a Attachment) label() string {
	words := []string{a.Type}
	for _, word := range []string{a.Name, a.URI, a.MimeType} {
		if word != "" && word != words[len(words)-1] {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// inline returns a text on one line, escaped for Markdown.
func inline(text string) string {
	const special = "\\`*_{}[]<>#|~!&"
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		if strings.ContainsRune(special, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// quoted returns a text as a quotation.
func quoted(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		b.WriteString(strings.TrimRight("> "+line, " ") + "\n")
	}
	return b.String()
}

// fenced returns a text as a code block. The fence is longer than any in the text.
func fenced(language, text string) string {
	longest := 2 // a fence has three at least
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '`' }) {
		longest = max(longest, len(run))
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}
