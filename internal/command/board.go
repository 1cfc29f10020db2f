package command

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/termtext"
)

// Seat is a session that a front end shows, as the board lists it.
type Seat struct {
	app.Overview
	// ID identifies it in the front end. Place is what the user calls it, such as "tab 2". Current
	// marks the session in front.
	ID, Place string
	Current   bool
	Cwd       string
	Branch    string // the git branch of Cwd, or ""
	Worktree  bool   // Cwd is a worktree for sessions
	Running   string // the host that it runs in, "" if it ends with parley
	Stored    store.ID
	// Answer asks here the oldest of its permissions, unless it is in front, or about its limit or budget,
	// and leads there and back for what else the user has to decide; nil if it asks nothing.
	Answer func()
	// Go goes there. Session takes prompts, unless NoSend says why it does not.
	Go      func()
	Session app.Session
	NoSend  string
	// Detach leaves a session that runs in a host, nil if it is not attached here; End ends one.
	Detach, End func()
	// Comparison is the comparison of agents that it belongs to, "" for none, and Prompt what that asks.
	Comparison, Prompt string

	// silent is why its host does not answer, or "".
	send   func(ctx context.Context, text string) (*app.Overview, error) // of the session it was sent to, as it was then
	silent string
	group  int // of [app.Groups]
}

// board is the open list of the sessions of the front end and of all hosts on this machine.
type board struct {
	f       Front
	update  func(Choice) bool
	running []app.Running
	loading bool
	gone    context.CancelFunc // ends watching

	marked string   // the ID of the marked item
	order  []placed // the rows as last listed
}

// placed is a row with what it is sorted by.
type placed struct {
	id       string
	standing conversation.Standing
}

// ShowBoard lists all sessions, those first that need the user.
func ShowBoard(f Front) {
	open, gone := context.WithCancel(context.Background())
	b := &board{f: f, loading: f.Backend().Watch != nil, gone: gone}
	b.update = f.Choose(b.choice())
	Watch(open, f, func(all []app.Running) {
		b.loading, b.running = false, all
		if !b.update(b.choice()) {
			gone()
		}
	})
}

// Watch hands take the sessions in hosts, and again whenever they have changed, until open ends.
func Watch(open context.Context, f Front, take func([]app.Running)) {
	watch := f.Backend().Watch
	if watch == nil {
		return
	}
	open, stop := context.WithCancel(open)
	next := watch(open)
	var again func()
	again = func() {
		f.InBackground(func(program context.Context) func() {
			defer context.AfterFunc(program, stop)()
			all, err := next()
			return func() {
				if open.Err() != nil {
					return
				}
				if take(all); err == nil {
					again()
				}
			}
		})
	}
	again()
}

// Visit does something with a session in a host that is not attached here, in the background.
func Visit(f Front, id, failed string, do func(context.Context, app.Session) error) {
	visit := f.Backend().Visit
	Get(f, failed, func(ctx context.Context) (session.None, error) {
		s, err := visit(ctx, id)
		if err != nil {
			return session.None{}, err
		}
		defer app.Leave(ctx, s)
		return session.None{}, do(ctx, s)
	}, func(session.None) {})
}

func (b *board) choice() Choice {
	return Choice{
		Title: "Board", Empty: "Nothing runs. A session that you start with --keep keeps running without a terminal.",
		Items: b.items(), Now: b.items, Loading: b.loading, Leaves: "Go to another session",
		Choosing: "go there", Deleting: "end", Gone: func() { b.gone() }, Heads: heads(),
		Marked: func(id string) { b.marked = id },
		Keys: []Key{
			{ID: DialogSend, Hint: "send", Word: "send"},
			{ID: DialogDetach, Hint: "detach", Word: "detach"},
		},
	}
}

