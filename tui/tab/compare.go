package tab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/compare"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/journal"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/termtext"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/diffview"
	"parley/tui/pages"
)

// comparison is a comparison of agents that is open in the program: its page, and the tabs of
// its sides. It does what the page cannot do itself, in the tab that shows the page.
type comparison struct {
	*compare.Contest
	*front        // of home
	home   *Tab   // shows the page
	tabs   []*Tab // of the sides; nil, or closed by now, where there is none
	page   *pages.Compare
	// past is what is known of sides without a tab, as they were left. running are the sessions of sides in
	// hosts, nil where there is none, as of when the page was open.
	past    []*app.Overview
	running []*app.Running
	// lost are the prompts that sides never had, which come back as the drafts of their tabs.
	lost map[int]*store.Draft
	// overBudget is the last question about the budget, or nil.
	overBudget dialog.Dialog
}

// noCompare says why agents cannot be compared from here, or returns "".
func noCompare(t *Tab) string {
	switch {
	case t.program.Launcher == nil:
		return "agents cannot be compared here"
	case t.far():
		return "the files of this session are on another machine"
	}
	return ""
}

// openCompare shows the comparison of the tab, or lists those of the repository, to go back to
// one or to begin another.
func openCompare(t *Tab) tea.Cmd {
	if t.compared != nil && !t.compared.page.Over() {
		return t.compared.show(t)
	}
	cfg, dir, ctx := t.program.Launcher.Config, t.cwd, t.program.Context
	return inBackground(func() then {
		found, err := compare.Find(ctx, cfg, dir)
		return func() tea.Cmd {
			switch {
			case err != nil:
				return t.failed("Cannot compare agents", noRepository(err))()
			case len(found) == 0:
				return newCompare(t, "")
			}
			items := []command.Item{{ID: "new", Title: "Compare agents", Detail: "a new comparison", Do: func() { t.acting.add(newCompare(t, "")) }}}
			for _, c := range found {
				var sides []string
				for i := range c.Sides {
					sides = append(sides, c.Title(i))
				}
				items = append(items, command.Item{
					ID: c.Name, Title: c.Prompt, Words: c.Name, Used: c.Began, Detail: strings.Join(sides, ", "), Group: "Continue one",
					Do: func() { t.acting.add(t.reopenCompare(c)) },
				})
			}
			return t.pushLate(dialog.NewSelector(t.env(), command.Choice{Title: "Comparisons", Items: items, Filter: true}))
		}
	})
}

// noRepository adds to an error how to compare without a repository.
func noRepository(err error) error {
	if errors.Is(err, git.ErrNoRepository) {
		return fmt.Errorf("%w\nEach agent of a comparison works in a git worktree of its own: 'git init' makes a repository, 'parley compare' in a shell compares answers without one", err)
	}
	return err
}

// compareForm is a comparison that the user puts together in a list.
type compareForm struct {
	t             *Tab
	prompt, check string
	agents        []config.Agent
	entrants      []compare.Entrant
	changes       bool
	begins        bool
}

// newCompare lists the agents to compare with a prompt, which may be "".
func newCompare(t *Tab, prompt string) tea.Cmd {
	f := &compareForm{t: t, prompt: prompt}
	if f.prompt == "" && !t.composer.Empty() {
		f.prompt = t.composer.Text()
	}
	backend, own := &t.program.Backend, t.agent()
	return inBackground(func() then {
		agents, err := backend.Others(own.ID)
		return func() tea.Cmd {
			if f.agents = agents; own.ID != "" && own.ID != app.TourID {
				f.agents = append([]config.Agent{own}, agents...)
				f.entrants = []compare.Entrant{{Word: own.ID, Agent: own}}
			}
			return tea.Batch(f.show(), t.sayIf(err))
		}
	})
}

