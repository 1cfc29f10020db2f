package dialog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/diffview"
	"parley/tui/list"
	"parley/tui/toolview"
)

// Permission asks the user about a tool call. It shows the call and every option as the
// agent sent it; no option is marked at first.
type Permission struct {
	question
	asked   *conversation.Permission
	seen    conversation.Seen // the question as it is drawn, and may be answered
	waiting int               // number of open permissions
	number  int               // this one's position among them, from 1
	asker   string            // see [toolview.AskerOf]
	raw     bool
	rawDue  bool // scroll to the raw input in the next view
	between bool // no turn is running
	writing bool // the user writes what to do instead
	words   list.Input
	context int // unchanged lines around changes, 0 for the default
	width   int // of the last drawn body

	shown        []toolview.Part
	about        column
	rawFrom      int // index in about of the raw input, if shown
	version      uint64
	factsVersion uint64 // of env.Facts
	outside      string // the paths that lead out of the roots
}

// NewPermission shows a new permission, or the next one after an answer. It is inert at
// first. waiting is the number of open permissions, including this one.
func NewPermission(env Env, p *conversation.Permission, waiting int) *Permission {
	d := &Permission{question: newQuestion(env), asked: p, seen: p.Seen, waiting: waiting, number: 1}
	d.offer()
	d.ordinary = func() bool {
		named := !slices.ContainsFunc(d.replies.list, func(r reply) bool { return r.warns })
		return named && d.asked.Ordinary && d.asked.File == nil && !d.asked.Asked.Incomplete && d.outside == ""
	}
	d.version, d.outside = p.Asked.Version(), d.outsidePaths()
	d.refresh()
	return d
}

// offer sets the answers to the question as it is now. None is marked.
func (d *Permission) offer() { d.replies = newReplies(d.offers()) }

func (d *Permission) offers() []reply {
	return append(optionReplies(d.env, d.asked), ruleReplies(d.env, d.asked)...)
}

// reread takes a revision of the question that looks as the one before, such as one that names the
// session's directory, and reports whether it is one: the user has seen it.
func (d *Permission) reread(parts []toolview.Part) bool {
	now := d.offers()
	alike := slices.EqualFunc(now, d.replies.list, func(a, b reply) bool { return a.icon == b.icon && a.name == b.name })
	if d.raw || !alike || toolview.AskedText(parts) != toolview.AskedText(d.shown) {
		return false
	}
	for i := range now {
		d.replies.list[i].action = now[i].action
	}
	d.seen = d.asked.Seen
	return true
}

// renew makes the user look again, because something else is asked than what they saw. The
// key that has marked an answer was meant for that: it is dropped.
func (d *Permission) renew() {
	d.env.Guard.open()
	d.viewed, d.seen = viewed{}, d.asked.Seen
	d.mark(-1)
	d.why = changedWords
	d.offer()
}

// Follow implements [AgentQuestion]. It counts the open permissions and finds out who
// asks.
func (d *Permission) Follow(c *conversation.Conversation) State {
	open := conversation.Questions[*conversation.Permission](&c.State)
	at := slices.IndexFunc(open, func(p *conversation.Permission) bool { return p.ID == d.asked.ID })
	if at < 0 {
		return Over
	}
	d.waiting, d.number, d.between = len(open), at+1, !c.Turn.Running
	if by := toolview.AskerOf(c, d.asked.ToolCall); by != d.asker {
		d.asker, d.about = by, nil
	}
	return Open
}

// Marked implements [AgentQuestion], as Begin and Unmark do.
func (d *Permission) Marked() bool { return d.question.Marked() || d.writing }

func (d *Permission) Begin() Action {
	if d.refresh(); d.writing {
		return nil
	}
	return d.question.Begin()
}

func (d *Permission) Unmark() {
	d.question.Unmark()
	d.writing = false
}

// Call returns the permission's tool call.
func (d *Permission) Call() *conversation.ToolCall { return d.asked.Asked }

// Position returns the permission's position among the open ones, from 1; the last known
// one once it is closed.
func (d *Permission) Position() int { return d.number }