// rows returns the rows in the order of the board.
func (b *board) rows() []*Seat {
	var rows []*Seat
	attached, open := map[string]bool{}, map[store.ID]bool{}
	for _, s := range b.f.Seats() {
		attached[s.Running], open[s.Stored] = true, s.Stored != ""
		rows = append(rows, seatRow(s))
	}
	for i := range b.running {
		if r := &b.running[i]; !attached[r.ID] && !(r.Over && open[r.Stored]) {
			rows = append(rows, b.runningRow(r))
		}
	}
	for i, group := range app.Arrange(rows, func(r *Seat) (app.Overview, string) { return r.Overview, r.Comparison }) {
		rows[i].group = group
	}
	return b.pinned(rows)
}

// pinned keeps the previous order unless a standing has changed. The marked row then keeps its place among
// those below the same headings.
func (b *board) pinned(rows []*Seat) []*Seat {
	now := make([]placed, len(rows))
	for i, r := range rows {
		now[i] = placed{r.ID, r.Standing}
	}
	was := func(id string) int { return slices.IndexFunc(b.order, func(p placed) bool { return p.id == id }) }
	byID := func(x, y placed) int { return cmp.Compare(x.id, y.id) }
	if slices.Equal(slices.SortedFunc(slices.Values(now), byID), slices.SortedFunc(slices.Values(b.order), byID)) {
		slices.SortStableFunc(rows, func(x, y *Seat) int { return was(x.ID) - was(y.ID) })
		return rows
	}
	at := was(b.marked)
	if is := slices.IndexFunc(rows, func(r *Seat) bool { return r.ID == b.marked }); at >= 0 && is >= 0 {
		row, from, to := rows[is], is, is
		beside := func(r *Seat) bool { return r.group == row.group && r.Comparison == row.Comparison }
		for from > 0 && beside(rows[from-1]) {
			from--
		}
		for to+1 < len(rows) && beside(rows[to+1]) {
			to++
		}
		rows = slices.Insert(slices.Delete(rows, is, is+1), min(max(at, from), to), row)
	}
	b.order = b.order[:0]
	for _, r := range rows {
		b.order = append(b.order, placed{r.ID, r.Standing})
	}
	if b.marked == "" && !b.loading && len(rows) > 0 {
		b.marked = rows[0].ID // the list marks the first one
	}
	return rows
}

// seatRow returns the row of a session that the front end shows.
func seatRow(s Seat) *Seat {
	s.ID, s.NoSend = cmp.Or(s.Running, s.ID), noSend(s.Overview, s.NoSend)
	s.send = func(ctx context.Context, text string) (*app.Overview, error) {
		return &s.Overview, sendTo(ctx, s.Session, &s.Overview, text)
	}
	return &s
}

// runningRow returns the row of a session in a host that is not attached here.
func (b *board) runningRow(r *app.Running) *Seat {
	backend := b.f.Backend()
	row := &Seat{
		Overview: r.Overview, ID: r.ID, Place: "keeps running as " + r.ID, Cwd: r.Cwd, Branch: r.Branch, Worktree: r.Worktree, Stored: r.Stored,
		Comparison: r.Comparison, Prompt: r.Prompt,
		Go: func() { b.f.Open(app.Spec{Stored: r.Stored, Running: r.ID}) },
		send: func(ctx context.Context, text string) (*app.Overview, error) {
			s, err := backend.Visit(ctx, r.ID)
			if err != nil {
				return nil, err
			}
			defer app.Leave(ctx, s)
			now := app.OverviewOf(&s.Past().State, nil)
			return &now, sendTo(ctx, s, &now, text)
		},
	}
	row.End = func() {
		Get(b.f, "cannot end the session: ", func(ctx context.Context) (session.None, error) {
			return session.None{}, backend.EndRunning(ctx, r.ID)
		}, func(session.None) {})
	}
	row.Title = r.Name()
	if r.Silent != "" {
		row.silent = "its process " + r.Silent
	}
	row.NoSend = noSend(r.Overview, row.silent)
	if r.Over {
		row.Place, row.Go, row.End = "", func() { b.f.Open(app.Spec{Stored: r.Stored, Keep: true}) }, func() { b.takeOff(*r) }
		row.silent = r.State() + ": go there to open it again"
		if r.Stored == "" {
			row.silent, row.Go = r.State()+": it was not stored", nil
		}
		row.NoSend = row.silent
	}
	if row.NoSend == "" && (r.AtLimit || r.OverBudget) {
		row.Answer = func() { b.askAbout(r.ID) }
	}
	return row
}