// show lists what can be chosen.
func (f *compareForm) show() tea.Cmd {
	return f.t.pushLate(dialog.NewSelector(f.t.env(), command.Choice{
		Title: "Compare agents", About: "The same prompt to each, in a git worktree of its own.",
		Empty: "There are no agents here; parley agents lists some.", Filter: true, Space: true, Now: f.items,
		Gone: f.giveBack,
	}))
}

// giveBack makes the prompt the draft again, unless the comparison begins.
func (f *compareForm) giveBack() {
	if !f.begins && f.prompt != "" && f.t.composer.Empty() {
		f.t.composer.SetText(f.prompt)
	}
}

// write has the user write the prompt.
func (f *compareForm) write() {
	f.t.write("prompt to compare: enter accepts it", f.prompt, func(p *composer.Prompt) {
		switch {
		case p != nil && p.Pastes():
			f.t.composer.Restore(*p)
			f.t.acting.Say("a comparison takes no pasted images: mention a file")
			f.write()
			return
		case p != nil:
			f.prompt = p.Text()
		}
		f.t.acting.add(f.show())
	})
}

// items are what the user chooses from, and the start.
func (f *compareForm) items() []command.Item {
	var names []string
	for _, e := range f.entrants {
		names = append(names, termtext.Line(e.Word))
	}
	start := command.Item{ID: "start", Title: "Start", Detail: strings.Join(names, ", "), Do: f.t.here(f.start)}
	switch n := len(f.entrants); {
	case n < compare.Least || n > compare.Most:
		start.Why = fmt.Sprintf("choose %d to %d agents", compare.Least, compare.Most)
	case strings.TrimSpace(f.prompt) == "":
		start.Why = "write the prompt first"
	}
	items := []command.Item{start, {ID: "prompt", Title: "Prompt", Detail: cmp.Or(termtext.Line(f.prompt), "none yet"), Do: f.write}}
	for _, a := range f.agents {
		in := slices.IndexFunc(f.entrants, func(e compare.Entrant) bool { return e.Word == a.ID })
		items = append(items, command.Item{
			ID: "agent " + a.ID, Title: termtext.Line(a.Name), Words: a.ID, Group: "Agents", Current: in >= 0, Stays: true, Do: func() {
				if in >= 0 {
					f.entrants = slices.Delete(f.entrants, in, in+1)
				} else {
					f.entrants = append(f.entrants, compare.Entrant{Word: a.ID, Agent: a})
				}
			},
		})
	}
	for i, e := range f.entrants {
		if strings.Contains(e.Word, ":") {
			items = append(items, command.Item{
				ID: "entrant " + e.Word, Title: termtext.Line(e.Word), Group: "Agents", Current: true, Stays: true,
				Do: func() { f.entrants = slices.Delete(f.entrants, i, i+1) },
			})
		}
	}
	yesNo := map[bool]string{true: "yes", false: "no"}
	return append(items,
		command.Item{ID: "settings", Title: "An agent with other settings", Detail: "such as claude:model=opus,mode=plan", Group: "More", Stays: true, Do: func() {
			f.t.ask(app.Question{Title: "Agent and settings", Hint: "claude:model=opus,mode=plan", EnterHere: func(word string) { f.t.acting.add(f.add(word)) }})
		}},
		command.Item{ID: "check", Title: "Check", Detail: cmp.Or(termtext.Line(f.check), "none: a command that tests what each has done"), Group: "More", Stays: true, Do: func() {
			f.t.ask(app.Question{Title: "Command that tests what each has done", Hint: "go test ./...", Entered: f.check, EnterHere: func(words string) { f.check = strings.TrimSpace(words) }})
		}},
		command.Item{ID: "changes", Title: "Include uncommitted changes", Detail: yesNo[f.changes], Group: "More", Stays: true, Do: func() { f.changes = !f.changes }})
}

// add adds an agent with settings.
func (f *compareForm) add(word string) tea.Cmd {
	if word = strings.TrimSpace(word); word == "" {
		return nil
	}
	e, err := compare.ParseEntrant(f.t.program.Launcher.Config, word)
	if err != nil {
		return f.t.say(err.Error())
	}
	f.entrants = append(f.entrants, e)
	return nil
}

