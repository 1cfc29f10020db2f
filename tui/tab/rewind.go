package tab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/app/command"
	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

// noRewind says why the session cannot be rewound now, or returns "".
func (l *live) noRewind() string {
	switch {
	case l.tab.stored.readOnly != "":
		return l.tab.stored.readOnly
	case l.reopens():
		return "the session is not open yet"
	case l.tab.Works():
		return "the agent is working: wait, or cancel with " + l.tab.keyOf(command.Cancel)
	case len(l.Conversation.Prompts()) == 0:
		return "no prompt was sent in this session"
	}
	return ""
}

// cannotBranch says why the conversation cannot go back, or returns "".
func (l *live) cannotBranch() string {
	why := l.notStored()
	return unless(l.tab.program.Branch != nil && why == "", "the conversation stays: "+why)
}

// notStored says why the session is not stored, or returns "".
func (l *live) notStored() string {
	switch {
	case l.tab.StoredID() != "":
		return ""
	case l.Agent.ID == app.TourID:
		return "the tour is not stored"
	case len(l.Conversation.Prompts()) == 0:
		return "send a prompt first"
	}
	return "this session is not stored"
}

// promptList is an open list of the session's prompts, to rewind to or to fork before. It
// finds out in the background what a rewind to each of them does.
type promptList struct {
	live    *live
	picker  *dialog.Selector
	prompts []conversation.Prompt // the latest first
	since   map[int]journal.Tally // by turn
	plans   map[int]*journal.RewindPlan
	marked  string
}

// listPrompts opens the list.
func (l *live) listPrompts() tea.Cmd {
	p := &promptList{live: l, prompts: l.Conversation.Prompts(), plans: map[int]*journal.RewindPlan{}}
	slices.Reverse(p.prompts)
	p.picker = l.tab.choose(p.content())
	s, ctx := l.Session, l.tab.program.Context
	if s.Journal() == nil {
		return nil
	}
	return inBackground(func() then {
		err := session.Try(ctx, s, session.AwaitChanges{})
		var since map[int]journal.Tally
		if err == nil {
			since, err = session.Do(ctx, s, session.CountChanges{})
		}
		return func() tea.Cmd {
			if err != nil {
				return l.tab.say(err.Error())
			}
			p.since = since
			p.picker.SetList(p.content())
			return p.planNext()
		}
	})
}

// turn returns the journal's turn of a prompt, or 0.
func (p *promptList) turn(prompt conversation.Prompt) int {
	return app.TurnOf(p.live.Session.Journal(), prompt)
}

// planNext plans the rewind to the marked prompt, or else to the next one without a plan,
// as long as the list is open.
func (p *promptList) planNext() tea.Cmd {
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
	if next == 0 || !p.live.tab.dialogs.Has(p.picker) {
		return nil
	}
	s, ctx := p.live.Session, p.live.tab.program.Context
	return inBackground(func() then {
		plan, err := session.Do(ctx, s, session.PlanRewind{Turn: next})
		return func() tea.Cmd {
			if err != nil {
				return p.live.tab.say(err.Error())
			}
			p.plans[next] = plan
			p.picker.SetList(p.content())
			return p.planNext()
		}
	})
}

func promptID(p conversation.Prompt) string { return fmt.Sprint("prompt ", p.Number) }

func (p *promptList) content() dialog.List {
	t := p.live.tab
	list := dialog.List{
		Title: "Rewind to before a prompt", Filter: true, Choosing: "rewind", Marked: func(id string) { p.marked = id },
		Keys: []dialog.ItemKey{{Action: command.DialogFork, Hint: "fork from here", Do: func(it dialog.Item) dialog.Action {
			at := slices.IndexFunc(p.prompts, func(prompt conversation.Prompt) bool { return promptID(prompt) == it.ID })
			if at < 0 {
				return nil
			}
			return dialog.Do(func() tea.Cmd { return p.live.askToFork(p.prompts[at].Number) })
		}}},
	}
	stays := p.live.cannotBranch()
	for _, prompt := range p.prompts {
		item := dialog.SessionItem(app.PromptLine(conversation.QueuedPrompt{Prompt: prompt.Blocks}), prompt.At, t.program.Now())
		item.ID, item.About = promptID(prompt), app.WayTo(p.live.Conversation, prompt.Number).Text()+"."
		if stays != "" {
			item.About = termtext.Capital(stays) + "."
		}
		if turn := p.turn(prompt); turn != 0 {
			if since := p.since[turn]; since.Files > 0 {
				item.Detail = fmt.Sprintf("%s%s  %s", item.Detail, app.CountFiles(since.Files), toolview.Counts{Added: since.Added, Removed: since.Removed})
			}
			if plan := p.plans[turn]; plan != nil {
				item.About = cmp.Or(strings.Join(p.live.rewindLines(plan), "; "), "No file has changed since") + ". " + item.About
			}
		}
		item.Do = dialog.Do(func() tea.Cmd { return p.live.chooseRewind(prompt) })
		list.Items = append(list.Items, item)
	}
	list.Items = append(p.live.rewindItems(), list.Items...)
	return list
}

