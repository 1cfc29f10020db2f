package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/session"
	"parley/internal/termtext"
)

// promptList is an open list of the session's prompts, to rewind to or to fork before. It
// finds out in the background what a rewind to each of them does.
type promptList struct {
	f       Front
	live    *app.Live
	update  func(Choice) bool
	prompts []conversation.Prompt // the latest first
	since   map[int]journal.Tally // by turn
	plans   map[int]*journal.RewindPlan
	marked  string
}

// choosePrompt opens the list.
func choosePrompt(f Front) {
	l := f.Live()
	p := &promptList{f: f, live: l, prompts: l.Conversation.Prompts(), plans: map[int]*journal.RewindPlan{}}
	slices.Reverse(p.prompts)
	s := l.Session
	c := p.choice()
	c.Loading = s.Journal() != nil
	p.update = f.Choose(c)
	if !c.Loading {
		return
	}
	getOr(f, func(err error) {
		f.Say(err.Error())
		p.update(p.choice())
	}, settled(s, session.CountChanges{}), func(since map[int]journal.Tally) {
		p.since = since
		if p.update(p.choice()) {
			p.planNext()
		}
	})
}

// settled returns what does an act once the changes of the agent are recorded.
func settled[R any](s session.Doer, a session.Act[R]) func(context.Context) (R, error) {
	return func(ctx context.Context) (r R, err error) {
		if err := session.Try(ctx, s, session.AwaitChanges{}); err != nil {
			return r, err
		}
		return session.Do(ctx, s, a)
	}
}

// turn returns the journal's turn of a prompt, or 0.
func (p *promptList) turn(prompt conversation.Prompt) int {
	return app.TurnOf(p.live.Session.Journal(), prompt)
}

// planNext plans the rewind to the marked prompt, or else to the next one without a plan,
// as long as the list is open.
func (p *promptList) planNext() {
	next := 0
	for _, prompt := range p.prompts {
		turn := p.turn(prompt)
		if turn == 0 || p.plans[turn] != nil {
			continue
		}
		if marked := promptID(prompt) == p.marked; next == 0 || marked {
			next = turn
		}
	}
	if next == 0 {
		return
	}
	Get(p.f, "", does(p.live.Session, session.PlanRewind{Turn: next}), func(plan *journal.RewindPlan) {
		p.plans[next] = plan
		if p.update(p.choice()) {
			p.planNext()
		}
	})
}

// pathIn shortens paths as seen from the directory of the session.
func pathIn(f Front) func(string) string {
	from := f.Live().Conversation.Cwd
	return func(path string) string { return f.Path(from, path) }
}

func promptID(p conversation.Prompt) string { return fmt.Sprint("prompt ", p.Number) }

func (p *promptList) choice() Choice {
	items, stays := RewindItems(p.f), NoBranch(p.f)
	for _, prompt := range p.prompts {
		item := Item{
			ID: promptID(prompt), Title: app.PromptLine(conversation.QueuedPrompt{Prompt: prompt.Blocks}), Used: prompt.At,
			About: app.WayTo(p.live.Conversation, prompt.Number).Text() + ".",
			Do:    func() { planRewind(p.f, prompt) }, Also: []func(){func() { p.f.Fork(prompt.Number) }},
		}
		if stays != "" {
			item.About = termtext.Capital(stays) + "."
		}
		if turn := p.turn(prompt); turn != 0 {
			if since := p.since[turn]; since.Files > 0 {
				item.Detail = fmt.Sprintf("%s  +%d −%d", termtext.Count(since.Files, "file"), since.Added, since.Removed)
			}
			if plan := p.plans[turn]; plan != nil {
				lines := app.RewindLines(plan, pathIn(p.f))
				if len(lines) > 0 {
					lines = []string{strings.Join(lines, "; ") + "."}
				}
				item.About = strings.Join(append(append(lines, unseen(plan, lines)...), item.About), " ")
			}
		}
		items = append(items, item)
	}
	return Choice{
		Title: "Rewind to before a prompt", Filter: true, Choosing: "rewind", Backwards: true, Items: items,
		Keys: []Key{{ID: DialogFork, Hint: "fork from here", Word: "fork", Closes: true}}, Marked: func(id string) { p.marked = id },
	}
}

// unseen says what a plan with these lines does not know.
func unseen(p *journal.RewindPlan, lines []string) (said []string) {
	if len(lines) == 0 {
		said = append(said, "parley has recorded no change since.")
	}
	if p.Limits != "" {
		said = append(said, termtext.Capital(p.Limits)+".")
	}
	return said
}

// RewindItems returns the item that undoes the last rewind of files, if there is one.
func RewindItems(f Front) []Item {
	j := f.Live().Session.Journal()
	if j == nil || j.LastRewind == 0 {
		return nil
	}
	return []Item{{
		ID: "undo-rewind", Title: "Undo the rewind", Words: "redo undo restore",
		About: "The files become as they were before the rewind. The earlier conversation is in the list of sessions.",
		Do:    func() { undoRewind(f) },
	}}
}

func undoRewind(f Front) {
	l := f.Live()
	if why := noRewind(f); why != "" && l.Conversation.Turn.Running {
		f.Say(why)
		return
	}
	if l.Session.Journal().LastRewind == 0 { // something was undone since
		f.Say("there is no rewind to undo")
		return
	}
	getOr(f, func(err error) { f.Tell("The rewind was not undone", err.Error()) }, does(l.Session, session.Redo{}), func(done journal.Done) {
		f.Say(fmt.Sprintf("undid the rewind: %s changed. The earlier conversation: %s", termtext.Count(len(done.Files), "file"), f.KeyOf(Sessions)))
	})
}