// start makes the worktrees, and a tab for each.
func (f *compareForm) start() tea.Cmd {
	t := f.t
	if f.begins = true; t.composer.Text() == f.prompt {
		t.composer.Clear()
	}
	ctx, opt := t.program.Context, f.options()
	return t.working("making "+termtext.Count(len(f.entrants), "worktree"), func(tell func(string)) then {
		opt.Tell = tell
		made, err := compare.Begin(ctx, opt)
		return func() tea.Cmd {
			if err != nil {
				f.begins = false
				f.giveBack()
				return t.failed("Cannot compare agents", noRepository(err))()
			}
			return t.beginCompare(made)
		}
	})
}

// options are what the form says. A comparison from a worktree is one of where that was made for.
func (f *compareForm) options() compare.Options {
	opt := compare.Options{Config: f.t.program.Launcher.Config, Dir: f.t.cwd, Prompt: f.prompt, Check: f.check, Entrants: f.entrants, Changes: f.changes}
	if f.t.worktree != nil {
		opt.Dir = git.Original(f.t.cwd)
	}
	return opt
}

// beginCompare opens a tab for each side, sends the prompt, and shows the page.
func (t *Tab) beginCompare(made *compare.Comparison) tea.Cmd {
	c := t.newComparison(made)
	var cmds []tea.Cmd
	for i := range made.Sides {
		cmds = append(cmds, c.begin(i, made.Prompt))
	}
	cmds = append(cmds, c.show(t))
	if made.Without != "" {
		cmds = append(cmds, t.say(made.Without))
	}
	return tea.Batch(cmds...)
}

// begin opens a tab for a side and sends it the prompts.
func (c *comparison) begin(side int, prompts ...string) tea.Cmd {
	s := c.Sides[side]
	n, cmd := c.open(side, app.Spec{Agent: &s.Agent, Cwd: s.Dir})
	n.setName(c.Title(side))
	all := []tea.Cmd{cmd}
	for _, prompt := range prompts {
		all = append(all, n.Ask(prompt))
	}
	return tea.Batch(all...)
}

// reopenCompare shows a comparison that was found again, where it is open if it is.
func (t *Tab) reopenCompare(found *compare.Comparison) tea.Cmd {
	for _, other := range t.program.Tabs.All() {
		if c := other.compared; c != nil && c.Name == found.Name {
			return c.show(t)
		}
	}
	return t.newComparison(found).show(t)
}

func (t *Tab) newComparison(of *compare.Comparison) *comparison {
	c := &comparison{Contest: compare.NewContest(of), front: t.acting, home: t, tabs: make([]*Tab, len(of.Sides)), past: make([]*app.Overview, len(of.Sides)), running: make([]*app.Running, len(of.Sides))}
	t.compared = c
	c.Session = func(side int) app.Session {
		if l := c.live(side); l != nil {
			return l.Session
		}
		return nil
	}
	c.Run = func(ctx context.Context, side int) (compare.Checked, error) {
		return c.home.program.Launcher.RunFor(ctx, of.Sides[side].Agent, of.Sides[side].Dir, of.Check, 0)
	}
	env := t.pageEnv(&diffview.Preference{})
	env.Now = func() time.Time { return c.home.now() }
	c.page = pages.NewCompare(env, c, c.Contest)
	return c
}

// show shows the page: in its tab, or in this one if that was closed.
func (c *comparison) show(t *Tab) tea.Cmd {
	if c.home != t && t.number(c.home) > 0 && c.home.dialogs.Has(c.page) {
		t.program.Tabs.Show(c.home)
		return nil
	}
	if c.home != t {
		c.home.dialogs.Close(c.page)
		c.home, c.front = t, t.acting
		c.page.SetTheme(t.program.Theme)
	}
	var late tea.Cmd
	if !t.dialogs.Has(c.page) {
		late = tea.Batch(t.pushLate(c.page), c.do(func() { command.Watch(c.page.Until(), c.front, c.runs) }))
	}
	return t.address(tea.Batch(late, c.page.Open(), c.readPast()))
}