func (l *live) rewindLines(plan *journal.RewindPlan, chosen ...journal.Part) []string {
	return app.RewindLines(plan, toolview.PathsIn(l.tab.cwd).Path, chosen...)
}

// rewindItems returns the item that undoes the last rewind of files, if there is one.
func (l *live) rewindItems() []dialog.Item {
	j := l.Session.Journal()
	if j == nil || j.LastRewind == 0 {
		return nil
	}
	return []dialog.Item{{
		ID: "undo-rewind", Title: "Undo the rewind", Words: "redo undo restore",
		About: "The files become as they were before the rewind. The earlier conversation is in the list of sessions.",
		Do:    dialog.Do(l.undoRewind),
	}}
}

func (l *live) undoRewind() tea.Cmd {
	if why := l.noRewind(); why != "" && l.tab.Works() {
		return l.tab.say(why)
	}
	s, ctx := l.Session, l.tab.program.Context
	return inBackground(func() then {
		if s.Journal().LastRewind == 0 { // something was undone since
			return func() tea.Cmd { return l.tab.say("there is no rewind to undo") }
		}
		done, err := session.Do(ctx, s, session.Redo{})
		if err != nil {
			return l.tab.failed(err)
		}
		return func() tea.Cmd {
			return l.tab.say(fmt.Sprintf("undid the rewind: %s changed. The earlier conversation: %s", app.CountFiles(len(done.Files)), keyOrPalette(l.tab.program.Keys, command.Sessions)))
		}
	})
}

// rewind is a rewind to before a prompt that the user is asked about.
type rewind struct {
	live   *live
	prompt conversation.Prompt
	plan   *journal.RewindPlan // nil if the journal does not have the prompt
	chosen []journal.Part      // of the files that the plan leaves alone
}