// askAbout asks here about the limit or the budget of a session in a host that is not attached here. What
// the user decides visits it again.
func (b *board) askAbout(id string) {
	visit := b.f.Backend().Visit
	Get(b.f, "cannot ask about it: ", func(ctx context.Context) (app.Session, error) {
		s, err := visit(ctx, id)
		if err == nil {
			app.Leave(ctx, s)
		}
		return s, err
	}, func(s app.Session) {
		l := &app.Live{Session: away{s, b.f, id}, Conversation: s.Past()}
		var q *app.Question
		if l.Conversation.OverBudget() {
			q = l.BudgetQuestion()
		} else {
			q = app.LimitQuestion(l.Session, l.Conversation, time.Now(), nil)
		}
		if q == nil || !l.Conversation.Stuck() {
			b.f.Say("it asks nothing any more")
			return
		}
		q.While = func() bool {
			return slices.ContainsFunc(b.running, func(r app.Running) bool { return r.ID == id && !r.Over && (r.AtLimit || r.OverBudget) })
		}
		b.f.Ask(*q)
	})
}

// away is a session in a host that is not attached here: each act visits it.
type away struct {
	app.Session // as it was
	f           Front
	id          string
}

// Perform is for the front end alone, which a choice calls by its Here.
func (a away) Perform(_ context.Context, c session.Call) error {
	Visit(a.f, a.id, "not decided: ", func(ctx context.Context, s app.Session) error { return s.Perform(ctx, c) })
	return nil
}

// noSend says why a session takes no prompt: why, or else what the overview tells; "" if it does.
func noSend(o app.Overview, why string) string {
	if why == "" && o.Gone {
		return "its agent has exited: go there to restart it"
	}
	if why == "" && o.SignIn {
		return "it waits for you to sign in: go there"
	}
	return why
}

// sendTime is how long to wait for the answer of a session before a prompt counts as queued.
const sendTime = 10 * time.Second

// sendTo sends a prompt into the running turn, or else to the end of the queue. It goes behind a paused
// queue, which waits for the user.
func sendTo(ctx context.Context, s app.Session, o *app.Overview, text string) error {
	soon, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	p := conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(text)}}
	if o.Paused && o.Queued > 0 {
		return session.Try(soon, s, session.Prompt{Prompt: p, At: o.Queued + 1})
	}
	_, err := session.Do(soon, s, session.Steer{Prompt: p})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil // it is in the queue
	}
	return err
}

// items returns the rows as items.
func (b *board) items() []Item {
	now := time.Now()
	rows := b.rows()
	items := make([]Item, len(rows))
	for i, r := range rows {
		items[i] = b.item(r, now)
	}
	return items
}