// runs follows the sessions of sides in hosts.
func (c *comparison) runs(all []app.Running) {
	for i, s := range c.Sides {
		was, now := c.running[i], (*app.Running)(nil)
		if at := slices.IndexFunc(all, func(r app.Running) bool { return r.Cwd == s.Dir && !r.Over }); at >= 0 {
			now = &all[at]
		}
		if c.running[i] = now; c.tab(i) == nil && now != nil {
			c.Spent(i, now.Spent)
		}
		switch {
		case c.tab(i) != nil, now == was:
		case now == nil:
			c.past[i] = nil
			c.add(c.readPast())
		case was == nil || !was.Working:
			if now.Working {
				c.Works(i)
			}
		case !now.Working:
			c.add(c.page.Ended(i))
		case was.Step != now.Step:
			c.add(c.page.Changes(i))
		}
	}
}

// usedElsewhere stands for how the turn of a side has ended that runs in another parley.
const usedElsewhere = "in use by another parley"

// readPast reads what the sessions of sides that do not run have said and spent. It offers the prompt to
// those that never had it.
func (c *comparison) readPast() tea.Cmd {
	p := c.home.program
	if p.Stored == nil {
		return nil
	}
	var closed []int
	for i := range c.Sides {
		if c.tab(i) == nil && (c.past[i] == nil || c.past[i].Ending.How == usedElsewhere) {
			closed = append(closed, i)
		}
	}
	return inBackground(func() then {
		past := make([]*app.Overview, len(c.Sides))
		unsent := map[int]*store.Draft{}
		for _, i := range closed {
			last, err := lastIn(p, c.Sides[i].Dir)
			switch {
			case err != nil: // its tab says so
			case last == nil:
				if draft := c.unsent(i); draft != nil {
					past[i], unsent[i] = &app.Overview{Last: []string{"The prompt was not sent."}}, draft
				}
			case last.Running == "" && last.Stored != "":
				if t, err := p.Stored.Read(p.Context, last.Stored); err == nil {
					past[i] = new(app.OverviewOf(&t.Conversation.State, nil))
				}
				if works, _ := app.WorksIn(c.Sides[i].Tree.Path); works && past[i] != nil {
					past[i].Ending, past[i].Queued = conversation.Ending{How: usedElsewhere}, 0
				}
			}
		}
		return func() tea.Cmd {
			for _, i := range closed {
				if past[i] != nil && c.tab(i) == nil {
					c.past[i] = past[i]
					c.Spent(i, past[i].Spent)
				}
			}
			c.offer(unsent)
			return nil
		}
	})
}

// unsent returns the prompt of a side without a session if it was not sent: the draft that was left there,
// or the one that is noted if the worktree was never prepared. nil means that it may have been sent.
func (c *comparison) unsent(side int) *store.Draft {
	s := c.Sides[side]
	if works, err := app.WorksIn(s.Tree.Path); works || err != nil {
		return nil
	}
	left, _, _ := c.home.program.Stored.TakeDraft(s.Dir)
	if left.View == (store.View{}) && s.Tree.Fresh {
		left.View.Draft = c.Prompt
	}
	if left.View.Text() == "" {
		return nil
	}
	return left
}

