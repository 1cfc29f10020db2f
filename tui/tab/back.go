package tab

import (
	"context"
	"errors"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/toolview"
	"parley/tui/transcript"
)

// Open is the wish to open stored sessions, each in a tab of its own or where it is open
// already. The last one is shown.
type Open []app.Open

func (Open) wish() {}

// back is what a tab knows of the stored session that it went on with.
type back struct {
	from     app.Open
	title    string // as the person calls it
	readOnly string // why nothing can be sent; "" if it can
	// untrusted is the agent that the person has not agreed to, nil if there is none.
	untrusted *app.UntrustedError
	// wanted are the options as they were, until the session is open again.
	wanted map[acpclient.ConfigID]acpclient.ConfigValue
	// about is what was said before, which goes along with the next prompt.
	about string
	anew  bool // a new session was opened in place of one that could not be
}

// reopenedMsg is a stored session that was read, or why it could not be.
type reopenedMsg struct {
	from app.Open
	*app.Reopened
	wanted []toolview.Fragment // the changes in it
	err    error
}

// OpenStored shows a stored session and goes on with it.
func (t *Tab) OpenStored(o app.Open) tea.Cmd { return t.address(t.openStored(o)) }

func (t *Tab) openStored(o app.Open) tea.Cmd {
	t.back.from = o // it is this tab's from now on: nobody opens it in another
	reopen, ctx := t.program.Reopen, t.program.Context
	t.reopening = sync.OnceValue(func() reopenedMsg {
		msg := reopenedMsg{from: o}
		if msg.Reopened, msg.err = reopen(ctx, o); msg.err == nil {
			msg.wanted = diffFragments(msg.Transcript.Conversation)
		}
		return msg
	})
	reopening := t.reopening
	return func() tea.Msg { return reopening() }
}

// reopened shows the stored session, and has its agent go on with it.
func (t *Tab) reopened(msg reopenedMsg) tea.Cmd {
	t.reopening = nil
	if msg.err != nil {
		t.back.from = app.Open{}
		t.outbox.GiveBack()
		t.ask(dialog.Confirmation{Title: "The stored session cannot be opened", Text: msg.err.Error(), Choices: []dialog.Choice{
			{Name: "List the stored sessions", Do: dialog.Do(t.showSessions)},
			{Name: "Leave parley", Do: dialog.Do(func() tea.Cmd { return t.ending.quit(quitDespite) })},
		}})
		return nil
	}
	if old := t.session; old != nil { // what only showed the transcript until now
		go old.Close(context.Background())
	}
	t.adopt(msg.Agent, msg.Session)
	cmds := []tea.Cmd{t.remember(msg), t.pump.next, t.readBranch(), t.sites.Locate(msg.wanted)}
	if msg.ReadOnly != nil {
		t.outbox.GiveBack() // what was sent meanwhile goes nowhere
		t.readOnly(msg.ReadOnly)
		return tea.Batch(cmds...)
	}
	t.session.Start()
	t.rules().AskToTrust()
	if msg.from.Last && t.composer.Empty() {
		cmds = append(cmds, t.drafts.Load())
	}
	return tea.Batch(append(cmds, t.outbox.Read())...)
}

// remember takes over how the stored session was left. A draft in whose place another was
// begun meanwhile goes into the history.
func (t *Tab) remember(msg reopenedMsg) (keep tea.Cmd) {
	c := msg.Transcript.Conversation
	t.back = back{from: msg.from, title: msg.Transcript.Title, wanted: map[acpclient.ConfigID]acpclient.ConfigValue{}}
	for i := range c.Options {
		t.back.wanted[c.Options[i].ID], _ = c.OptionValue(&c.Options[i])
	}
	t.conv = c
	t.conv.Cwd = t.cwd
	t.standing.Remember(c)
	t.list = transcript.New(t.program.Theme, c)
	t.list.SetSites(t.sites.Known())
	t.reader = newTranscriptReader(t)
	t.composer.SetCommands(c.Commands)
	if top := msg.View.Top; top != nil {
		t.list.StartAt(*top)
	}
	switch draft := msg.View.Draft; {
	case t.composer.Empty():
		t.composer.SetText(draft)
	case t.composer.Text() != draft:
		keep = t.composer.Keep(draft)
	}
	t.drafts.Saved(msg.View)
	return keep
}