// faces holds the look and the keys of choices by kind. Others are drawn plainly.
var faces = map[acpclient.PermissionOptionKind]struct {
	icon     string
	tone     tone
	shortcut config.Action
	always   bool // only the key that accepts gives it
}{
	acpclient.AllowOnce:    {"✓", good, command.AllowOnce, false},
	acpclient.AllowAlways:  {"✓", caution, command.AllowAlways, true},
	acpclient.RejectOnce:   {"✗", bad, command.RejectOnce, false},
	acpclient.RejectAlways: {"✗", bad, command.RejectAlways, true},
}

// replyOf returns a choice as a reply that does a. Its kind only decides icon, colour and keys; of
// several choices of a kind the first has the keys.
func replyOf(env Env, c app.Choice, a Action) reply {
	r := reply{icon: "•", name: termtext.Line(c.Name), more: termtext.Line(cmp.Or(c.Why, c.More)), warns: c.Warns, off: c.Why != "", action: a}
	if face, ok := faces[c.Kind]; ok {
		r.icon, r.tone, r.enterOnly, r.once, r.single = face.icon, face.tone, face.always, c.Kind == acpclient.AllowOnce, !face.always
		if c.FirstOfKind {
			r.keys = shortcuts(env.Keys.For(face.shortcut))
		}
	}
	if c.Rule {
		r.icon, r.tone, r.enterOnly = "§", good, true
	}
	if c.Risky {
		r.tone, r.enterOnly = bad, true
	}
	r.single = r.single && !r.enterOnly
	if c.Key != "" {
		r.keys = []string{c.Key}
	}
	return r
}

// optionReplies returns the options in the agent's order.
func optionReplies(env Env, p *conversation.Permission) (list []reply) {
	for _, c := range app.PermissionChoices(p) {
		list = append(list, replyOf(env, c, Answer{c.Act}))
	}
	return lettered(list, env.Keys)
}

// lettered assigns free letters to the options beyond the numbers.
func lettered(list []reply, keys config.Keys) []reply {
	const letters = "bcefghjklmopqrstuvwxzabcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	taken := make(map[string]bool)
	for _, a := range list {
		for _, key := range a.keys {
			taken[key] = true
		}
	}
	next := 0
	for i := 9; i < len(list); i++ {
		for len(list[i].keys) == 0 && next < len(letters) {
			key := letters[next : next+1]
			next++
			if _, bound := keys.Action(config.ContextDialog, key); !bound && !taken[key] {
				taken[key] = true
				list[i].keys = []string{key}
			}
		}
	}
	return list
}

// shortcuts returns keys without the numbers, which always mean positions.
func shortcuts(keys []string) []string {
	var out []string
	for _, k := range keys {
		if digit(k) < 0 {
			out = append(out, k)
		}
	}
	return out
}

// Key implements [Dialog].
func (d *Permission) Key(msg tea.KeyPressMsg) Action {
	d.refresh()
	if d.writing {
		return d.write(msg)
	}
	if a, taken := d.take(msg); taken {
		return a
	}
	if d.closes(msg) {
		return CancelTurn{}
	}
	if row := permissionRows().Pressed(d.env.Keys, msg.String(), config.ContextDialog); row != nil && row.Do != nil {
		if a := row.Do(d); a != Action(NotTaken{}) {
			return a
		}
	}
	return d.passOn(msg)
}

// permissionRows are the commands of a permission. Those without a function mark an answer.
func permissionRows() command.Rows[func(*Permission) Action] {
	another := func(by int) func(*Permission) Action {
		return func(d *Permission) Action {
			if d.waiting > 1 {
				return Another{by}
			}
			return NotTaken{}
		}
	}
	return command.Rows[func(*Permission) Action]{
		{ID: command.DialogSplit, Keys: "ctrl+s", Help: "Permission: toggle side-by-side diff", Do: (*Permission).split},
		{ID: command.DialogContext, Keys: "ctrl+w alt+w", Help: "Permission: more context around a change", Do: (*Permission).widen},
		{ID: command.DialogShow, Keys: "ctrl+e alt+e", Help: "Permission: whole screen", Do: (*Permission).show},
		{ID: command.DialogEdit, Keys: "ctrl+g alt+g", Help: "Permission: open in $EDITOR", Do: (*Permission).edit},
		{ID: command.DialogRaw, Keys: "ctrl+r alt+i", Help: "Permission: raw input", Do: (*Permission).toggleRaw},
		{ID: command.DialogNext, Keys: "right alt+n", Help: "Permission: next question", Do: another(1)},
		{ID: command.DialogPrev, Keys: "left alt+p", Help: "Permission: previous question", Do: another(-1)},
		{ID: command.RejectWords, Keys: "tab", Help: "Permission: reject and say what to do instead", Do: (*Permission).startWriting},
		{ID: command.AllowByRule, Keys: "r", Help: "Permission: always allow by a rule", Words: "approve permission"},
		{ID: command.AllowOnce, Keys: "y", Help: "Permission: allow once", Words: "approve accept yes"},
		{ID: command.AllowAlways, Keys: "a", Help: "Permission: always allow", Words: "approve accept yes"},
		{ID: command.RejectOnce, Keys: "n", Help: "Permission: reject once", Words: "deny no"},
		{ID: command.RejectAlways, Keys: "d", Help: "Permission: always reject", Words: "deny no"},
	}
}

