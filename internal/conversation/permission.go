package conversation

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"parley/acpclient"
)

// Permission is an open question about a tool call, or about a file.
type Permission struct {
	ID int
	// ToolCall is the call in the transcript.
	ToolCall *ToolCall
	// Asked is the call as this question has it: what the request says on top of
	// what the agent told of the call before, and whatever it has told since. Of two
	// questions about one call each has its own. It never changes in place: it is
	// replaced by another one, with a higher Version.
	Asked   *ToolCall
	Options []acpclient.PermissionOption
	// Title and Description are the agent's words for the question itself, beside
	// those for the call; empty if it has none.
	Title, Description string
	// File says that parley itself asks, and what; nil if the agent does.
	File *FileQuestion
	// Why says what kept a rule from answering it, "" if no rule is about it.
	// Proposals are lists of rules, narrow ones first, each of which would have
	// allowed it; nil if no rule may.
	Why       string
	Proposals [][]string

	holds []*ToolCall // the calls that wait for the answer
}

// PermissionAnswer is how a question about a tool call was answered: with an
// option, or not at all.
type PermissionAnswer struct {
	Option    acpclient.PermissionOption
	Cancelled bool
	// Rule is the rule that gave the answer, and Source where it lives; empty if no
	// rule did.
	Rule, Source string
}

// Rejects reports whether the answer denies the call.
func (a *PermissionAnswer) Rejects() bool {
	return a != nil && !a.Cancelled && a.Option.Kind.Rejects()
}

func (c *Conversation) applyPermissionOpened(e PermissionOpened) {
	if e.File != nil {
		// A question of parley's own interrupts no message of the agent.
		t := &ToolCall{Status: acpclient.ToolPending}
		t.apply(&e.Request.ToolCall)
		asked := *t
		c.Permissions = append(c.Permissions, &Permission{ID: e.ID, ToolCall: t, Asked: &asked, Options: e.Request.Options, File: e.File})
		c.addItem(t)
		c.hold(nil, e.At)
		return
	}
	u := &e.Request.ToolCall
	var t *ToolCall
	if u.ToolCallID == "" {
		t = c.newTool("", u.Meta, e.At)
	} else {
		t = c.toolByID(u.ToolCallID, u.Meta, e.At)
	}
	some := telling(u, t)
	p := &Permission{ID: e.ID, ToolCall: t, Asked: c.toldOf(t).with(some), Options: e.Request.Options, Title: e.Request.Title, Description: e.Request.Description}
	if e.Judging {
		c.Judging = append(c.Judging, p)
	} else {
		c.Permissions = append(c.Permissions, p)
	}
	c.changeTool(t, some, e.At)
	t.Answer = nil
	if !e.Judging {
		p.holds = c.hold(t, e.At)
	}
}

// telling is what a request says about its call. It fills in, and never takes
// away: an empty title, content or input says nothing.
func telling(u *acpclient.ToolCallUpdate, t *ToolCall) *acpclient.ToolCallUpdate {
	some := *u
	if some.Title != nil && strings.TrimSpace(*some.Title) == "" {
		some.Title = nil
	}
	if some.Kind != nil && (*some.Kind == "" || *some.Kind == acpclient.ToolOther) {
		some.Kind = nil
	}
	if some.Status != nil && t.Status != "" {
		some.Status = nil // the call itself knows better
	}
	if len(some.Content) == 0 {
		some.Content = nil
	}
	if len(some.Locations) == 0 {
		some.Locations = nil
	}
	if saysNothing(some.RawInput) {
		some.RawInput = nil
	}
	return &some
}

// toldOf is a call as the agent tells of it outside of its questions. It is kept
// from the first question on, since the call itself takes in what questions say.
func (c *Conversation) toldOf(t *ToolCall) *ToolCall {
	if told := c.questioned[t.ID]; told != nil {
		return told
	}
	told := *t
	if t.ID != "" {
		c.questioned[t.ID] = &told
	}
	return &told
}

// questionsFollow brings the open questions about a call up to date with what
// the agent tells of it.
func (c *Conversation) questionsFollow(t *ToolCall, u *acpclient.ToolCallUpdate) {
	if told := c.questioned[t.ID]; told != nil {
		told.apply(u)
	}
	for _, p := range slices.Concat(c.Permissions, c.Judging) {
		if p.ToolCall != t {
			continue
		}
		p.Asked = p.Asked.with(u)
		if u.Kind != nil || u.Name != nil || u.Content != nil || u.Locations != nil || len(u.RawInput) > 0 {
			p.Proposals = nil // they were for what it was before
		}
	}
}

// with is a copy of the call with an update.
func (t *ToolCall) with(u *acpclient.ToolCallUpdate) *ToolCall {
	changed := *t
	changed.apply(u)
	return &changed
}

// applyPermissionReferred asks the person a question that no rule answers.
func (c *Conversation) applyPermissionReferred(e PermissionReferred) {
	p := takePermission(&c.Judging, e.ID)
	if p == nil {
		return
	}
	p.Why, p.Proposals = e.Why, e.Proposals
	at, _ := slices.BinarySearchFunc(c.Permissions, e.ID, func(o *Permission, id int) int { return o.ID - id })
	c.Permissions = slices.Insert(slices.Clone(c.Permissions), at, p)
	p.holds = c.hold(p.ToolCall, e.At)
	p.ToolCall.changed()
}

