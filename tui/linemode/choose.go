package linemode

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/termtext"
)

// wider is the word for more items.
const wider = "all"

// Choose lists a choice once it is complete, and asks, unless words say what to do with which item.
func (f *front) Choose(c command.Choice) (update func(command.Choice) bool) {
	done := false
	update = func(c command.Choice) bool {
		word, rest, _ := strings.Cut(f.words, " ")
		switch {
		case f.p.staying != nil && f.p.staying.f == f:
			f.p.staying.c = c
			return true
		case done: // what is written stays as it is
		case c.Wider != nil && word == wider:
			f.words = rest
			c.Wider()
		case !c.Loading || c.Slow != "":
			if done = true; c.Slow != "" {
				f.Say(c.Slow)
			}
			f.choose(c)
		}
		return !done
	}
	if f.p.listing = c.Loading && f.Live() == nil; !c.Loading {
		update(c)
	}
	return update
}

// choose lists a choice, or does what words say.
func (f *front) choose(c command.Choice) {
	if c.Now != nil {
		c.Items = c.Now()
	}
	words := f.words
	f.words, f.p.listing = "", false
	switch {
	case len(c.Items) == 0:
		f.p.out.line(strings.Join(append([]string{c.Empty}, f.hints(c)...), " "))
		f.leave(c)
	case words != "":
		if do := f.chosen(c, words); do != nil {
			do()
			return
		}
		f.p.out.line(strings.Join(append([]string{"Not one of the choices: " + termtext.Line(words) + ". /" + f.name + " lists them."}, f.hints(c)...), " "))
		f.stay()
	default:
		f.leaving(c, func() { f.list(c) })()
	}
}

// stay is without a choice. An open question stays.
func (f *front) stay() {
	if f.p.question == nil && f.live() == nil {
		f.p.chooseAgent()
	}
}

// leave leaves a choice without a choice.
func (f *front) leave(c command.Choice) {
	switch {
	case c.Left != nil:
		c.Left()
	case c.Bottom:
		f.p.quits = true
	default:
		f.stay()
	}
}

// leaving returns do, which asks first if choosing leaves a session that works.
func (f *front) leaving(c command.Choice, do func()) func() {
	if c.Leaves == "" {
		return do
	}
	return func() { f.p.unlessWorking(c.Leaves, do) }
}

// hints says with which words there is more to choose from.
func (f *front) hints(c command.Choice) []string {
	if c.Wider == nil {
		return nil
	}
	return []string{"/" + f.name + " " + wider + ": " + c.WiderHint + "."}
}

// list writes what cannot be chosen, and numbers the rest.
func (f *front) list(c command.Choice) {
	fixed := c.Title + ":"
	for _, it := range c.Items {
		if !choosable(it) {
			fixed += "\n- " + line(it)
		}
	}
	numbered := numbered(c)
	if len(numbered) < len(c.Items) {
		f.p.out.line(fixed)
	}
	if len(numbered) == 0 {
		return
	}
	if c.Ask == "" {
		f.listWords(c, numbered)
		return
	}
	left := func() { f.leave(c) }
	text := strings.Join(append([]string{c.Ask}, f.hints(c)...), " ")
	if c.About != "" {
		text = termtext.Block(c.About) + "\n" + text
	}
	q := &question{Question: app.Question{Text: text, Closed: left}}
	for i, it := range numbered {
		if c.Numbers > 0 && i >= c.Numbers {
			break // they can be named
		}
		q.Choices = append(q.Choices, app.Choice{Name: line(it), Here: f.pick(c, it)})
	}
	closing := cmp.Or(termtext.Capital(c.Closing), "None")
	if c.Bottom {
		closing = "Quit"
	}
	q.Choices = append(q.Choices, app.Choice{Name: closing, Here: left})
	f.p.later(q)
}

// listWords writes numbered items, and what can be done to them.
func (f *front) listWords(c command.Choice, numbered []command.Item) {
	lines, deletes := []string{}, false
	for i, it := range numbered {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, line(it)))
		deletes = deletes || it.Delete != nil
	}
	words := []string{"/" + f.name + " N: " + cmp.Or(c.Choosing, "choose")}
	if deletes {
		words = append(words, "/"+f.name+" "+deleting(c)+" N")
	}
	for _, k := range c.Keys {
		words = append(words, "/"+f.name+" "+k.Word+" N: "+k.Hint)
	}
	f.p.out.line(strings.Join(append(lines, strings.Join(words, ", ")+"."), "\n"))
}

// deleting is the word for deleting an item.
func deleting(c command.Choice) string { return cmp.Or(c.Deleting, "delete") }