// Group adds the commands of dialogs to a group.
func Group(g config.Group) config.Group { return permissionRows().Group(listRows().Group(g)) }

// toggleRaw shows the raw input, or no longer.
func (d *Permission) toggleRaw() Action {
	if !d.hasRaw() {
		return NotTaken{}
	}
	d.raw = !d.raw
	d.rawDue, d.about = d.raw, nil
	return nil
}

// startWriting begins to write what the agent should do instead.
func (d *Permission) startWriting() Action {
	d.mark(-1)
	d.writing = true
	return nil
}

// edit shows in the editor what is asked about.
func (d *Permission) edit() Action {
	d.forget()
	return Edit{toolview.AskedText(d.parts()) + "\n"}
}

// Due implements [Guarded].
func (d *Permission) Due() Action {
	d.refresh()
	return d.question.Due()
}

// Mouse implements [Dialog]. While the user writes a reason the answers are hidden, and
// a click gives none.
func (d *Permission) Mouse(msg tea.MouseMsg, x, y int) Action {
	d.refresh()
	if _, click := msg.(tea.MouseClickMsg); click && d.writing {
		return nil
	}
	return d.question.Mouse(msg, x, y)
}

// outsidePaths returns the paths outside the session's directories, as one string.
func (d *Permission) outsidePaths() string {
	var b strings.Builder
	for _, path := range toolview.NamedPaths(d.asked.Asked) {
		if s := d.env.Facts.Target(path); s.Outside {
			b.WriteString(path + "\x00" + s.Real + "\x00")
		}
	}
	return b.String()
}

func (d *Permission) hasRaw() bool { return len(d.asked.Asked.RawInput) > 0 }

// split draws diffs side by side, or no longer.
func (d *Permission) split() Action {
	switch {
	case !d.changesFiles():
		d.why = "No change to show side by side"
	case d.width < diffview.SplitWidth:
		d.why = "Too narrow for side by side"
	case d.env.Diffs != nil:
		d.env.Diffs.Toggle(d.width)
	}
	return nil
}

// widen draws more lines around the changes.
func (d *Permission) widen() Action {
	if !d.changesFiles() {
		return NotTaken{}
	}
	d.context = diffview.MoreContext(d.context)
	d.about = nil
	return nil
}

// sideBySide reports whether a diff is drawn side by side. The panel may then be wider
// than for text.
func (d *Permission) sideBySide() bool {
	return slices.ContainsFunc(d.asked.Asked.Content, func(c acpclient.ToolCallContent) bool {
		return c.Type == acpclient.ToolContentDiff && d.env.Diffs.SideBySide(diffview.New(c.Path, c.OldText, c.NewText), d.width)
	})
}

// changesFiles reports whether the permission is for a change to a file.
func (d *Permission) changesFiles() bool {
	return slices.ContainsFunc(d.asked.Asked.Content, func(c acpclient.ToolCallContent) bool {
		return c.Type == acpclient.ToolContentDiff
	})
}

// show shows the call on the whole screen.
func (d *Permission) show() Action {
	d.forget()
	return Show{Call: d.asked.Asked, Head: head(d.parts())}
}