// offer asks whether to send a prompt to sides that never had it. Otherwise their tabs have it as the
// draft, as those of sides have where more was written since.
func (c *comparison) offer(unsent map[int]*store.Draft) {
	sides := slices.Sorted(maps.Keys(unsent))
	if len(sides) == 0 {
		return
	}
	var names []string
	same, others, texts := []int{}, "", unsent[sides[0]].View.Texts()
	for _, i := range sides {
		if names = append(names, c.Title(i)); slices.Equal(unsent[i].View.Texts(), texts) {
			same = append(same, i)
		} else {
			others += "\nIn the tab of " + c.Title(i) + " stands another text, which stays there."
		}
	}
	prompt, send := strings.Join(texts, "\n❯ "), app.Choice{Name: "Send it", Key: "s", Risky: true, Here: c.home.here(func() tea.Cmd {
		var all []tea.Cmd
		for _, i := range same {
			if c.tab(i) == nil {
				all = append(all, c.begin(i, texts...))
				c.tab(i).drafts.is(unsent[i])
			}
		}
		return tea.Batch(all...)
	})}
	if c.Shortened(prompt) {
		send.Why, prompt = "only its beginning was noted", prompt+"\nOnly this was noted of it."
	}
	c.lost = unsent
	c.home.ask(app.Question{
		Title: "The prompt was not sent", Text: "parley ended while it set up the worktrees of " + strings.Join(names, ", ") + ".\n❯ " + termtext.Block(prompt) + others,
		Choices: []app.Choice{{Name: "Keep it", Key: "k"}, send},
	})
}

// Past implements pages.CompareHost.
func (c *comparison) Past(side int) *app.Overview {
	if o := c.past[side]; o != nil {
		return &app.Overview{Ending: o.Ending, Last: o.Last, Spent: o.Spent, Queued: o.Queued}
	}
	return &app.Overview{}
}

// open opens a tab for a side, in the background.
func (c *comparison) open(side int, s app.Spec) (*Tab, tea.Cmd) {
	n, cmd := c.home.program.Tabs.Open(s)
	n.compared, c.tabs[side] = c, n
	return n, cmd
}

// number returns the number of a tab from 1, 0 if it was closed.
func (t *Tab) number(other *Tab) int { return slices.Index(t.program.Tabs.All(), other) + 1 }

// tab returns the tab of a side, nil if none is open. One that works in the worktree is the side's,
// however it was opened.
func (c *comparison) tab(side int) *Tab {
	if t := c.tabs[side]; t != nil && c.home.number(t) > 0 {
		return t
	}
	for _, t := range c.home.program.Tabs.All() {
		if c.Sides[side].Tree.Has(t.cwd) && (t.compared == nil || t.compared == c) {
			c.tabs[side], t.compared = t, c
			return t
		}
	}
	return nil
}

// live returns the session of a side, nil if none is open.
func (c *comparison) live(side int) *live {
	if t := c.tab(side); t != nil {
		l, _ := t.live()
		return l
	}
	return nil
}

// follow follows an event of a side.
func (c *comparison) follow(l *live, e conversation.Event) tea.Cmd {
	_, ended := e.(conversation.TurnEnded)
	u, _ := e.(conversation.Update)
	var call *conversation.ToolCall
	if u, is := u.Update.(*acpclient.ToolCallUpdate); is {
		call = l.Conversation.Tool(u.ToolCallID)
	}
	if _, usage := u.Update.(*acpclient.UsageUpdate); usage || ended {
		for i := range c.tabs {
			if l := c.live(i); l != nil {
				c.Spent(i, l.Conversation.Spent())
			}
		}
	}
	side := slices.Index(c.tabs, l.Tab)
	if _, works := e.(conversation.PromptSent); works && side >= 0 {
		c.Works(side)
	}
	switch {
	case side < 0:
	case ended:
		return c.home.address(c.page.Ended(side))
	case call != nil && !call.Running() && !call.Quiet() && c.home.dialogs.Has(c.page):
		return c.home.address(c.page.Changes(side))
	}
	return nil
}

// askAboutBudget asks about the budget when it is used up for a side: once, and where the page is.
func (c *comparison) askAboutBudget(of *live) {
	home := c.home
	if home.number(home) == 0 { // closed
		home = of.Tab
	}
	if c.overBudget != nil && home.dialogs.Has(c.overBudget) {
		return
	}
	if q := c.budgetQuestion(); q != nil {
		c.overBudget = home.ask(*q)
	}
}