// line returns an item as a line.
func line(it command.Item) string {
	var parts []string
	used := ""
	if !it.Used.IsZero() {
		used = it.Used.Format("2006-01-02 15:04")
	}
	columns := strings.Join(slices.DeleteFunc(slices.Clone(it.Columns), func(c string) bool { return c == "" }), ", ")
	for _, text := range []string{command.Unless(it.Columns != nil, it.Group), it.Title, used, it.Detail, columns, it.Why} {
		if text != "" {
			parts = append(parts, termtext.Line(text))
		}
	}
	text := strings.Join(parts, ": ")
	switch {
	case it.Pending:
		text += " (not confirmed)"
	case it.Current:
		text += " (current)"
	}
	return text
}

// doing returns what choosing an item does, nil for nothing.
func doing(it command.Item) func() {
	if it.Open != nil {
		return it.Open
	}
	return it.Do
}

// staying is a list that stays although an item was chosen. It is written again once nothing is
// asked and nothing works.
type staying struct {
	f *front
	c command.Choice
}

// pick returns what choosing an item does.
func (f *front) pick(c command.Choice, it command.Item) func() {
	return func() {
		if it.Stays && c.Ask != "" {
			f.p.staying = &staying{f, c}
		}
		doing(it)()
	}
}

// again writes the list that stays, if there is one.
func (p *program) again() {
	if s := p.staying; s != nil && p.working == 0 {
		if p.staying = nil; s.c.Title != "" && !s.c.Loading {
			s.f.choose(s.c)
		}
	}
}

// numbered returns the items that can be chosen, in the order of their numbers.
func numbered(c command.Choice) (all []command.Item) {
	for _, it := range c.Items {
		if choosable(it) {
			all = append(all, it)
		}
	}
	if c.Backwards {
		slices.Reverse(all)
	}
	return all
}

func choosable(it command.Item) bool { return it.Why == "" && doing(it) != nil }

// chosen returns what words do, nil if they fit nothing: they are the number or name of an item,
// perhaps with words about it, or one of the choice's keys and an item.
func (f *front) chosen(c command.Choice, words string) func() {
	if it := item(c, words); it != nil {
		return f.leaving(c, f.pick(c, *it))
	}
	word, rest, _ := strings.Cut(words, " ")
	if it := item(c, strings.TrimSpace(rest)); it != nil {
		if word == deleting(c) && it.Delete != nil {
			return f.reports(it.Delete)
		}
		for i, k := range c.Keys {
			if why := it.Refused[k.ID]; k.Word == word && why != "" {
				return func() { f.Say(why) }
			}
			if k.Word == word && i < len(it.Also) {
				return f.reports(it.Also[i])
			}
		}
	}
	if do := f.keyWords(c, word, rest); do != nil {
		return do
	}
	for at := len(words) - 1; at > 0; at-- { // the longest name first
		if words[at] != ' ' {
			continue
		}
		if it := item(c, words[:at]); it != nil && it.Open != nil {
			f.words = strings.TrimSpace(words[at:])
			return it.Open
		}
	}
	return nil
}

// keyWords returns what one of the choice's keys does with an item and words about it, nil if there is
// no such key or item.
func (f *front) keyWords(c command.Choice, word, rest string) func() {
	i := slices.IndexFunc(c.Keys, func(k command.Key) bool { return k.Word == word && word != "" })
	for at := len(rest) - 1; at > 0 && i >= 0; at-- { // the longest name first
		if rest[at] != ' ' {
			continue
		}
		if it := item(c, rest[:at]); it != nil && i < len(it.Also) && it.Also[i] != nil && it.Refused[c.Keys[i].ID] == "" {
			return func() {
				f.words = strings.TrimSpace(rest[at:])
				it.Also[i]()
				f.words = ""
			}
		}
	}
	return nil
}

// reports returns a function that says that do is done, unless do says more.
func (f *front) reports(do func()) func() {
	return func() {
		waits := f.p.working
		f.said = false
		if do(); !f.said && f.p.working == waits {
			f.Say("done")
		}
	}
}

// item returns the item that a text names, nil if there is none: by its ID, title, number or words.
func item(c command.Choice, text string) *command.Item {
	all := numbered(c)
	n, _ := strconv.Atoi(text)
	for _, is := range []func(command.Item) bool{
		func(it command.Item) bool { return it.ID == text },
		func(it command.Item) bool { return strings.EqualFold(it.Title, text) },
		func(it command.Item) bool { return n > 0 && n <= len(all) && it.ID == all[n-1].ID },
		func(it command.Item) bool {
			return slices.ContainsFunc(strings.Fields(it.Words), func(w string) bool { return strings.EqualFold(w, text) })
		},
	} {
		if i := slices.IndexFunc(all, is); i >= 0 {
			return &all[i]
		}
	}
	return nil
}