// refresh updates the dialog from the question. If that changes while it is visible, the
// dialog becomes inert again, so that the user answers what they saw.
func (d *Permission) refresh() {
	call := d.asked.Asked
	if d.about != nil && d.seen == d.asked.Seen && d.version == call.Version() && d.factsVersion == d.env.Facts.Version() {
		return
	}
	outside, parts := d.outsidePaths(), d.parts()
	if outside != d.outside || d.seen != d.asked.Seen && !d.reread(parts) {
		d.renew()
	}
	d.outside, d.shown = outside, parts
	d.version, d.factsVersion = call.Version(), d.env.Facts.Version()
	d.about = bodyOf(parts, d.env.Diffs, max(d.context, diffview.DefaultContext))
	d.rawFrom = len(d.about) + 1
	if d.raw {
		d.about.add(quoted("title", call.Title), quoted(toolview.RawInput, toolview.JSON(call.RawInput, 0)))
	}
	if len(d.replies.list) == 0 {
		d.about.add(note("The agent offers no answers: you can only cancel the turn."))
	}
}

// View implements [Dialog].
func (d *Permission) View(width, maxHeight int) View {
	d.refresh()
	p := panel{title: d.title(), body: d.about, asked: d.about[:d.rawFrom-1]}
	if d.waiting > 1 {
		p.note = fmt.Sprintf("%d of %d", d.number, d.waiting)
	}
	width = min(width, 2*widest)
	d.width = inner(width, maxHeight)
	if !d.sideBySide() {
		width = min(width, widest)
	}
	if d.writing {
		return d.viewWriting(p, width, maxHeight)
	}
	if d.env.Guard.unfocused == "" && d.viewed.resize(width, maxHeight) {
		d.scroll.Top = 0
	}
	if d.rawDue {
		d.rawDue = false
		d.scroll.Top = d.about[:d.rawFrom].height(renderContext{inner(width, maxHeight), d.env.Theme})
	}
	return d.view(p, width, maxHeight)
}

// title says who asks. It contains no text from the agent.
func (d *Permission) title() string {
	title := "Permission"
	if d.asked.File != nil {
		title = "parley asks"
	}
	return title + d.env.asker()
}

// Hints implements [Dialog].
func (d *Permission) Hints() []Hint {
	if d.writing {
		return d.writingHints()
	}
	closing := d.env.closing("cancel the turn")
	if d.between && !d.env.Foreign {
		closing = ""
	}
	hints := d.hints("")
	if len(hints) > 0 {
		if d.waiting > 1 {
			others := HintList{Keys: d.env.Keys, taken: d.env.drafts}
			others.AddAll("others", command.DialogPrev, command.DialogNext)
			hints = append(hints, others.List...)
		}
		hints = d.env.hint(hints, command.RejectWords, "reject with a reason")
		hints = d.env.hint(hints, command.DialogShow, "whole screen")
		hints = d.env.hint(hints, command.DialogEdit, "in $EDITOR")
	}
	if len(hints) > 0 && d.viewed.complete() && d.hasRaw() {
		word := toolview.RawInput
		if d.raw {
			word = "hide " + word
		}
		hints = d.env.hint(hints, command.DialogRaw, word)
	}
	if len(hints) > 0 && d.changesFiles() {
		hints = d.env.hint(hints, command.DialogContext, "context")
		if d.env.Diffs != nil && d.width >= diffview.SplitWidth {
			words := "side by side"
			if !d.env.Diffs.Unified {
				words = "unified"
			}
			hints = d.env.hint(hints, command.DialogSplit, words)
		}
	}
	if len(hints) == 0 {
		return nil
	}
	// Keys that answer differ from keys that leave the question.
	h := HintList{Keys: d.env.Keys, List: hints, taken: func(key string) bool { return d.env.Keys.Match(command.RejectWords, key) }}
	h.Add(command.FocusTranscript, "transcript")
	return d.closing(h.List, closing)
}

// A permission can be rejected with words: what the agent should do instead. They are
// written in place of the answers, and go out as the next prompt. Nothing that is
// written there can allow anything.

// StopWriting returns to the answers and keeps the words. It reports whether words were
// being written. A second press of key, which often follows, is ignored.
func (d *Permission) StopWriting(key string) bool {
	if !d.writing {
		return false
	}
	d.writing = false
	d.env.Guard.Ended(key)
	d.env.Guard.open()
	return true
}

// TakeWords removes and returns the written reason, so that the caller can keep it when
// the question is answered or closed.
func (d *Permission) TakeWords() string {
	words := strings.TrimSpace(d.words.Text())
	d.words, d.writing = list.Input{}, false
	return words
}

