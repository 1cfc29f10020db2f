package dialog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/acpclient"
	"parley/internal/termtext"
)

// What follows shows questions as lines of text, and takes lines as answers, for who
// works with parley without a screen. Nothing of it needs to be drawn. All texts are
// fit to be shown.

// Reply is an answer to a question that is shown as lines.
type Reply struct {
	// Name is its name; More is an explanation, or "".
	Name, More string
	// Do is nil if the answer is unavailable.
	Do Action
}

// Line returns the answer as one line.
func (r Reply) Line() string {
	if r.More != "" {
		return r.Name + " (" + r.More + ")"
	}
	return r.Name
}

// Text returns the whole question.
func (d *Permission) Text() string {
	d.refresh()
	return strings.TrimRight(d.plain(), "\n")
}

// Why returns why no rule answered, or "" if no rule matches.
func (d *Permission) Why() string { return termtext.VisibleLine(d.asked.Why) }

// Replies returns the options in the agent's order, without parley's own rules.
func (d *Permission) Replies() []Reply {
	d.refresh()
	var out []Reply
	for _, r := range d.replies.list {
		if answer, ok := r.action.(Answer); ok {
			out = append(out, Reply{r.name, r.more, answer})
		}
	}
	return out
}

// Rejects reports whether an option denies the request.
func (d *Permission) Rejects(option acpclient.PermissionOptionID) bool {
	return slices.ContainsFunc(d.asked.Options, func(o acpclient.PermissionOption) bool {
		return o.OptionID == option && o.Kind.Rejects()
	})
}

// Text returns the agent's message.
func (d *Auth) Text() string {
	text := termtext.Block(strings.TrimSpace(d.message))
	if text == "" {
		text = "The agent wants you to sign in before it goes on."
	}
	if len(d.methods) == 0 {
		text += "\nIt names no way to do so: sign in with its own program, then try again."
	}
	return text
}

// Replies returns the methods. Those that parley does not support have no action.
func (d *Auth) Replies() []Reply {
	var out []Reply
	for _, r := range d.replies.list {
		out = append(out, Reply{r.name, r.more, r.action})
	}
	return out
}

// Text returns the address and its warnings.
func (d *Link) Text() string {
	a := &d.address
	lines := []string{"The agent asks you to open an address."}
	if said := strings.TrimSpace(d.asked.Request.Message); said != "" {
		lines = append(lines, "It says: "+termtext.Block(said))
	}
	lines = append(lines, "Host: "+termtext.Visible(a.host))
	if a.other != "" {
		lines = append(lines, "That is: "+termtext.Visible(a.other))
	}
	lines = append(lines, a.warnings...)
	lines = append(lines, "Address: "+termtext.Visible(a.raw))
	if !a.opens {
		lines = append(lines, "It cannot be opened from here: "+a.why)
	}
	return strings.Join(lines, "\n")
}

// Replies returns the possible answers.
func (d *Link) Replies() []Reply {
	var out []Reply
	if d.address.opens {
		out = append(out,
			Reply{Name: "Open in the browser", Do: OpenURL{d.asked.ID, d.address.raw}},
			Reply{Name: "Go on: I have opened it myself", Do: response(d.asked, acpclient.ElicitAccept, nil)})
	}
	return append(out,
		Reply{Name: "Decline", Do: response(d.asked, acpclient.ElicitDecline, nil)},
		Reply{Name: "Cancel: no answer", Do: response(d.asked, acpclient.ElicitCancel, nil)})
}

// Text returns the agent's message.
func (d *Form) Text() string {
	lines := []string{termtext.Block(strings.TrimSpace(d.asked.Request.Message))}
	if s := d.asked.Request.RequestedSchema; s != nil && strings.TrimSpace(s.Description) != "" {
		lines = append(lines, termtext.Block(strings.TrimSpace(s.Description)))
	}
	return strings.Join(lines, "\n")
}

// Fields returns the number of fields.
func (d *Form) Fields() int { return len(d.fields) }

// FieldText returns the prompt for a field. fills is false if parley cannot fill it in.
func (d *Form) FieldText(i int) (text string, fills bool) {
	f := d.fields[i]
	lines := []string{f.label()}
	if rules := f.rules(); rules != "" {
		lines[0] += " (" + strings.ReplaceAll(rules, " · ", ", ") + ")"
	}
	if about := strings.TrimSpace(f.schema.Description); about != "" {
		lines = append(lines, termtext.Block(about))
	}
	for n, c := range f.choices {
		line := fmt.Sprintf("%d. %s", n+1, termtext.VisibleLine(c.Title))
		if c.Description != "" {
			line += ": " + termtext.VisibleLine(c.Description)
		}
		lines = append(lines, line)
	}
	switch now := f.words(); {
	case f.kind == otherField:
	case now != "":
		lines = append(lines, "An empty line leaves it as it is: "+now)
	default:
		lines = append(lines, "An empty line leaves it out.")
	}
	return strings.Join(lines, "\n"), f.kind != otherField
}

// words returns the field's value as text, or "".
func (f *field) words() string {
	if f.kind == textField {
		return termtext.VisibleLine(f.input.Text())
	}
	var names []string
	for i, on := range f.picked {
		if on {
			names = append(names, termtext.VisibleLine(f.choices[i].Title))
		}
	}
	return strings.Join(names, ", ")
}

// FillIn sets a field from a line: text, or the numbers of choices. An empty line keeps
// the value. problem says why the value cannot be sent; ask again then.
func (d *Form) FillIn(i int, line string) (problem string) {
	f := d.fields[i]
	line = strings.TrimSpace(line)
	switch {
	case line == "":
	case f.kind == textField:
		f.input.Set(line)
	default:
		picked, problem := f.numbers(line)
		if problem != "" {
			return problem
		}
		f.picked = picked
	}
	_, _, problem = f.value()
	return problem
}

// numbers parses the numbers of choices.
func (f *field) numbers(line string) (picked []bool, problem string) {
	picked = make([]bool, len(f.choices))
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' })
	for _, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(picked) {
			return nil, fmt.Sprintf("%q is not one of the numbers from 1 to %d", termtext.VisibleLine(word), len(picked))
		}
		picked[n-1] = true
	}
	if f.kind == oneField && len(words) > 1 {
		return nil, "only one number can be chosen"
	}
	return picked, ""
}

// Summary lists the fields and their values, a line each.
func (d *Form) Summary() string {
	var lines []string
	for _, f := range d.fields {
		value := f.words()
		if value == "" {
			value = "left out"
		}
		lines = append(lines, f.label()+": "+value)
	}
	return strings.Join(lines, "\n")
}

// Respond returns the answer for a button. problem says why the form cannot be accepted.
func (d *Form) Respond(a acpclient.ElicitationAction) (answer Elicit, problem string) {
	if a != acpclient.ElicitAccept {
		return response(d.asked, a, nil), ""
	}
	content, ok := d.content()
	if ok {
		return response(d.asked, a, content), ""
	}
	if d.problem != "" {
		return Elicit{}, d.problem
	}
	f := d.fields[d.focus]
	return Elicit{}, f.label() + ": " + f.problem
}
