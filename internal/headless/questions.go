package headless

import (
	"errors"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
)

// answerQuestions denies what the agent asks and no rule has answered.
func (r *run) answerQuestions() {
	for _, p := range conversation.Questions[*conversation.Permission](&r.conv.State) {
		if !r.answered[p.ID] {
			r.answered[p.ID] = true
			r.deny(p)
		}
	}
}

// deny denies what no rule allows: with an option that rejects it once. Where the
// agent offers none, the turn is cancelled, and the question with it. A question that
// the agent has given up by then is not denied: it needs no answer.
func (r *run) deny(p *conversation.Permission) {
	offered, err := app.Reject(r.session, p)
	switch {
	case errors.Is(err, session.ErrAnswered):
		return
	case errors.Is(err, session.ErrChanged):
		delete(r.answered, p.ID) // what it asks now is among the next events
		return
	}
	r.denied, r.rejected = true, PermissionDenied
	d := Denial{ToolCallID: p.ToolCall.ID, Title: p.Asked.Title, Kind: p.Asked.Kind}
	if p.File != nil {
		d.Title = p.File.Target
		r.noteDenied(d, "no rule can allow it: "+termtext.VisibleLine(p.File.Why()))
		return
	}
	if len(p.Proposals) > 0 {
		for _, rule := range p.Proposals[0] {
			d.Allow = append(d.Allow, strings.TrimPrefix(rule, "allow "))
		}
	}
	how := "--allow none ignores all allow rules"
	if !r.opt.Unruled {
		how = howToAllow(d.Allow, p.Why)
	}
	r.noteDenied(d, how)
	if !offered {
		r.cancel(PermissionDenied, "the agent offers no way to deny once, so the turn was cancelled")
	}
}

// noteDenied notes what was denied, and says how it could be allowed, or why not.
func (r *run) noteDenied(d Denial, how string) {
	r.result.Denied = append(r.result.Denied, d)
	r.tell("denied: " + face(d.Kind, d.Title))
	r.tell("  " + how)
}

// howToAllow returns the flags that would have allowed something.
func howToAllow(rules []string, why string) string {
	var flags []string
	for _, rule := range rules {
		quoted, err := syntax.Quote(rule, syntax.LangPOSIX)
		if err != nil {
			flags = nil // it cannot be typed
			break
		}
		flags = append(flags, "--allow "+quoted)
	}
	switch {
	case len(flags) > 0:
		return "to allow it: " + termtext.VisibleLine(strings.Join(flags, " "))
	case why != "":
		return "no rule allows it: " + termtext.VisibleLine(why)
	}
	return "no rule can allow it"
}

// noteDenial notes what a rule denies, or a user. It is called before the event is folded,
// when the question is still known. What was denied here is noted already.
func (r *run) noteDenial(e conversation.QuestionClosed) {
	p, is := r.conv.Question(e.ID).(*conversation.Permission)
	if !is || r.answered[e.ID] {
		return
	}
	if !slices.ContainsFunc(p.Options, func(o acpclient.PermissionOption) bool { return o.OptionID == e.Outcome.OptionID && o.Kind.Rejects() }) {
		return
	}
	d := Denial{ToolCallID: p.ToolCall.ID, Title: p.Asked.Title, Kind: p.Asked.Kind, Rule: e.Rule}
	if r.rejected = PermissionDenied; e.Rule == "" {
		r.denied, r.result.Denied = true, append(r.result.Denied, d)
		return
	}
	r.noteDenied(d, "by the rule "+termtext.VisibleLine(e.Rule)+" ("+termtext.VisibleLine(e.Source)+")")
}

// notice hands on what parley itself has to say, if it is more than a remark.
func (r *run) notice(e conversation.NoticeAdded) {
	if e.Title == session.FormRefused {
		r.declined, r.rejected = true, InputNeeded
	}
	if e.Severity != acpclient.NoticeWarning && e.Severity != acpclient.NoticeError {
		return
	}
	line := termtext.VisibleLine(e.Title)
	if e.Detail != "" {
		line += ": " + termtext.VisibleLine(strings.ReplaceAll(strings.TrimSpace(e.Detail), "\n", " "))
	}
	r.tell(line)
}

func (r *run) tell(line string) {
	if r.opt.Tell != nil {
		r.opt.Tell(line)
	}
}

// progress reports a tool call when it has ended.
func (r *run) progress(e conversation.Update) {
	if r.opt.Progress == nil || r.turns == 0 {
		return
	}
	var id acpclient.ToolCallID
	switch u := e.Update.(type) {
	case *acpclient.ToolCall:
		id = u.ToolCallID
	case *acpclient.ToolCallUpdate:
		id = u.ToolCallID
	}
	if t := r.conv.Tool(id); t != nil && (t.Status == acpclient.ToolCompleted || t.Status == acpclient.ToolFailed || t.Status == acpclient.ToolCancelled) {
		r.progressOf(t)
	}
}

// progressAll reports the tool calls of the turn that have not ended by themselves.
func (r *run) progressAll() {
	if r.opt.Progress == nil {
		return
	}
	for _, item := range r.conv.Items[r.first:] {
		if t, ok := item.(*conversation.ToolCall); ok {
			r.progressOf(t)
		}
	}
}

func (r *run) progressOf(t *conversation.ToolCall) {
	if r.told[t] {
		return
	}
	r.told[t] = true
	line := face(t.Kind, t.Title)
	if s := t.State(); s == string(acpclient.ToolCompleted) {
		line = "✓ " + line
	} else {
		line = "✗ " + line + " (" + strings.ReplaceAll(termtext.Line(s), "_", " ") + ")"
	}
	r.opt.Progress(line)
}

// maxFace bounds the line of a tool call, in cells.
const maxFace = 160

// face describes a tool call in one line: its kind and its title.
func face(kind acpclient.ToolKind, title string) string {
	k := termtext.VisibleLine(string(kind))
	if k == "" {
		k = string(acpclient.ToolOther)
	}
	return termtext.Truncate(k+": "+termtext.VisibleLine(termtext.Head(title, 16*maxFace, "…")), maxFace, "…")
}