// rewind is a rewind to before a prompt that the user is asked about.
type rewind struct {
	f      Front
	live   *app.Live
	prompt conversation.Prompt
	plan   *journal.RewindPlan // nil if the journal does not have the prompt
	chosen []journal.Part      // of the files that the plan leaves alone
}

// planRewind plans the rewind to before a prompt, and asks how far it goes.
func planRewind(f Front, prompt conversation.Prompt) {
	r := &rewind{f: f, live: f.Live(), prompt: prompt}
	s := r.live.Session
	turn := app.TurnOf(s.Journal(), prompt)
	if turn == 0 {
		r.ask()
		return
	}
	getOr(f, func(err error) { f.Tell("Nothing was rewound", err.Error()) }, settled(s, session.PlanRewind{Turn: turn}), func(plan *journal.RewindPlan) {
		r.plan = plan
		r.ask()
	})
}

// files returns how many files the rewind changes.
func (r *rewind) files() int {
	if r.plan == nil {
		return 0
	}
	return r.plan.Tally().Files + len(r.chosen)
}

// ask asks what goes back.
func (r *rewind) ask() {
	q := app.Question{
		Title: fmt.Sprintf("Rewind to before prompt %d?", r.prompt.Number),
		While: func() bool { return r.f.Live() == r.live && noRewind(r.f) == "" },
	}
	why := NoBranch(r.f)
	talks := why == ""
	about := []string{cmp.Or(why, app.WayTo(r.live.Conversation, r.prompt.Number).Text()+".")}
	switch {
	case r.plan == nil:
		about = append(about, "parley has not recorded the files of this prompt.")
	default:
		q.Lines = app.RewindLines(r.plan, pathIn(r.f), r.chosen...)
		about = append(about, unseen(r.plan, q.Lines)...)
	}
	q.Text = strings.Join(about, "\n")
	add := func(name, more, key string, do func()) {
		q.Choices = append(q.Choices, app.Choice{Name: name, More: more, Key: key, Here: do})
	}
	n := termtext.Count(r.files(), "file")
	if talks && r.files() > 0 {
		add("Conversation and files", n+"; this session stays in the list", "b", func() { r.branch(true) })
	}
	if r.files() > 0 {
		add("Files only", n+"; the agent is not told", "f", r.filesOnly)
	}
	if talks {
		add("Conversation only", "the files stay; this session stays in the list", "c", func() { r.branch(false) })
	}
	if r.plan != nil {
		if left := app.Unsettled(r.plan); len(left) > 0 {
			add("Choose more files…", termtext.Count(len(left), "file")+" to choose from", "m", func() { r.chooseFiles(left) })
		}
	}
	q.Choices = append(q.Choices, app.Choice{Name: "Stay here", Key: "s"})
	r.f.Ask(q)
}

// chooseFiles lets the user choose among the files that a rewind leaves alone.
func (r *rewind) chooseFiles(left []journal.RewindFile) {
	r.f.Choose(Choice{
		Title: "Rewind these files too", Ask: "Which file, too?", Space: true, Choosing: "choose", Closing: "done", Left: r.ask,
		About: "They lose what has changed in them since.",
		Now: func() (items []Item) {
			for i, f := range left {
				detail := "you have changed the same lines since"
				if f.Effect == journal.EffectSeen {
					detail = "the change may be your own"
				}
				items = append(items, Item{
					ID: fmt.Sprint(i), Title: pathIn(r.f)(f.Path), Detail: detail, Current: slices.Contains(r.chosen, f.Part),
					Do: func() { r.toggle(f.Part) }, Stays: true,
				})
			}
			return items
		},
	})
}

func (r *rewind) toggle(part journal.Part) {
	if i := slices.Index(r.chosen, part); i >= 0 {
		r.chosen = slices.Delete(r.chosen, i, i+1)
	} else {
		r.chosen = append(r.chosen, part)
	}
}

// failed says why nothing happened. A stale plan is shown again as it is now.
func (r *rewind) failed(err error) {
	if errors.Is(err, journal.ErrStale) {
		r.f.Say(err.Error())
		planRewind(r.f, r.prompt)
		return
	}
	r.f.Tell("Nothing was rewound", err.Error())
}

// rewindFiles rewinds the files.
func (r *rewind) rewindFiles(ctx context.Context) (journal.Done, error) {
	return session.Do(ctx, r.live.Session, session.Rewind{Plan: r.plan, Chosen: r.chosen})
}

// filesOnly rewinds the files, and not the conversation.
func (r *rewind) filesOnly() {
	getOr(r.f, r.failed, r.rewindFiles, func(done journal.Done) { app.NoteRewind(r.live.Session, r.prompt.Number, done) })
}

// branch continues from before the prompt, in place of this session; files says whether to rewind
// them, too.
func (r *rewind) branch(files bool) {
	if why := noRewind(r.f); why != "" {
		r.f.Say(why)
		return
	}
	own := app.Spec{Stored: r.f.StoredID(), Agent: &r.live.Agent, Keep: r.live.Running() != ""}
	s := own
	s.Branch, s.Replaces = r.prompt.Number, r.live.Session
	var rewound *journal.Done
	r.f.Replace(s, func(ctx context.Context) (*app.Opened, error) {
		if files {
			done, err := r.rewindFiles(ctx)
			if err != nil {
				return nil, err
			}
			rewound = &done
		}
		o, err := r.f.Backend().Make(ctx, s)
		if err == nil && rewound != nil {
			app.NoteRewind(o.Session, r.prompt.Number, *rewound)
		}
		return o, err
	}, func(err error) {
		if files && rewound == nil {
			r.failed(err)
			return
		}
		r.f.Tell("The conversation was not rewound", err.Error())
		r.f.Replace(own, nil, nil)
	})
}