// takePermission removes a question from a list and returns it, or nil. The list
// before it stays as it was.
func takePermission(list *[]*Permission, id int) *Permission {
	i := slices.IndexFunc(*list, func(p *Permission) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	p := (*list)[i]
	*list = slices.Delete(slices.Clone(*list), i, i+1)
	return p
}

func (c *Conversation) applyPermissionClosed(e PermissionClosed) {
	p := takePermission(&c.Permissions, e.ID)
	if p == nil {
		p = takePermission(&c.Judging, e.ID)
	}
	if p == nil {
		return
	}
	answer := &PermissionAnswer{Cancelled: e.Outcome.Cancelled(), Rule: e.Rule, Source: e.Source}
	for _, o := range p.Options {
		if !answer.Cancelled && o.OptionID == e.Outcome.OptionID {
			answer.Option = o
			break
		}
	}
	t := p.ToolCall
	t.Answer = answer
	t.Asked = append(t.Asked, p.Asked)
	if p.File != nil || t.ID == "" {
		// The agent will report nothing more about this call.
		switch {
		case t.Answer.Cancelled:
			t.Cancelled = true
		case t.Answer.Rejects():
			t.Rejected = true
		default:
			t.Status = acpclient.ToolCompleted
		}
		t.stop(e.At)
	} else if !t.Live {
		t.rejectUnlessEnded() // there is no turn whose end would tell
	}
	t.changed()
	c.release(p.holds, e.At)
	// The call may have been forgotten with its session.
	if t.index < len(c.Items) && c.Items[t.index] == Item(t) {
		c.settle(c.nodes[t.index])
	}
}

// rejectUnlessEnded marks a call that the person has denied, unless the agent says that
// it was done, or cancelled, all the same. It reports whether it did.
func (t *ToolCall) rejectUnlessEnded() bool {
	t.Rejected = t.Answer.Rejects() && (!t.ended() || t.Status == acpclient.ToolFailed)
	return t.Rejected
}

// askedQuestion is one of the questions in a permission request of qwen-code.
type askedQuestion struct {
	Header   string `json:"header"`
	Question string `json:"question"`
	Options  acpclient.List[struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	}] `json:"options"`
	MultiSelect bool `json:"multiSelect"`
}

// ownAnswer is appended to the name of a question's field for the field that takes an
// answer in the person's own words.
const ownAnswer = "_other"

// Form is the form that a permission request stands for, nil if it is an ordinary
// request. [FormAnswers] makes the answers of what was filled in.
func (q Quirks) Form(r *acpclient.RequestPermissionRequest) *acpclient.CreateElicitationRequest {
	if !q.QuestionsInPermissions {
		return nil
	}
	if kind, _ := acpclient.MetaValue[string](r.ToolCall.Meta, "qwenInteractionKind"); kind != "user_question" {
		return nil
	}
	questions, ok := acpclient.MetaValue[[]json.RawMessage](r.ToolCall.Meta, "qwenQuestions")
	if !ok {
		questions, _ = acpclient.MetaValue[[]json.RawMessage](r.ToolCall.RawInput, "questions")
	}
	form := &acpclient.CreateElicitationRequest{
		Mode: acpclient.ElicitForm, SessionID: r.SessionID, ToolCallID: r.ToolCall.ToolCallID,
		RequestedSchema: &acpclient.ElicitationSchema{Type: "object"},
	}
	var message string
	for i, raw := range questions {
		var asked askedQuestion
		if acpclient.Unmarshal(raw, &asked) != nil || asked.Header+asked.Question == "" {
			continue // the others keep their indices
		}
		message = asked.Question
		form.RequestedSchema.Properties = append(form.RequestedSchema.Properties, asked.fields(strconv.Itoa(i))...)
	}
	switch {
	case len(form.RequestedSchema.Properties) == 0:
		return nil
	case len(questions) > 1:
		message = "Please answer these questions."
	default:
		form.RequestedSchema.Properties[0].Schema.Description = "" // it is the message
	}
	form.Message = message
	return form
}

// fields are the choice of an answer to the question, and a field for another one.
func (a *askedQuestion) fields(name string) []acpclient.ElicitationProperty {
	choice := acpclient.ElicitationPropertySchema{Type: acpclient.PropertyString, Title: a.Header, Description: a.Question}
	var options []acpclient.EnumOption
	for _, o := range a.Options {
		if o.Label != "" {
			options = append(options, acpclient.EnumOption{Const: o.Label, Title: o.Label, Description: o.Description})
		}
	}
	switch {
	case len(options) == 0:
		return []acpclient.ElicitationProperty{{Name: name, Schema: choice}}
	case a.MultiSelect:
		choice.Type, choice.Items = acpclient.PropertyArray, &acpclient.MultiSelectItems{AnyOf: options}
	default:
		choice.OneOf = options
	}
	other := acpclient.ElicitationPropertySchema{Type: acpclient.PropertyString, Title: "Other", Description: "Your own answer (optional)"}
	return []acpclient.ElicitationProperty{{Name: name, Schema: choice}, {Name: name + ownAnswer, Schema: other}}
}

// FormAnswers are the answers to the questions of a [Quirks.Form], by the index of the
// question. Questions without an answer are left out.
func FormAnswers(form *acpclient.CreateElicitationRequest, content map[string]any) map[string]string {
	answers := map[string]string{}
	for _, p := range form.RequestedSchema.Properties {
		var given string
		switch v := content[p.Name].(type) {
		case string:
			given = v
		case []string:
			given = strings.Join(v, ", ")
		}
		if given == "" {
			continue
		}
		index := strings.TrimSuffix(p.Name, ownAnswer)
		if before := answers[index]; before != "" {
			given = before + ", " + given
		}
		answers[index] = given
	}
	return answers
}
