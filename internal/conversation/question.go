package conversation

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/policy"
	"parley/internal/termtext"
)

// Seen identifies the revision of an open question that the user has seen. An answer counts
// only for the current revision.
type Seen struct {
	ID       int `json:"id"`
	Revision int `json:"revision"` // from 1
	// Shown is a digest of what a permission asks: a viewer that has missed events may know only a
	// part of it. It is empty for other questions.
	Shown string `json:"shown,omitempty"`
}

// Question is an open question to the user: a [Permission] or an [Elicitation]; see [Match].
type Question interface {
	// Now identifies the question as it is now.
	Now() Seen
	asking() *Asking
}

// Asking is what all kinds of questions have.
type Asking struct {
	Seen
	// Judging means that the rules decide first. The user is not asked yet.
	Judging bool

	holds []*ToolCall // the calls that wait for the answer
}

func (a *Asking) asking() *Asking { return a }

// Now implements [Question].
func (a *Asking) Now() Seen { return a.Seen }

// Match calls the function for the kind of a question. Every kind has one, so that a new kind does
// not compile until every caller handles it.
func Match[T any](q Question, permission func(*Permission) T, elicitation func(*Elicitation) T) T {
	if p, is := q.(*Permission); is {
		return permission(p)
	}
	return elicitation(q.(*Elicitation))
}

// Questions returns the questions of a kind that the user is asked, oldest first.
func Questions[Q Question](s *State) (open []Q) {
	for _, q := range s.questions {
		if q, is := q.(Q); is && !q.asking().Judging {
			open = append(open, q)
		}
	}
	return open
}

// Question returns an open question, which the rules may be judging; nil if it is closed.
func (s *State) Question(id int) Question {
	if i := s.indexOf(id); i >= 0 {
		return s.questions[i]
	}
	return nil
}

func (s *State) indexOf(id int) int {
	return slices.IndexFunc(s.questions, func(q Question) bool { return q.asking().ID == id })
}

// ask opens a question.
func (s *State) ask(q Question, t *ToolCall, at time.Time) {
	s.questions = append(slices.Clip(s.questions), q)
	if a := q.asking(); !a.Judging {
		a.holds = s.hold(t, at)
	}
}

// Asks reports whether the user is asked a question.
func (s *State) Asks(q Question) bool {
	now := s.Question(q.Now().ID)
	return now != nil && !now.asking().Judging
}

// Permission is a question about a tool call, or about a file.
type Permission struct {
	Asking
	// ToolCall is the call in the transcript.
	ToolCall *ToolCall
	// Asked is the call as this question shows it: what the agent has said about the call,
	// before or after, plus what the request adds. Two questions about one call have one each.
	// It is never changed in place but replaced, with a higher Version.
	Asked   *ToolCall
	Options []acpclient.PermissionOption
	// Title and Description are the agent's words for the question itself, in addition to
	// those for the call; they may be empty.
	Title, Description string
	// File is set if parley itself asks about a file.
	File *FileQuestion
	// Why says what kept a rule from answering, "" if no rule matches. Each of Proposals is a
	// list of rules that would have allowed the call, narrow ones first; nil if no rule may.
	Why       string
	Proposals [][]string
	// Ordinary means that the call names, for certain, no file outside the session's directories and
	// none that parley asks about, and that the question has not changed since the user was asked.
	Ordinary bool

	asks subject // what the current revision asks
}

// Allows reports whether an option is offered and does not reject the call.
func (p *Permission) Allows(id acpclient.PermissionOptionID) bool {
	return slices.ContainsFunc(p.Options, func(o acpclient.PermissionOption) bool { return o.OptionID == id && !o.Kind.Rejects() })
}

// subject is the changeable part of what a permission asks.
type subject struct {
	call      *ToolCall // Permission.Asked
	asker     string
	proposals int
}

