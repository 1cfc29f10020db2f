package tab

import (
	"cmp"
	"context"
	"os/exec"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/store"
	"parley/internal/termtext"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

// host is the tab as its parts see it. Each of them says in an interface of its own what
// it needs of it.
type host struct{ *Tab }

// Edit opens a file in the person's editor.
func (h host) Edit(path string, line int) tea.Cmd { return h.edit(path, line) }

// Copy puts text on the clipboard.
func (h host) Copy(what, text string) tea.Cmd { return h.copy(what, text) }

// Flash is what the tab says at this moment.
func (h host) Flash() string { return h.desk.Said() }

// Choose opens a list above the view.
func (h host) Choose(list dialog.List) {
	h.desk.List(list)
}

// Compose adds text to the prompt and closes the view.
func (h host) Compose(text string) tea.Cmd {
	h.dialogs.Close(h.changes)
	if !h.composer.Empty() {
		text = "\n\n" + text
	}
	return h.composer.Paste(text)
}

// Shared reports whether another tab has the same directory.
func (h host) Shared() bool { return h.row().Shared() }

// ShowCall shows a tool call on the whole screen.
func (h host) ShowCall(call *conversation.ToolCall) tea.Cmd {
	h.dialogs.Push(newPager(h.Tab.desk, h, h.list, call))
	return h.sites.Locate(toolview.Fragments(call.Content))
}

// Opener opens a session with the tab's agent in another directory, in a tab of its own.
func (h host) Opener() func(dir string) tea.Cmd {
	agent, row := h.agent, h.row()
	return func(dir string) tea.Cmd { return row.OpenIn(agent, dir) }
}

// LetGo says why nothing can be sent any more. What it returns ends the agent.
func (h host) LetGo(why string) (end func(context.Context)) {
	h.back.readOnly = why
	return h.session.Close
}

// WayOut is the answer that leaves what has come to an end.
func (h host) WayOut(key string) dialog.Choice { return h.ending.WayOut(key) }

// Permission is the open permission with an ID, nil if there is none.
func (h host) Permission(id int) *conversation.Permission {
	i := slices.IndexFunc(h.conv.Permissions, func(p *conversation.Permission) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return h.conv.Permissions[i]
}

// Answer answers a permission with an option.
func (h host) Answer(id int, option acpclient.PermissionOptionID) error {
	return h.session.Answer(id, option)
}

// rules are the rules by which the session's questions are judged; nil if nobody judges
// them.
func (t *Tab) rules() *ruleDialogs { return ruleDialogsOf(t.session, t.desk, host{t}) }

// source is the session, to be exported as it is known here, whether or not it is stored.
func (t *Tab) source() exportSource {
	return exportSource{
		Conversation: t.conv, Named: cmp.Or(t.standing.Name(), termtext.Line(t.back.title)), About: cmp.Or(t.Title(), t.standing.Asked()), Base: t.base,
		Open: func(path string) tea.Cmd { return open(path, func(err error) tea.Msg { return ErrorMsg{Err: err} }) },
	}
}

// OpenExcerpt opens what an item is about.
func (h host) OpenExcerpt(e toolview.Excerpt) tea.Cmd { return h.openExcerpt(e) }

// LendMouse leaves the mouse to the terminal until the next key.
func (h host) LendMouse() { h.lendMouse() }

// Now is the time in the session.
func (h host) Now() time.Time { return h.sessionNow() }

// Below draws the line below what is read.
func (h host) Below(r *reader, width int) (line string, column int) {
	return h.said(r, "", "", width)
}

// Machine is where commands run; nil as long as there is no session.
func (h host) Machine() machine {
	if h.session == nil {
		return nil
	}
	return h.session
}

// Conversation is nil as long as there is no session.
func (h host) Conversation() *conversation.Conversation { return h.conv }

// TerminalWidth is how wide the transcript draws terminals.
func (h host) TerminalWidth() int { return h.list.TerminalWidth() }

// Bottom shows the end of the transcript.
func (h host) Bottom() { h.list.Bottom() }

// Release gives a key that a dialog has held back to the prompt.
func (h host) Release() tea.Cmd { return h.held.Release() }

// Attach adds something to the prompt, or takes it away again.
func (h host) Attach(a composer.Attachment) (added bool) {
	added = h.composer.Attach(a)
	h.Pasted()
	return added
}

// Taker takes the prompts; nil as long as there is no session.
func (h host) Taker() queueSession {
	if h.session == nil {
		return nil
	}
	return h.session
}

// CannotTake says why a prompt cannot be sent, "" if it can.
func (h host) CannotTake(p composer.Prompt) string {
	return cmp.Or(h.back.readOnly, h.images.CannotTake(p))
}

// Sending is told that a prompt is on its way.
func (h host) Sending() {
	h.news = false
	if h.list != nil {
		h.list.Bottom()
	}
}

// WithTold adds to a prompt what the agent is to be told along with it.
func (h host) WithTold(blocks []acpclient.ContentBlock) []acpclient.ContentBlock {
	return h.back.withTold(h.conv, blocks)
}

// Answers takes answers to permissions.
func (h host) Answers() questionSession { return h.session }

// Exec runs a program on the terminal.
func (h host) Exec(c *exec.Cmd, done tea.ExecCallback) tea.Cmd { return h.exec(c, done) }

// Remembers is nil as long as there is no session.
func (h host) Remembers() agentSessions {
	if h.session == nil {
		return nil
	}
	return h.session
}

// Library are the sessions that are kept; nil keeps none.
func (h host) Library() *store.Library { return h.program.Stored }

// Open reports whether there is a session, Kept whether something of it is kept.
func (h host) Open() bool { return h.session != nil }

// Kept is described with Open.
func (h host) Kept() bool { return h.session.Options().Keeper != nil }

// OwnLog is the log that the session is kept in, "" as long as there is none.
func (h host) OwnLog() store.ID { return app.StoredID(h.session) }

// Top is the number of the item at the top of the transcript; nil if its end is followed.
func (h host) Top() *int {
	if h.list != nil {
		if top, following := h.list.Start(); !following {
			return &top
		}
	}
	return nil
}

// Gate signs in and out.
func (h host) Gate() signInSession { return h.session }

// Press takes a key as if it had just been pressed.
func (h host) Press(k tea.KeyPressMsg) tea.Cmd { return h.key(k) }

// Type gives a key to the prompt.
func (h host) Type(k tea.KeyPressMsg) tea.Cmd { return h.promptKey(k, k.String()) }

// Take carries out what a dialog has decided.
func (h host) Take(a dialog.Action) (cmd tea.Cmd, taken bool) { return h.take(a) }

// Agent is the agent that was chosen for the tab.
func (h host) Agent() config.Agent { return h.agent }

// Clipboard reads the image on the system's clipboard; nil is a system that has none.
func (h host) Clipboard() clipboardReader { return h.program.ClipboardImage }

// Prompts reports whether there is a prompt to write.
func (h host) Prompts() bool { return h.composerActive() }

// Pasted is told that something came into the prompt, beside the keys, which go there now.
func (h host) Pasted() {
	if h.reader.Focused() {
		h.reader.Unfocus()
	}
}

// Runs is the session; nil as long as there is none.
func (h host) Runs() lifecycleSession {
	if h.session == nil {
		return nil
	}
	return h.session
}

// Escape is what esc does where there is nothing to end.
func (h host) Escape() tea.Cmd { return h.outbox.Escape() }

// LeaveStart leaves an agent that starts.
func (h host) LeaveStart() tea.Cmd { return h.leaveStart() }

// Alone reports whether there is no other tab.
func (h host) Alone() bool { return h.row().Alone() }

// CloseTab closes the tab.
func (h host) CloseTab() tea.Cmd { return h.row().Close() }

// Quit leaves the program.
func (h host) Quit(s quitConsent) tea.Cmd {
	switch s {
	case quitDespite:
		return send(Quit{Despite: h.id})
	case quitSure:
		return send(Quit{Sure: true})
	}
	return send(Quit{})
}