// readOnly says why the session can only be read, and asks where a yes would help.
func (t *Tab) readOnly(why error) {
	var untrusted *app.UntrustedError
	t.back.readOnly = "here it can only be read: " + why.Error()
	if errors.As(why, &untrusted) {
		t.back.untrusted = untrusted
		t.askToTrust()
		return
	}
	t.ask(dialog.Confirmation{
		Title: "This session can only be read", Text: why.Error(),
		Choices: []dialog.Choice{{Name: "Read it", Do: dialog.Close{}}},
	})
}

// askToTrust asks whether the agent of the session may be started, or connected to.
func (t *Tab) askToTrust() {
	again, why := t.back.from, t.back.untrusted
	again.Trusted = true
	done := "started"
	if why.Listens != "" {
		done = "connected to"
	}
	t.back.readOnly = "its agent was not " + done + ": " + t.wayTo(config.ActionStartAgain) + " asks about it again"
	q := t.confirmation(why.Question(app.Choice{Risky: true}, app.Choice{Name: "Only read"}))
	q.Choices[0].Do = dialog.Do(func() tea.Cmd { return t.openStored(again) })
	t.ask(q)
}

// setAgain sets the options as they were when the session was left, where the agent has
// other values now and still offers those.
func (b *back) setAgain(c *conversation.Conversation, set func(acpclient.ConfigID, acpclient.ConfigValue)) {
	for i := range c.Options {
		o := &c.Options[i]
		if was, differs := b.again(c, o); differs {
			set(o.ID, was)
		}
	}
	b.wanted = nil
}

// again is the value that an option had, if that is to be set again.
func (b *back) again(c *conversation.Conversation, o *acpclient.SessionConfigOption) (was acpclient.ConfigValue, differs bool) {
	was, known := b.wanted[o.ID]
	now, _ := c.OptionValue(o)
	return was, known && was != now && offers(o, was)
}

// offers reports whether an option can have a value.
func offers(o *acpclient.SessionConfigOption, v acpclient.ConfigValue) bool {
	if v.IsBool {
		return o.Type == acpclient.ConfigBoolean
	}
	for _, s := range o.Options.All() {
		if s.Value == v.ID {
			return o.Type == acpclient.ConfigSelect
		}
	}
	return false
}

// cannotGoOn reports whether a failure to open the session is that of a stored one, for
// which there is something else to offer.
func (t *Tab) cannotGoOn() bool { return t.session.Options().Kept && !t.back.anew }

// askAnew offers a new session after a stored one that the agent cannot open again.
func (t *Tab) askAnew(err error) {
	anew := func(about string) dialog.Do {
		return func() tea.Cmd {
			t.back.anew, t.back.about = true, about
			return t.sayIf(t.session.OpenAnew())
		}
	}
	text := err.Error() + "\nWhat was said stays here to read. A new session knows nothing of it, unless it goes along with your next prompt."
	if errors.Is(err, session.ErrCannotReopen) {
		text = "The agent remembers no earlier sessions." + text[len(err.Error()):]
	}
	t.ask(dialog.Confirmation{Title: "The agent cannot go on with this session", Text: text, Choices: []dialog.Choice{
		{Name: "New session that is told what was said", Do: anew(told(t.conv))},
		{Name: "New session", Do: anew("")},
		{Name: "Stay here and read", Do: dialog.Close{}},
	}})
}

// maxTold bounds what a new session is told of the one before it, in bytes.
const maxTold = 64 << 10

// told is what was said and done so far, as text: the end of it, if it is long.
func told(c *conversation.Conversation) string {
	var b strings.Builder
	_ = conversation.WritePlain(&b, c) // a strings.Builder takes everything
	text := termtext.Block(b.String())
	if cut := len(text) - maxTold; cut > 0 {
		_, text, _ = strings.Cut(text[cut:], "\n")
		text = "(what came before is left out)\n\n" + text
	}
	return text
}

// withTold adds what was said before to a prompt, once: as a resource if the agent takes
// those, else as text.
func (b *back) withTold(c *conversation.Conversation, blocks []acpclient.ContentBlock) []acpclient.ContentBlock {
	about := b.about
	if about == "" {
		return blocks
	}
	b.about = ""
	if c.Agent.Capabilities.PromptCapabilities.EmbeddedContext {
		return append(blocks, acpclient.TextResourceBlock("parley:earlier-session.md", "text/markdown", about))
	}
	return append(blocks, acpclient.TextBlock("\n\nThis is what was said in an earlier session:\n\n"+about))
}