// digest identifies what is asked, however it was stored or sent meanwhile: every fold must count the
// same revisions. Status and output of the call do not count, since no question shows them.
func (a subject) digest() string {
	t := a.call
	sum := sha256.New()
	part := func(v any) {
		text, err := json.Marshal(v)
		if err != nil {
			text = fmt.Appendf(nil, "%q", v) // what is no JSON was never sent
		}
		fmt.Fprintf(sum, "%d ", len(text))
		sum.Write(text)
	}
	part(a.asker)
	part(a.proposals)
	part(t.Title)
	part(t.Kind)
	part(t.Name)
	part(json.RawMessage(cmp.Or(string(t.RawInput), "null")))
	for i := range t.Locations {
		part(t.Locations[i])
	}
	for i := range t.Content {
		part(t.Content[i])
	}
	if len(t.Files) > 0 {
		part(t.Files)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// revise counts the revisions of the open questions; call it after every event. The first
// revision begins when the user is asked.
func (s *State) revise() {
	for _, p := range Questions[*Permission](s) {
		now := subject{p.Asked, s.askerOf(p.ToolCall), len(p.Proposals)}
		if now == p.asks {
			continue
		}
		p.asks = now
		if shown := now.digest(); shown != p.Shown {
			p.Ordinary = p.Ordinary && p.Revision == 0
			p.Revision++
			p.Shown = shown
		}
	}
}

// askerOf identifies the call of the subagent that makes a call.
func (s *State) askerOf(t *ToolCall) string {
	parent := s.tools[t.Parent]
	if t.Parent == "" || parent == nil {
		return string(t.Parent)
	}
	return string(t.Parent) + "\x00" + parent.Title + "\x00" + parent.Name + "\x00" + string(parent.Kind)
}

// PermissionAnswer is how a question about a tool call was answered: with an
// option, or not at all.
type PermissionAnswer struct {
	Option    acpclient.PermissionOption
	Cancelled bool
	// Rule is the rule that answered, and Source where it is defined; both are empty if no
	// rule did.
	Rule, Source string
}

// Rejects reports whether the answer denies the call.
func (a *PermissionAnswer) Rejects() bool {
	return a != nil && !a.Cancelled && a.Option.Kind.Rejects()
}

func (e PermissionOpened) fold(s *State) {
	s.LastNumber = max(s.LastNumber, e.ID)
	if e.File != nil {
		t := &ToolCall{Status: acpclient.ToolPending}
		t.apply(&e.Request.ToolCall)
		asked := *t
		s.ask(&Permission{Asking: Asking{Seen: Seen{ID: e.ID}}, ToolCall: t, Asked: &asked, Options: e.Request.Options, File: e.File}, nil, e.At)
		s.effect.calls = append(s.effect.calls, t)
		s.heldCalls.add(t)
		return
	}
	s.by = s.subagents[e.Request.SessionID]
	u := &e.Request.ToolCall
	t := s.toolOf(u, asks, e.At) // without an id, always a new call
	some := requestUpdate(u, t)
	asked := s.announcedOf(t).with(some)
	s.changeTool(t, some, e.At)
	t.Answer = nil
	s.ask(&Permission{
		Asking: Asking{Seen: Seen{ID: e.ID}, Judging: e.Judging}, ToolCall: t, Asked: asked,
		Options: e.Request.Options, Title: e.Request.Title, Description: e.Request.Description,
	}, t, e.At)
}

// requestUpdate returns what a request adds to its call. Empty fields change nothing.
func requestUpdate(u *acpclient.ToolCallUpdate, t *ToolCall) *acpclient.ToolCallUpdate {
	some := *u
	if some.Title != nil && strings.TrimSpace(*some.Title) == "" {
		some.Title = nil
	}
	if some.Kind != nil && (*some.Kind == "" || *some.Kind == acpclient.ToolOther) {
		some.Kind = nil
	}
	if some.Status != nil && t.Status != "" {
		some.Status = nil // the call's own status is better
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

// announcedOf returns a call as the agent describes it outside its questions. It is kept from
// the first question on, because the call itself also takes on what questions say.
func (s *State) announcedOf(t *ToolCall) *ToolCall {
	if announced := s.questioned[t.ID]; announced != nil {
		return announced
	}
	announced := *t
	if t.ID != "" {
		s.questioned[t.ID] = &announced
	}
	return &announced
}

// questionsFollow updates the open questions about a call with what the agent says about it.
func (s *State) questionsFollow(t *ToolCall, u *acpclient.ToolCallUpdate) {
	news := u.Kind != nil || u.Name != nil || u.Content != nil || u.Locations != nil || len(u.RawInput) > 0
	if announced := s.questioned[t.ID]; announced != nil {
		before := *announced
		announced.apply(u)
		news = news && !announced.SameSubject(&before)
	}
	for _, q := range s.questions {
		p, is := q.(*Permission)
		if !is || p.ToolCall != t {
			continue
		}
		was := p.Asked
		p.Asked = was.with(u)
		p.Asked.Incomplete = was.Incomplete || t.Incomplete
		// After a question, opencode repeats earlier updates with more of the input.
		repeats := !news && p.Asked.Kind == was.Kind && reflect.DeepEqual(p.Asked.Content, was.Content) && holdsAll(p.Asked.RawInput, was.RawInput)
		if !repeats && !p.Asked.sameIn(s.Cwd, was) {
			p.Proposals = nil // they were for the earlier subject
		}
	}
}

// SameSubject reports whether two calls would do the same, according to their fields.
func (t *ToolCall) SameSubject(o *ToolCall) bool {
	same := t.Kind == o.Kind && t.Name == o.Name && bytes.Equal(compact(t.RawInput), compact(o.RawInput)) &&
		slices.EqualFunc(t.Locations, o.Locations, func(a, b acpclient.ToolCallLocation) bool { return a.Path == b.Path }) &&
		slices.EqualFunc(t.Content, o.Content, func(a, b acpclient.ToolCallContent) bool { return reflect.DeepEqual(a, b) })
	if len(t.RawInput) == 0 || saysNothing(t.RawInput) {
		return same && t.Title == o.Title // the title may be all that names the command
	}
	return same
}

// sameIn is SameSubject for a session in a directory: that a call names this changes nothing.
func (t *ToolCall) sameIn(cwd string, o *ToolCall) bool {
	if t.SameSubject(o) {
		return true
	}
	now, ok := policy.FieldsWithoutDir(t.RawInput, cwd)
	was, before := policy.FieldsWithoutDir(o.RawInput, cwd)
	same := func(a, b policy.Field) bool { return a.Key == b.Key && bytes.Equal(compact(a.Value), compact(b.Value)) }
	if cwd == "" || !ok || !before || !slices.EqualFunc(now, was, same) {
		return false
	}
	named := func(l acpclient.ToolCallLocation) bool { return l.Path == cwd }
	here, there := *t, *o
	here.RawInput, there.RawInput = nil, nil
	here.Locations, there.Locations = slices.DeleteFunc(slices.Clone(t.Locations), named), slices.DeleteFunc(slices.Clone(o.Locations), named)
	there.Title = here.Title
	return here.SameSubject(&there)
}

// compact returns JSON without white space, and anything else unchanged.
func compact(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// holdsAll reports whether an input has every member of another, with equal values.
func holdsAll(input, part []byte) bool {
	if bytes.Equal(input, part) {
		return true
	}
	var all, some map[string]json.RawMessage
	if json.Unmarshal(input, &all) != nil || json.Unmarshal(part, &some) != nil {
		return false
	}
	for name, value := range some {
		if !bytes.Equal(all[name], value) {
			return false
		}
	}
	return true
}

// with returns a copy of the call with an update applied.
func (t *ToolCall) with(u *acpclient.ToolCallUpdate) *ToolCall {
	changed := *t
	changed.apply(u)
	return &changed
}

// FileSeen is a file as parley saw it when an agent asked to write all of it.
type FileSeen struct {
	// Path is as the agent gives it.
	Path string `json:"path"`
	// Unknown means that parley could not look. Otherwise Exists says whether there was a file,
	// and Text is its content, "" if that cannot be shown.
	Unknown bool   `json:"unknown,omitzero"`
	Exists  bool   `json:"exists,omitzero"`
	Text    string `json:"text,omitzero"`
}

// FileSeen returns the file of a change without an old text, as parley saw it; nil if it has not
// looked.
func (t *ToolCall) FileSeen(path string) *FileSeen {
	if i := slices.IndexFunc(t.Files, func(f FileSeen) bool { return f.Path == path }); i >= 0 {
		return &t.Files[i]
	}
	return nil
}

// Unseen returns the paths of the changes without an old text of which [ToolCall.FileSeen] knows
// nothing. Some agents send these for files that exist, too.
func (t *ToolCall) Unseen() (paths []string) {
	for i := range t.Content {
		c := &t.Content[i]
		whole := c.Type == acpclient.ToolContentDiff && (c.OldText == nil || *c.OldText == "") && c.NewText != ""
		if whole && t.FileSeen(c.Path) == nil && !slices.Contains(paths, c.Path) {
			paths = append(paths, c.Path)
		}
	}
	return paths
}

// fold makes what was in the files part of the question, and of its call in the transcript.
func (e FilesSeen) fold(s *State) {
	p, is := s.Question(e.ID).(*Permission)
	if !is {
		return
	}
	asked := *p.Asked
	asked.Files = slices.Clone(asked.Files)
	for _, f := range e.Files {
		if old := asked.FileSeen(f.Path); old != nil {
			*old = f
		} else {
			asked.Files = append(asked.Files, f)
		}
	}
	p.Asked, p.ToolCall.Files = &asked, asked.Files
	asked.changed()
	p.ToolCall.changed()
}

// fold asks the user a question that no rule answers.
func (e PermissionReferred) fold(s *State) {
	p, is := s.Question(e.ID).(*Permission)
	if !is || !p.Judging {
		return
	}
	p.Judging, p.Why, p.Proposals, p.Ordinary = false, e.Why, e.Proposals, e.Ordinary
	p.holds = s.hold(p.ToolCall, e.At)
	p.ToolCall.changed()
}

func (e QuestionClosed) fold(s *State) {
	i := s.indexOf(e.ID)
	if i < 0 {
		return
	}
	q := s.questions[i]
	s.questions = slices.Delete(slices.Clone(s.questions), i, i+1)
	Match(q, func(p *Permission) any { p.close(s, e); return nil }, func(q *Elicitation) any { q.close(s, e); return nil })
	s.release(q.asking().holds, e.At)
}

// Cancelled reports whether the question was closed without an answer.
func (e QuestionClosed) Cancelled() bool {
	return e.Outcome.Cancelled() && (e.Action == "" || e.Action == acpclient.ElicitCancel)
}

func (p *Permission) close(s *State, e QuestionClosed) {
	answer := &PermissionAnswer{Cancelled: e.Outcome.Cancelled(), Rule: e.Rule, Source: e.Source}
	for _, o := range p.Options {
		if !answer.Cancelled && o.OptionID == e.Outcome.OptionID {
			answer.Option = o
			break
		}
	}
	if p.File == nil || p.File.Act == "" {
		s.Turn.Rejected = s.Turn.Rejected || answer.Cancelled || !answer.Option.Kind.Allows()
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
		t.rejectUnlessEnded() // no end of a turn will follow
	}
	t.changed()
	s.effect.calls = append(s.effect.calls, t)
}

// rejectUnlessEnded marks a denied call as rejected, unless the agent reports that it
// completed or was cancelled all the same. It reports whether it did.
func (t *ToolCall) rejectUnlessEnded() bool {
	t.Rejected = t.Answer.Rejects() && (!t.ended() || t.Status == acpclient.ToolFailed)
	return t.Rejected
}

// askedQuestion is a question in a permission request of qwen-code.
type askedQuestion struct {
	Header   string `json:"header"`
	Question string `json:"question"`
	Options  acpclient.List[struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	}] `json:"options"`
	MultiSelect bool `json:"multiSelect"`
}

// ownAnswer is the suffix of the field that takes an answer in the user's own words.
const ownAnswer = "_other"

// Form returns the form that a permission request stands for, nil for an ordinary request.
// [FormAnswers] converts its answers.
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
			continue // skip it, but keep the indices of the others
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
		form.RequestedSchema.Properties[0].Schema.Description = "" // the form's message says it
	}
	form.Message = message
	return form
}

// fields returns the field for choosing an answer, and one for any other answer.
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

// FormAnswers returns the answers to the questions of a [Quirks.Form], by question index.
// Unanswered questions are left out.
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

// Elicitation is the agent's request for input. Once answered, it is in [Conversation.Items].
type Elicitation struct {
	revision
	Asking
	Request *acpclient.CreateElicitationRequest
	// Completed means that the user has done what the agent asked for at a URL.
	Completed bool
	// Action is the user's decision, "" while the question is open, and Answers what they
	// filled in.
	Action  acpclient.ElicitationAction
	Answers []FieldAnswer
}

func (e *Elicitation) Visit(v Visitor) { v.Elicitation(e) }

// FieldAnswer is an answer to a field of a form, as text. Both texts must be sanitised before
// display.
type FieldAnswer struct {
	Field string `json:"field"`
	Value string `json:"value,omitempty"`
	// Secret means that the value is not kept because it may be secret.
	Secret bool `json:"secret,omitempty"`
}

// AnswersTo returns an answer as text, for the fields that were filled in. Values of secret
// fields are left out.
func AnswersTo(r *acpclient.CreateElicitationRequest, content map[string]any) []FieldAnswer {
	if r.RequestedSchema == nil {
		return nil
	}
	var answers []FieldAnswer
	for i := range r.RequestedSchema.Properties {
		p := &r.RequestedSchema.Properties[i]
		value, filled := content[p.Name]
		if !filled {
			continue
		}
		a := FieldAnswer{Field: p.Schema.Title, Secret: p.Schema.Format == "password" || secretField.MatchString(p.Name) || secretField.MatchString(p.Schema.Title)}
		if strings.TrimSpace(a.Field) == "" {
			a.Field = p.Name
		}
		if !a.Secret {
			a.Value = valueInWords(&p.Schema, value)
		}
		answers = append(answers, a)
	}
	return answers
}

// secretField matches names of fields that ask for secrets.
var secretField = regexp.MustCompile(`(?i)pass(word|wd|phrase|code)|secret|token|credential|(api|access|private)[-_ ]?key|\b(pin|otp|key)\b`)

// valueInWords returns a value as text, by its title if it was a choice.
func valueInWords(schema *acpclient.ElicitationPropertySchema, value any) string {
	switch v := value.(type) {
	case string:
		for _, o := range schema.Choices() {
			if o.Const == v {
				return o.Title
			}
		}
		return v
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case []string:
		words := make([]string, len(v))
		for i := range v {
			words[i] = valueInWords(schema, v[i])
		}
		return strings.Join(words, ", ")
	}
	return fmt.Sprint(value)
}

func (e ElicitationOpened) fold(s *State) {
	s.LastNumber = max(s.LastNumber, e.ID)
	q := &Elicitation{Asking: Asking{Seen: Seen{ID: e.ID, Revision: 1}}, Request: e.Request} // it is never revised
	s.ask(q, s.tools[e.Request.ToolCallID], e.At)
}

func (e ElicitationCompleted) fold(s *State) {
	for _, q := range slices.Concat(Questions[*Elicitation](s), s.visits) { // the question may still be open
		if q.Request.ElicitationID == e.ElicitationID {
			q.Completed = true
			q.changed()
		}
	}
	s.visits = slices.DeleteFunc(s.visits, func(q *Elicitation) bool { return q.Completed })
}

// close is for the end of a question. The agent may still report that the user has done what was
// asked at a URL.
func (q *Elicitation) close(s *State, e QuestionClosed) {
	q.Action, q.Answers = cmp.Or(e.Action, acpclient.ElicitCancel), e.Answers
	q.changed()
	if q.Request.Mode == acpclient.ElicitURL && e.Action == acpclient.ElicitAccept {
		s.visits = append(s.visits, q)
	}
	s.effect.closed = q
}

// FileQuestion is parley's own question whether a file may be read or written for the agent.
type FileQuestion struct {
	// Path is the path as the agent named it, Target the absolute path to which it leads, with
	// links resolved.
	Path   string `json:"path"`
	Target string `json:"target"`
	// Write means that the file is to be written, not read.
	Write bool `json:"write,omitzero"`
	// Act is the user's action that writes the file: "undo", "redo", "rewind" or "merge"; "" if
	// the agent writes. Removes means that it removes the file.
	Act     string `json:"act,omitzero"`
	Removes bool   `json:"removes,omitzero"`
	// Outside means that the target is in none of the session's directories.
	Outside bool `json:"outside,omitzero"`
	// Secret and Runs are the table's patterns for which the user is asked: the file may hold
	// secrets, or makes programs run. Either may be "".
	Secret string `json:"secret,omitzero"`
	Runs   string `json:"runs,omitzero"`
	// Own means that the file belongs to parley itself.
	Own bool `json:"own,omitzero"`
	// Links is the number of hard links to the file.
	Links int `json:"links,omitzero"`
	// Rule is the user's rule that asks, or "".
	Rule string `json:"rule,omitzero"`
	// Changed means that the file does not hold what the agent knows: it has changed since the agent
	// read it, or with Unsaved, the agent read unsaved changes from an editor.
	Changed bool `json:"changed,omitzero"`
	Unsaved bool `json:"unsaved,omitzero"`
	// Unkept means that the old content cannot be kept, so that the write could not be undone.
	Unkept bool `json:"unkept,omitzero"`
	// Hidden means that the change is too large to show: the request has no diff.
	Hidden bool `json:"hidden,omitzero"`
	// Folder is what an answer for the session covers: files directly in this directory,
	// unless there is another reason to ask. "" if the answer covers only the target.
	Folder string `json:"folder,omitzero"`
}

// FileRequest returns the request that presents a FileQuestion. before is the file's content,
// nil if it does not exist; after is the new content.
func FileRequest(q *FileQuestion, before *string, after string) *acpclient.RequestPermissionRequest {
	title, kind := "parley asks: read "+q.Target, acpclient.ToolRead
	if q.Write {
		title, kind = "parley asks: write "+q.Target, acpclient.ToolEdit
	}
	if q.Removes {
		title = "parley asks: delete " + q.Target
	}
	call := acpclient.ToolCallUpdate{Title: &title, Kind: &kind, Locations: []acpclient.ToolCallLocation{{Path: q.Target}}}
	if q.Write && !q.Hidden {
		call.Content = []acpclient.ToolCallContent{{Type: acpclient.ToolContentDiff, Path: q.Target, OldText: before, NewText: after}}
	}
	session := "Allow reading this file in this session"
	switch {
	case q.Write:
		session = "Allow writing this file in this session"
	case q.Folder != "":
		session = "Allow reading the files directly in " + q.Folder + string(filepath.Separator) + " in this session"
	}
	return &acpclient.RequestPermissionRequest{ToolCall: call, Options: []acpclient.PermissionOption{
		{OptionID: FileOnce, Name: "Allow once", Kind: acpclient.AllowOnce},
		{OptionID: FileSession, Name: session, Kind: acpclient.AllowAlways},
		{OptionID: FileNo, Name: "No", Kind: acpclient.RejectOnce},
	}}
}

// CommandRequest returns the request that asks whether a command may run for the agent.
func CommandRequest(call *acpclient.ToolCallUpdate) *acpclient.RequestPermissionRequest {
	return &acpclient.RequestPermissionRequest{ToolCall: *call, Options: []acpclient.PermissionOption{
		{OptionID: FileOnce, Name: "Allow once", Kind: acpclient.AllowOnce},
		{OptionID: FileNo, Name: "No", Kind: acpclient.RejectOnce},
	}}
}

// Reasons returns why parley asks. Gone means that there is no such file any more.
func (q *FileQuestion) Reasons(gone bool) (all []string) {
	for _, r := range []struct {
		holds bool
		words string
	}{
		{q.Rule != "", termtext.Capital(termtext.VisibleLine(q.Rule)) + "."},
		{q.Outside, "It is outside the session's directories."},
		{q.Own, "It belongs to parley itself."},
		{q.Secret != "", "It may hold secrets: " + termtext.VisibleLine(q.Secret)},
		{q.Runs != "", "Programs run this file or take commands from it: " + termtext.VisibleLine(q.Runs)},
		{q.Changed && gone, "It was removed after the agent read it."},
		{q.Unsaved && !gone, "The agent read it with unsaved changes, from the editor. The diff is against the file on disk."},
		{q.Changed && !q.Unsaved && !gone, "It changed on disk after the agent read it. The diff is against the file as it is now."},
		{q.Links > 1 && q.Write, fmt.Sprintf("It has %d names (hard links). Only this one gets the new content.", q.Links)},
		{q.Links > 1 && !q.Write, fmt.Sprintf("It has %d names (hard links): its content may belong elsewhere.", q.Links)},
		{q.Unkept, "parley cannot keep what it contains now, so the write cannot be undone. Is the disk full, or the file too large?"},
		{q.Hidden, "The change is too large to show."},
	} {
		if r.holds {
			all = append(all, r.words)
		}
	}
	return all
}

// Why returns the first reason for the question, for agents, or when no user can be asked.
func (q *FileQuestion) Why() string {
	for _, why := range q.Reasons(false) {
		return strings.ToLower(why[:1]) + strings.TrimSuffix(why[1:], ".")
	}
	return ""
}

// The answers to parley's own questions.
const (
	FileOnce    acpclient.PermissionOptionID = "once"
	FileSession acpclient.PermissionOptionID = "session"
	FileNo      acpclient.PermissionOptionID = "no"
)