// budgetQuestion asks about the budget, which all sides share; nil if it is not used up.
func (c *comparison) budgetQuestion() *app.Question {
	return app.BudgetQuestion("The budget of this comparison is used up", func() (all []*app.Live) {
		for i := range c.tabs {
			if l := c.live(i); l != nil {
				all = append(all, l.Live)
			}
		}
		return all
	})
}

// moves reports whether a side works, so that its clock goes on.
func (c *comparison) moves() bool {
	for i := range c.tabs {
		t, r := c.tab(i), c.running[i]
		if t != nil && t.State() == conversation.StandingWorking || t == nil && r != nil && r.Standing == conversation.StandingWorking {
			return true
		}
	}
	return false
}

// Shows reports whether a tab shows what the session of another does.
func (t *Tab) Shows(other *Tab) bool {
	c := t.compared
	return t.showsBoard() || c != nil && c == other.compared && c.home == t && t.dialogs.Has(c.page)
}

// Seat implements pages.CompareHost, as the methods below do.
func (c *comparison) Seat(side int) *command.Seat {
	t, r := c.tab(side), c.running[side]
	switch {
	case t == nil && r == nil:
		return nil
	case t == nil:
		return &command.Seat{Overview: r.Overview, Place: "in its host", Go: func() { c.Open(side) }}
	}
	s := c.seat(t, c.home.number(t))
	s.Go = func() { c.home.program.Tabs.Show(t) } // the page stays
	if s.Spent.Cost == nil {                      // it is being opened again
		s.Spent = c.Past(side).Spent
	}
	c.past[side] = &s.Overview
	return &s
}

func (c *comparison) Stop(side int) {
	if l := c.live(side); l != nil {
		c.add(l.address(l.cancel()))
	} else if r := c.running[side]; r != nil && c.tab(side) == nil {
		command.Visit(c.front, r.ID, "not cancelled: ", func(ctx context.Context, s app.Session) error {
			_, err := session.Do(ctx, s, session.Cancel{})
			return err
		})
	}
}

// SendAll has the user write a prompt, and sends it to all sides that take it. If none does, it says so at once.
func (c *comparison) SendAll() {
	home := c.home
	if to, missed := c.takers(composer.Prompt{}); len(to) == 0 {
		if !slices.ContainsFunc(c.tabs, func(t *Tab) bool { return t != nil && c.home.number(t) > 0 }) {
			missed = "none is open; enter opens the marked one"
		}
		c.Say("no agent takes a prompt: " + missed)
		return
	}
	home.dialogs.Close(c.page)
	home.write("the prompt for all agents: enter sends it", "", func(p *composer.Prompt) {
		c.add(c.show(home))
		if p == nil {
			return
		}
		to, missed := c.takers(*p)
		if len(to) == 0 {
			home.composer.Restore(*p)
			c.Say("not sent: " + missed)
			return
		}
		sent, words := 0, []string{}
		for _, side := range to {
			waits, back := false, 0 // behind a paused queue
			if t, r := c.tab(side), c.running[side]; t == nil {
				waits = r.Working || r.Queued > 0 || r.Waiting > 0 || r.Held
				_, cmd := c.open(side, app.Spec{Stored: r.Stored, Running: r.ID})
				c.add(cmd)
			} else if l, open := t.live(); open {
				waits, back = t.sends() == "queue the prompt", l.Behind()
			}
			if !waits {
				sent++
			}
			t := c.tab(side)
			edited := t.requeue
			t.requeue = back
			c.add(t.address(t.prompts.Submit(*p)))
			t.requeue = edited
		}
		if sent > 0 {
			words = append(words, "sent to "+termtext.Count(sent, "agent"))
		}
		if n := len(to) - sent; n > 0 {
			words = append(words, "queued for "+termtext.Count(n, "agent"))
		}
		if missed != "" {
			words = append(words, "not sent to "+missed)
		}
		c.Say(strings.Join(words, "; "))
	})
}