func (b *board) item(r *Seat, now time.Time) Item {
	where := b.f.Path("", r.Cwd)
	if r.Branch != "" {
		where += " on " + r.Branch
	}
	if r.Current {
		r.Place += ", this one"
	}
	todo := r.silent
	if todo == "" && r.OnHold() {
		todo = "go there to send the queue"
	}
	state := r.Brief(now)
	if r.silent != "" && !r.Over {
		state = "silent"
	}
	it := Item{
		ID: r.ID, Title: cmp.Or(r.Title, "new"), Words: strings.Join([]string{r.Place, r.Cwd, r.Branch, r.ID}, " "), Session: &r.Overview,
		Group: app.Groups[r.group], Under: termtext.Line(cmp.Or(r.Prompt, r.Comparison)), About: strings.Join(slices.DeleteFunc([]string{r.Place, todo, where}, func(s string) bool { return s == "" }), " · "),
		Do: r.Go, Delete: func() { b.askToEnd(r) },
		Also:    []func(){func() { b.askToSend(r) }, r.Detach},
		Refused: map[config.Action]string{DialogSend: r.NoSend, DialogDetach: r.noDetach()},
	}
	if r.Over {
		it.Delete, it.Deleting = r.End, "take off"
	}
	if r.Go == nil {
		it.Refused[DialogAccept] = r.NoSend
	}
	if r.Asked.ID == 0 { // or it is asked beside the table
		it.Answer = r.Answer
	}
	for _, c := range Columns(&r.Overview, state, "", lastOf(r)) {
		if c.Name != titleHead {
			it.Columns = append(it.Columns, c.Text)
		}
	}
	if r.silent != "" {
		it.Columns[len(it.Columns)-1] = r.silent
	}
	return it
}

// Column is a column of the board.
type Column struct{ Name, Text string }

// Columns returns the columns of a session.
func Columns(o *app.Overview, state, title, place string) []Column {
	return []Column{
		{"State", state}, {"Agent", o.Agent}, {titleHead, title}, {"Place", place}, {"Changes", o.ChangesText()}, {"Cost", o.SpentText()}, {"Now", o.Now()},
	}
}

const titleHead = "Title"

// heads returns the heads of the columns.
func heads() (all []string) {
	for _, c := range Columns(&app.Overview{}, "", "", "") {
		all = append(all, c.Name)
	}
	return all
}

// lastOf names the directory of a row in a word: a worktree by its name.
func lastOf(r *Seat) string {
	if r.Worktree && r.Branch != "" {
		return WorktreeMark + git.WorktreeName(r.Branch)
	}
	path := strings.TrimRight(r.Cwd, `/\`)
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

func (b *board) askToSend(r *Seat) {
	name := termtext.Line(r.Title)
	b.f.Ask(app.Question{Title: "Send to " + name, Hint: "a prompt", Enter: func(text string) (app.Outcome, error) {
		if strings.TrimSpace(text) == "" {
			return app.Outcome{}, nil
		}
		ctx, cancel := context.WithTimeout(context.Background(), 3*sendTime)
		defer cancel()
		at, err := r.send(ctx, text)
		if err != nil {
			return app.Outcome{}, err
		}
		if at.Paused && at.Queued > 0 {
			return app.Outcome{Say: "queued for " + name + ", whose queue is paused"}, nil
		}
		if at.Held {
			return app.Outcome{Say: "queued for " + name + ", whose budget is used up"}, nil
		}
		return app.Outcome{Say: "sent to " + name}, nil
	}})
}

// noDetach says why the session cannot be detached here, "" if it can.
func (r *Seat) noDetach() string {
	switch {
	case r.Over:
		return r.NoSend
	case r.Detach == nil:
		return "it is not attached here"
	case r.Running == "":
		return "this session ends with parley: keep it running first"
	}
	return ""
}

// takeOff takes a session that does not run any more off all boards.
func (b *board) takeOff(r app.Running) {
	if err := b.f.Backend().TakeOff(r); err != nil {
		b.f.Say(err.Error())
		return
	}
	b.running = slices.DeleteFunc(slices.Clone(b.running), func(other app.Running) bool { return other.ID == r.ID })
}

// askToEnd asks before it ends a session, and says what is lost.
func (b *board) askToEnd(r *Seat) {
	b.f.Ask(app.Question{
		Title: "End this session?", Lines: []string{termtext.Line(r.Title)}, Text: r.Loses(r.Stored != ""),
		Choices: []app.Choice{
			{Name: "Keep it", Key: "k"},
			{Name: "End it", Key: "e", Risky: true, Here: r.End},
		},
	})
}