// chooseRewind plans the rewind to before a prompt, and asks how far it goes.
func (l *live) chooseRewind(prompt conversation.Prompt) tea.Cmd {
	r := &rewind{live: l, prompt: prompt}
	s, ctx := l.Session, l.tab.program.Context
	turn := app.TurnOf(s.Journal(), prompt)
	if turn == 0 {
		r.ask()
		return nil
	}
	return inBackground(func() then {
		err := session.Try(ctx, s, session.AwaitChanges{})
		if err == nil {
			r.plan, err = session.Do(ctx, s, session.PlanRewind{Turn: turn})
		}
		if err != nil {
			return l.tab.failed(err)
		}
		return func() tea.Cmd { r.ask(); return nil }
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
	t := r.live.tab
	q := dialog.Confirmation{
		Title: fmt.Sprintf("Rewind to before prompt %d?", r.prompt.Number),
		While: func() bool { return t.state == state(r.live) && r.live.noRewind() == "" },
	}
	way := app.WayTo(r.live.Conversation, r.prompt.Number).Text() + "."
	talks, why := true, r.live.cannotBranch()
	if why != "" {
		way, talks = why, false
	}
	about := []string{way}
	switch {
	case r.plan == nil:
		about = append(about, "parley has not recorded the files of this prompt.")
	default:
		if q.Lines = r.live.rewindLines(r.plan, r.chosen...); len(q.Lines) == 0 {
			about = append(about, "No file has changed since.")
		}
		if limits := app.RewindLimits(r.plan); limits != "" {
			about = append(about, limits)
		}
	}
	q.Text = strings.Join(about, "\n")
	add := func(name, more, key string, do func() tea.Cmd) {
		q.Choices = append(q.Choices, dialog.Choice{Name: name, More: more, Key: key, Do: dialog.Do(do)})
	}
	n := app.CountFiles(r.files())
	if talks && r.files() > 0 {
		add("Conversation and files", n+"; this session stays in the list", "b", func() tea.Cmd { return r.branch(true) })
	}
	if r.files() > 0 {
		add("Files only", n+"; the agent is not told", "f", r.filesOnly)
	}
	if talks {
		add("Conversation only", "the files stay; this session stays in the list", "c", func() tea.Cmd { return r.branch(false) })
	}
	if r.plan != nil {
		if left := app.Unsettled(r.plan); len(left) > 0 {
			add("Choose more files…", app.CountFiles(len(left))+" to choose from", "m", func() tea.Cmd { r.chooseFiles(left); return nil })
		}
	}
	q.Choices = append(q.Choices, dialog.Choice{Name: "Stay here", Key: "s", Do: dialog.Close{}})
	t.ask(q)
}

// chooseFiles lets the user choose among the files that a rewind leaves alone.
func (r *rewind) chooseFiles(left []journal.RewindFile) {
	t := r.live.tab
	at := toolview.PathsIn(t.cwd)
	again := dialog.Do(func() tea.Cmd { r.ask(); return nil })
	t.dialogs.Push(dialog.NewFollowing(t.env(), dialog.List{
		Title: "Rewind these files too", Space: true, Choosing: "choose", Closing: "done", Instead: again,
		About: "They lose what has changed in them since.",
	}, func() []dialog.Item {
		var items []dialog.Item
		for i, f := range left {
			detail := "you have changed the same lines since"
			if f.Effect == journal.EffectSeen {
				detail = "the change may be your own"
			}
			items = append(items, dialog.Item{
				ID: fmt.Sprint(i), Title: at.Path(f.Path), Detail: detail, Current: slices.Contains(r.chosen, f.Part),
				Do: dialog.Stay(func() tea.Cmd { r.toggle(f.Part); return nil }),
			})
		}
		return items
	}))
}

func (r *rewind) toggle(part journal.Part) {
	if i := slices.Index(r.chosen, part); i >= 0 {
		r.chosen = slices.Delete(r.chosen, i, i+1)
	} else {
		r.chosen = append(r.chosen, part)
	}
}

// failed says why nothing happened. A stale plan is shown again as it is now.
func (r *rewind) failed(err error) tea.Cmd {
	t := r.live.tab
	if errors.Is(err, journal.ErrStale) {
		return tea.Batch(t.say(err.Error()), r.live.chooseRewind(r.prompt))
	}
	t.tell("Nothing was rewound", err.Error())
	return nil
}

// filesOnly rewinds the files.
func (r *rewind) filesOnly() tea.Cmd {
	s, ctx := r.live.Session, r.live.tab.program.Context
	return inBackground(func() then {
		done, err := session.Do(ctx, s, session.Rewind{Plan: r.plan, Chosen: r.chosen})
		if err != nil {
			return func() tea.Cmd { return r.failed(err) }
		}
		app.NoteRewind(s, r.prompt.Number, done)
		return nil
	})
}

// branch continues from before the prompt in this tab; files says whether to rewind them, too.
func (r *rewind) branch(files bool) tea.Cmd {
	t := r.live.tab
	if why := r.live.noRewind(); why != "" {
		return t.say(why)
	}
	p, agent, old := t.program, r.live.Agent, r.live.Session
	open := app.Open{ID: t.StoredID(), Agent: &agent, Keep: r.live.Running() != ""}
	var rewound *journal.Done
	begun := sync.OnceValues(func() (*app.Branched, error) {
		if files {
			done, err := session.Do(p.Context, old, session.Rewind{Plan: r.plan, Chosen: r.chosen})
			if err != nil {
				return nil, err
			}
			rewound = &done
		}
		if open.Replaces = old; !open.Keep {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(p.Context), app.StopTime)
			defer cancel()
			app.End(ctx, old) // so that the branch goes on with its undo
		}
		b, err := p.Branch(p.Context, open, r.prompt.Number, "")
		if err == nil && rewound != nil {
			app.NoteRewind(b.Session, r.prompt.Number, *rewound)
		}
		return b, err
	})
	r.live.reopening = func() app.Session {
		if b, _ := begun(); b != nil {
			return b.Session
		}
		return nil
	}
	return inBackground(func() then {
		b, err := begun()
		return func() tea.Cmd {
			switch {
			case t.state != state(r.live):
				if b == nil {
					return nil
				}
				return send(End{func(ctx context.Context) { app.End(ctx, b.Session) }})
			case err == nil:
				return t.showBranch(b)
			}
			r.live.reopening = nil
			held := t.prompts.ReturnToDraft()
			if files && rewound == nil {
				return tea.Batch(held, r.failed(err))
			}
			t.tell("The conversation was not rewound", err.Error())
			open.Replaces = nil
			return tea.Batch(held, t.reopenStored(open))
		}
	})
}

// showBranch shows a branch of a session and starts it. Its prompt becomes the draft.
func (t *Tab) showBranch(b *app.Branched) tea.Cmd {
	keep := t.composer.Keep(t.composer.Text())
	t.composer.SetText("")
	c := b.Transcript.Conversation
	l := t.adopt(b.Live())
	cmds := []tea.Cmd{keep, l.restoreView(reopenedMsg{from: app.Open{ID: b.Transcript.Meta.ID}, Reopened: b.Reopened})}
	t.stored.earlier = b.Earlier
	var back []conversation.QueuedPrompt
	if b.Prompt != nil {
		back = append(back, conversation.QueuedPrompt{Prompt: b.Prompt})
	}
	cmds = append(cmds, t.prompts.ReturnToDraft(back...), l.pump.next, t.readBranch(), t.diffPositions.Locate(t.cwd, diffFragments(c)))
	session.Post(l.Session, session.Start{})
	l.askToTrustRules()
	return tea.Batch(cmds...)
}

// askToFork asks where to fork the session before a prompt, counted as
// [conversation.Conversation.Prompts] does; one more than there are means all of it.
func (l *live) askToFork(prompt int) tea.Cmd {
	if l.cannotBranch() != "" {
		return l.tab.say("no fork: " + l.notStored())
	}
	title := fmt.Sprintf("Fork before prompt %d", prompt)
	if prompt > len(l.Conversation.Prompts()) {
		title = "Fork this session"
	}
	l.tab.ask(dialog.Confirmation{
		Title: title, Text: app.WayTo(l.Conversation, prompt).Text() + ".\nThis session and its files stay as they are.",
		Choices: []dialog.Choice{
			{Name: "In a new tab", Key: "t", Do: dialog.Do(func() tea.Cmd { return l.fork(prompt, false) })},
			{Name: "In a new tab, in a worktree", Key: "w", Do: dialog.Do(func() tea.Cmd { return l.fork(prompt, true) })},
			{Name: "Stay here", Key: "s", Do: dialog.Close{}},
		},
	})
	return nil
}

// forkAll asks where to fork the whole session. One that is not stored is forked here.
func (l *live) forkAll() tea.Cmd {
	if l.cannotBranch() != "" {
		return l.tab.try(l.Session, session.Fork{})
	}
	if why := l.noRewind(); why != "" {
		return l.tab.say(why)
	}
	return l.askToFork(len(l.Conversation.Prompts()) + 1)
}

// fork opens a fork of the session in a new tab.
func (l *live) fork(prompt int, worktree bool) tea.Cmd {
	p, id, agent, old, dir := l.tab.program, l.tab.StoredID(), l.Agent, l.Session, l.tab.cwd
	kept := l.Running() != ""
	return tea.Batch(l.tab.say("forking the session"), inBackground(func() then {
		cwd := ""
		if worktree {
			var err error
			if cwd, err = p.Worktree(p.Context, dir); err != nil {
				return l.tab.failed(err)
			}
		}
		b, err := p.Branch(p.Context, app.Open{ID: id, Agent: &agent, Keep: kept}, prompt, cwd)
		if err != nil {
			return l.tab.failed(err)
		}
		b.TellOld(old)
		return func() tea.Cmd {
			return p.Tabs.OpenWith(b.Transcript.Meta.Cwd, func(n *Tab) tea.Cmd { return n.address(n.showBranch(b)) })
		}
	}))
}