// takers returns the sides that take a prompt, and says why the others do not.
func (c *comparison) takers(p composer.Prompt) (to []int, missed string) {
	var others []string
	for i := range c.tabs {
		t, why := c.tab(i), "not open"
		switch {
		case t != nil:
			if why = t.prompts.whyRefused(p); why == "" && t.conv().Gone() {
				why = "it does not run: enter goes there to start it again"
			}
		case c.running[i] != nil && c.running[i].OnHold():
			why = "its queue is paused"
		case c.running[i] != nil && !c.running[i].Gone && !p.Pastes(): // its tab opens with it
			why = ""
		}
		switch {
		case c.States[i].Dropped:
		case why == "":
			to = append(to, i)
		default:
			others = append(others, c.Title(i)+": "+why)
		}
	}
	return to, strings.Join(others, ", ")
}

func (c *comparison) CommitAndMerge(ctx context.Context, side int, message string, drop func()) (app.Outcome, error) {
	return c.home.program.Launcher.CommitAndMerge(ctx, c.Sides[side].Tree, message, drop)
}

// Merger is the session of the page where the comparison began there: it shows in its review what
// was merged.
func (c *comparison) Merger() compare.Merger {
	if l, open := c.home.live(); open {
		if j := l.Session.Journal(); j != nil && j.Dir == c.Dir {
			return merger{l.Session}
		}
	}
	return c.Journal(c.home.program.Launcher)
}

// merger merges in the directory of a session.
type merger struct{ session app.Session }

// Writes is nil: the session asks about what it writes.
func (merger) Writes(config.Agent) (app.Writes, error) { return nil, nil }

func (m merger) Merge(ctx context.Context, changes []journal.Change) (journal.Done, error) {
	return session.Do(ctx, m.session, session.Merge{Changes: changes})
}

func (m merger) Unmerge(ctx context.Context, act int) (journal.Done, error) {
	return session.Do(ctx, m.session, session.Unmerge{Act: act})
}

// Open opens the session that worked last in the worktree of a side, or begins one, and goes there.
func (c *comparison) Open(side int) {
	p, dir := c.home.program, c.Sides[side].Dir
	c.InBackground(func(context.Context) func() {
		open, err := lastIn(p, dir)
		return func() {
			switch {
			case err != nil:
				c.Say(err.Error())
				return
			case c.tab(side) == nil: // not opened meanwhile
				if open == nil {
					open = &app.Spec{Agent: &c.Sides[side].Agent, Cwd: dir}
				}
				n, cmd := c.open(side, *open)
				if c.add(cmd); c.lost[side] != nil {
					n.drafts.take(c.lost[side])
				}
			}
			p.Tabs.Show(c.tab(side))
		}
	})
}

// lastIn returns the session that worked last in a directory, nil if there is none: it runs in
// a host, or is stored.
func lastIn(p Program, dir string) (*app.Spec, error) {
	if p.Running != nil {
		running, _ := p.Running(p.Context) // the stored ones are found all the same
		for _, r := range running {
			if r.Cwd == dir {
				return &app.Spec{Stored: r.Stored, Running: r.ID}, nil
			}
		}
	}
	if p.Stored == nil {
		return nil, nil
	}
	found, err := p.Stored.List(p.Context, store.Query{Cwd: dir, Limit: 1})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &app.Spec{Stored: found[0].ID}, nil
}

// Drop implements pages.CompareHost. The session of the side ends first, and its tab closes last.
func (c *comparison) Drop(side int) (drop func(context.Context) error, after func(dropped bool)) {
	t, tree := c.tab(side), c.Sides[side].Tree
	var s app.Session
	over := func(bool) {}
	if t != nil {
		s, over = t.session(), t.dropping()
	}
	drop = func(ctx context.Context) error {
		_, err := app.DropWorktree(ctx, s, tree)
		return err
	}
	return drop, func(dropped bool) {
		if over(dropped); dropped && t != nil && t != c.home && c.home.number(t) > 0 {
			c.add(send(Leave{t.id}))
		}
	}
}