// write takes a key while the words are written.
func (d *Permission) write(msg tea.KeyPressMsg) Action {
	keys, key := d.env.Keys, msg.String()
	d.why = ""
	switch {
	case keys.Match(command.DialogAccept, key):
		return d.reject(msg)
	case keys.Match(command.DialogClose, key):
		d.StopWriting(key)
	case keys.Match(command.DialogPageUp, key), keys.Match(command.DialogPageDown, key), key == "shift+up", key == "shift+down":
		d.scroll.Key(keys, key)
	case keys.Match(command.RejectWords, key), d.words.Key(msg):
	default:
		return NotTaken{}
	}
	return nil
}

// reject rejects with the written words, unless the request has just changed: the key may
// have been meant for the previous one.
func (d *Permission) reject(msg tea.KeyPressMsg) Action {
	switch {
	case strings.TrimSpace(d.words.Text()) == "":
		d.why = noWords
		return nil
	case msg.IsRepeat, d.env.Guard.inert():
		return nil
	}
	d.env.Guard.answer(msg.String())
	a := RejectWith{Question: d.seen, Words: d.TakeWords()}
	if o, ok := plainRejection(d.asked.Options); ok {
		a.Option = o.OptionID
	}
	return a
}

// plainRejection returns the option that only rejects once. Of several it is the one with
// the shortest name, because longer names say what else they do.
func plainRejection(options []acpclient.PermissionOption) (plain acpclient.PermissionOption, ok bool) {
	for _, o := range options {
		if o.Kind == acpclient.RejectOnce && (!ok || len(optionName(o)) < len(optionName(plain))) {
			plain, ok = o, true
		}
	}
	return plain, ok
}

// optionName returns an option's name in one line, or its ID if it has none.
func optionName(o acpclient.PermissionOption) string {
	if name := termtext.VisibleLine(o.Name); name != "" {
		return name
	}
	return termtext.VisibleLine(string(o.OptionID))
}

// Paste implements [Dialog]: the text is part of the words, or of the prompt.
func (d *Permission) Paste(text string) Action {
	if d.writing {
		d.words.Paste(text)
		return nil
	}
	return d.question.Paste(text)
}

// viewWriting draws the question with the line for the words in place of the answers.
func (d *Permission) viewWriting(p panel, width, maxHeight int) View {
	p.th, p.scroll, p.asks = d.env.Theme, &d.scroll, true
	if maxHeight >= roomy {
		p.head = append([]string{""}, p.head...)
	}
	if words := d.env.Guard.unfocused; words != "" {
		return d.viewUnfocused(p, words, width, maxHeight)
	}
	w := inner(width, maxHeight)
	p.focused, p.status, p.urgent = !d.env.Guard.inert(), d.why, true
	what := "Cancel the turn and say what to do instead"
	if o, ok := plainRejection(d.asked.Options); ok {
		what = "Reject (“" + optionName(o) + "”) and say what to do instead"
	}
	words := prose(what, w)
	if len(words) > nameLines {
		words = someLines(what, w, nameLines)
	}
	foot := styled(words, p.th.Muted)
	const lead = "❯ "
	room := max(1, w-termtext.Width(lead))
	line, column := d.words.Draw(room, p.th)
	p.cursor, p.inFoot = tea.NewCursor(termtext.Width(lead)+column, len(foot)), true
	p.foot, p.keep = fixed(append(foot, accent(p.th).Render(lead)+line)), len(foot)
	var v View
	v, d.placement = p.view(width, maxHeight)
	return v
}

// writingHints returns the keys that matter while the user writes words.
func (d *Permission) writingHints() []Hint {
	words := "reject and send"
	if _, ok := plainRejection(d.asked.Options); !ok {
		words = "cancel and send"
	}
	h := HintList{Keys: d.env.Keys} // a draft gets no keys now
	if strings.TrimSpace(d.words.Text()) != "" {
		h.Add(command.DialogAccept, words)
	}
	h.Add(command.DialogClose, "back")
	if d.scroll.Scrolls() {
		h.Add(command.DialogPageDown, "scroll")
	}
	return h.List
}

// ruleReplies returns the reply that saves a parley rule, if any can be proposed. No
// option of the agent has its sign or key.
func ruleReplies(env Env, p *conversation.Permission) []reply {
	if len(p.Proposals) == 0 {
		return nil
	}
	return []reply{{
		icon: "§", name: "Always allow (saved by parley)…",
		keys: shortcuts(env.Keys.For(command.AllowByRule)), action: ProposeRules{p.ID},
	}}
}
