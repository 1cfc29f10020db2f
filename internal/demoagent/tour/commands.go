package tour

import (
	"fmt"
	"strings"

	"parley/acpclient"
)

// command is a slash command.
type command struct {
	name, description string
	hint              string // of its input; empty if it takes none
	run               func(t *turn, input string)
}

func commands() []command {
	return []command{
		{"tour", "Show me around: two minutes", "", (*turn).tour},
		{"plan", "Make a plan, and ask before beginning", "what to plan", (*turn).planning},
		{"edit", "Change a file, with a diff to approve", "a line for the notes", (*turn).edit},
		{"run", "Run a command in a terminal", "a shell command, or nothing to run the check", (*turn).command},
		{"slow", "Talk slowly, to try cancelling with esc", "how many lines", (*turn).slow},
		{"ask", "Ask you something: a form, or a page to open", "form or url", (*turn).ask},
		{"image", "Show an image", "", (*turn).image},
		{"compact", "Pretend to make room in the context", "", (*turn).compact},
		{"crash", "Crash, to see what parley does", "last words", (*turn).crash},
		{"help", "List the commands", "", (*turn).help},
	}
}

func availableCommands() (out []acpclient.AvailableCommand) {
	for _, c := range commands() {
		a := acpclient.AvailableCommand{Name: c.name, Description: c.description}
		if c.hint != "" {
			a.Input = &acpclient.AvailableCommandInput{Hint: c.hint}
		}
		out = append(out, a)
	}
	return out
}

// answer works on a prompt.
func (t *turn) answer(prompt []acpclient.ContentBlock) {
	text := ""
	for _, b := range prompt {
		if b.Type == acpclient.ContentText {
			text = strings.TrimSpace(b.Text)
			break
		}
	}
	t.mu.Lock()
	untitled := t.kept.Title == ""
	t.mu.Unlock()
	if name, isCommand := strings.CutPrefix(text, "/"); isCommand {
		name, input, _ := strings.Cut(name, " ")
		for _, c := range commands() {
			if c.name == name {
				if untitled {
					t.title(strings.TrimSuffix(c.description, "."))
				}
				c.run(t, strings.TrimSpace(input))
				return
			}
		}
		t.say(fmt.Sprintf("There is no command `/%s` here. `/help` lists those that there are.\n", strings.ReplaceAll(name, "`", "")))
		return
	}
	if untitled {
		t.title(shortened(text))
	}
	t.chat(text, prompt)
}

// shortened is the beginning of a text, fit for a title.
func shortened(text string) string {
	const most = 40
	line, _, _ := strings.Cut(text, "\n")
	if r := []rune(line); len(r) > most {
		line = strings.TrimSpace(string(r[:most])) + "…"
	}
	if line == "" {
		return "A conversation with the tour"
	}
	return line
}

// chat answers whatever is no command.
func (t *turn) chat(text string, prompt []acpclient.ContentBlock) {
	t.think("This is not a command. I had better be honest about what I am.", "There is no model behind me, so whatever I made up would only sound like an answer. I can say what reached me, and what I can really do.")
	t.say("I am the **built-in tour**: there is no model behind me, so I cannot answer that. But it reached me, and this is what came:\n\n" + received(text, prompt))
	if t.settings().Hints {
		t.say("\nTry one of these instead:\n\n- `/tour` shows you around in two minutes\n- `/edit` changes a file, `/run` runs a command, both with your permission\n- `/help` lists everything\n\nWhen you want a real agent: leave with `ctrl+d`, and start `parley -a NAME`.\n")
	}
}

// counted is a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// received lists what a prompt was made of.
func received(text string, prompt []acpclient.ContentBlock) string {
	var b strings.Builder
	for _, block := range prompt {
		switch block.Type {
		case acpclient.ContentText:
			fmt.Fprintf(&b, "- text of %s\n", counted(len(strings.Fields(block.Text)), "word"))
		case acpclient.ContentResourceLink:
			fmt.Fprintf(&b, "- a link to %s\n", block.Name)
		case acpclient.ContentResource:
			if block.Resource != nil {
				fmt.Fprintf(&b, "- the content of %s\n", block.Resource.URI)
			}
		case acpclient.ContentImage, acpclient.ContentAudio:
			fmt.Fprintf(&b, "- an %s (%s, %d bytes of base64)\n", block.Type, block.MimeType, len(block.Data))
		default:
			fmt.Fprintf(&b, "- something of the type %s\n", block.Type)
		}
	}
	if b.Len() == 0 {
		return "- nothing at all\n"
	}
	if text != "" {
		b.WriteString("\nIt began like this:\n\n> " + shortened(text) + "\n")
	}
	return b.String()
}

func (t *turn) help(string) {
	var b strings.Builder
	b.WriteString("These are the commands of the tour. Type `/` to choose one.\n\n| command | what it does |\n| --- | --- |\n")
	for _, c := range commands() {
		name := "/" + c.name
		if c.hint != "" {
			name += " [" + c.hint + "]"
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, c.description)
	}
	b.WriteString("\nparley itself explains its keys with `f1`.\n")
	t.say(b.String())
}
