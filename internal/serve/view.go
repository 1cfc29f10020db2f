package serve

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/terminal/screen"
)

// view is what the client has seen of a session. Comparing it with the conversation gives the updates
// to send: a message's next text, the fields of a call that have changed. Its cost depends on what has
// changed, not on the length of the session.
type view struct {
	*served
	open bool // the client knows the session: updates may be sent

	items   int                          // how many of the conversation's items the client has
	growing []*shown                     // those that may still change, oldest first
	of      map[conversation.Item]*shown // the same, by item
	// names are the client's names for calls, and named are the calls that have the agent's: it may use
	// one again.
	names   map[*conversation.ToolCall]acpclient.ToolCallID
	named   map[acpclient.ToolCallID]*conversation.ToolCall
	printed map[acpclient.TerminalID]*output
	skipped map[conversation.Item]bool // that the client has, among those that are new
	opening bool                       // the items are being replayed by the agent

	sent state
	// changed means that the options or the commands may have changed, and stands that anything but
	// text may have.
	changed, stands bool
}

// shown is an item of which the client has seen a version.
type shown struct {
	item    conversation.Item
	index   int
	version uint64
	known   bool // something of it was sent

	// Of a message: how many parts, how much of the last one's text, and which content if it was replaced.
	parts, text, replaced int
	call                  acpclient.ToolCall // its last fields
}

// output is what the client has of a terminal, which outlasts the call that shows it.
type output struct {
	call         *conversation.ToolCall // nil for a command of another viewer's
	total        int64
	replaced     int
	known        bool
	exited       bool
	command, cwd string // in version 2
}

// state is what the client knows of the session beside its items.
type state struct {
	options, commands, title string
	usage                    *acpclient.UsageUpdate
	working                  bool // on what the client has not sent
}

func (v *view) begin(s *served) {
	v.served = s
	v.restart()
}

// restart has the client get everything from the beginning.
func (v *view) restart() {
	v.items, v.growing, v.of = 0, nil, map[conversation.Item]*shown{}
	v.names, v.named = map[*conversation.ToolCall]acpclient.ToolCallID{}, map[acpclient.ToolCallID]*conversation.ToolCall{}
	v.printed = map[acpclient.TerminalID]*output{}
	v.skipped, v.sent, v.changed = map[conversation.Item]bool{}, state{working: v.sent.working}, true
}

// skip has the client get only what happens from now on, and the state. What has been said is known to
// it.
func (v *view) skip() {
	v.restart()
	open := v.open
	v.open = false
	v.look()
	v.open, v.sent, v.changed = open, state{working: v.sent.working}, true
}

// skipLast leaves out the item that was added last.
func (v *view) skipLast() {
	if items := v.live.Conversation.Items; len(items) > 0 {
		v.skipped[items[len(items)-1]] = true
	}
}

// happens notes what an event may change.
func (v *view) happens(e conversation.Event) {
	switch e := e.(type) {
	case conversation.Text:
		return
	case conversation.TerminalOutput:
		v.again(e.ID)
		return
	case conversation.TerminalExited:
		v.again(e.ID)
	case conversation.Update:
		switch u := e.Update.(type) {
		case *acpclient.ContentChunk:
			return
		case *acpclient.TerminalOutputChunk:
			v.again(u.TerminalID)
			return
		case *acpclient.TerminalUpdate:
			v.again(u.TerminalID)
		case *acpclient.ToolCall:
			v.late(u.ToolCallID)
		case *acpclient.ToolCallUpdate:
			v.late(u.ToolCallID)
		case *acpclient.ToolCallContentChunk:
			v.late(u.ToolCallID)
		case *acpclient.CurrentModeUpdate, *acpclient.ConfigOptionUpdate, *acpclient.AvailableCommandsUpdate:
			v.changed = true
		}
	case conversation.OptionChosen, conversation.OptionSettled:
		v.changed = true
	case conversation.SessionOpening:
		if v.changed = true; e.Clear { // the client has what is replayed
			v.opening = true
			v.growing, v.of = nil, map[conversation.Item]*shown{}
		}
	case conversation.SessionOpened, conversation.SessionFailed, conversation.AgentLost:
		if v.changed = true; v.opening {
			v.opening = false
			v.items = len(v.live.Conversation.Items)
		}
	}
	v.stands = true
}

// late notes that a call may have changed after its end.
func (v *view) late(id acpclient.ToolCallID) {
	if t := v.live.Conversation.Tool(id); t != nil {
		v.reopen(t)
	}
}

// again notes that the call that shows a terminal may have changed.
func (v *view) again(id acpclient.TerminalID) {
	if o := v.printed[id]; o != nil {
		v.reopen(o.call)
	}
}

func (v *view) reopen(t *conversation.ToolCall) {
	if v.of[t] == nil && v.names[t] != "" {
		v.follow(&shown{item: t, known: true})
	}
}

func (v *view) follow(s *shown) {
	v.growing = append(v.growing, s)
	v.of[s.item] = s
}

// send sends what the client has not seen.
func (v *view) send() {
	if v.open && !v.opening {
		v.look()
	}
}

// look brings the view up to date. Where the client does not know the session, nothing is sent.
func (v *view) look() {
	c := v.live.Conversation
	for ; v.items < len(c.Items); v.items++ {
		item := c.Items[v.items]
		s := &shown{item: item, index: v.items}
		if v.skipped[item] {
			delete(v.skipped, item)
			continue
		}
		v.follow(s)
		if len(v.growing) == atOnce && v.items < len(c.Items)-1 { // of a long session that is opened
			v.lookAtItems(c)
			_ = v.conn.Flush(v.ctx) // it fails when the client leaves
		}
	}
	v.lookAtItems(c)
	if v.stands || v.changed {
		v.lookAtState(c)
	}
}

// atOnce is how many items are sent before the client has to have read them.
const atOnce = 256

// lookAtItems sends what the client has not seen of the items that may have changed.
func (v *view) lookAtItems(c *conversation.Conversation) {
	still := v.growing[:0]
	for _, s := range v.growing {
		if now := s.item.Version(); !s.known || now != s.version {
			s.version = now
			s.item.Visit(visit{v, s})
			s.known = true
		}
		if ended(c, s.item) {
			delete(v.of, s.item)
		} else {
			still = append(still, s)
		}
	}
	clear(v.growing[len(still):])
	v.growing = still
}

// ended reports whether an item does not change any more, unless an event names it.
func ended(c *conversation.Conversation, item conversation.Item) bool {
	switch i := item.(type) {
	case *conversation.Message:
		return i.Done
	case *conversation.ToolCall:
		for _, t := range i.Terminals {
			if t.Exit == nil && i.Live {
				return false
			}
		}
		return !i.Live || i.Status == acpclient.ToolCompleted || i.Status == acpclient.ToolFailed
	case *conversation.Plan:
		return c.Plan != i
	case *conversation.ShellCommand:
		return i.Terminal.Exit != nil
	case *conversation.Compaction:
		return i.Status != acpclient.CompactionInProgress
	}
	return true
}

// update sends an update, if the client knows the session. Errors mean that the client is gone.
func (v *view) update(u acpclient.SessionUpdate) {
	if v.open {
		_ = v.conn.Notify(acpclient.SessionUpdateNotification.Name, &acpclient.SessionNotification{SessionID: v.id, Update: u})
	}
}

// lookAtState sends what has changed beside the items.
func (v *view) lookAtState(c *conversation.Conversation) {
	if v.changed {
		v.changed, v.stands = false, true
		options := v.options()
		if now := encode(options); now != v.sent.options && len(options) > 0 {
			v.sent.options = now
			v.update(&acpclient.ConfigOptionUpdate{ConfigOptions: options})
			if modes := modesOf(options); modes != nil {
				v.update(&acpclient.CurrentModeUpdate{CurrentModeID: modes.CurrentModeID})
			}
		}
		if now := encode(c.Commands); now != v.sent.commands && c.Commands != nil {
			v.sent.commands = now
			v.update(&acpclient.AvailableCommandsUpdate{AvailableCommands: c.Commands})
		}
	}
	if c.Usage != v.sent.usage && c.Usage != nil {
		v.sent.usage = c.Usage
		usage := *c.Usage
		usage.Meta = nil
		v.update(&usage)
	}
	if c.Title != v.sent.title {
		v.sent.title = c.Title
		v.update(&acpclient.SessionInfoUpdate{Title: acpclient.SetTo(c.Title)})
	}
	// Of its own prompts the client knows that the agent works on them.
	if working := c.Turn.Running && v.running == nil || c.Busy(); working != v.sent.working && v.open {
		v.sent.working = working
		v.conn.Work(v.id, working)
	}
}

func encode(x any) string {
	raw, _ := acpclient.Marshal(x) // of the protocol's types
	return string(raw)
}

// options returns the session's options, those of a kind that the client shows.
func (v *view) options() []acpclient.SessionConfigOption {
	client := v.client.ClientCapabilities.Session
	booleans := client != nil && client.ConfigOptions != nil && client.ConfigOptions.Boolean != nil
	options := v.agents()
	for _, o := range v.live.Conversation.Options {
		if booleans || o.Type != acpclient.ConfigBoolean {
			options = append(options, o)
		}
	}
	return options
}

// modesOf returns the modes among options, for clients that know no options; nil if there are none.
func modesOf(options []acpclient.SessionConfigOption) *acpclient.SessionModeState {
	i := slices.IndexFunc(options, func(o acpclient.SessionConfigOption) bool {
		return o.Category == acpclient.CategoryMode && o.Type == acpclient.ConfigSelect
	})
	if i < 0 {
		return nil
	}
	modes := &acpclient.SessionModeState{CurrentModeID: acpclient.SessionModeID(options[i].CurrentValue.ID)}
	for _, c := range options[i].Options.All() {
		modes.AvailableModes = append(modes.AvailableModes, acpclient.SessionMode{ID: acpclient.SessionModeID(c.Value), Name: c.Name, Description: c.Description})
	}
	return modes
}

// visit sends what the client has not seen of an item.
type visit struct {
	*view
	*shown
}

// Message implements [conversation.Visitor]. Messages of subagents stay with the session: the client
// would take them for the agent's own.
func (v visit) Message(m *conversation.Message) {
	if m.Parent != "" || m.Relayed {
		return
	}
	id := acpclient.MessageID(fmt.Sprintf("m%d", v.index))
	if now := m.Replaced(); now != v.replaced {
		v.replaced, v.parts, v.text = now, 0, 0
	}
	if m.Sent != nil {
		id = cmp.Or(v.idOfPrompt(m.At), id)
	}
	if v.replaced > 0 {
		id += acpclient.MessageID(fmt.Sprintf(".%d", v.replaced))
	}
	chunk := func(b acpclient.ContentBlock) {
		v.update(&acpclient.ContentChunk{Chunk: m.Chunk, Content: b, MessageID: id})
	}
	for ; v.parts < len(m.Parts); v.parts, v.text = v.parts+1, 0 {
		p := &m.Parts[v.parts]
		if p.Block != nil {
			chunk(*p.Block)
			continue
		}
		if text := p.Text(); len(text) > v.text {
			chunk(acpclient.TextBlock(text[v.text:]))
			v.text = len(text)
		}
		if v.parts == len(m.Parts)-1 {
			return // it may go on
		}
	}
}

// ToolCall implements [conversation.Visitor].
func (v visit) ToolCall(t *conversation.ToolCall) { v.show(t, v.callID(t)) }

// show sends what the client has not seen of a call.
func (v visit) show(t *conversation.ToolCall, id acpclient.ToolCallID) {
	was, now := v.shown.call, v.callOf(t, id)
	v.shown.call = now
	if !v.known {
		v.update(&now)
	} else if u := changes(&was, &now); u != nil {
		v.update(u)
	}
	v.terminals(now.ToolCallID, t.Terminals)
}

// callOf returns a call as the client gets it, under a name.
func (v *view) callOf(t *conversation.ToolCall, id acpclient.ToolCallID) acpclient.ToolCall {
	call := acpclient.ToolCall{
		ToolCallID: id, Title: cmp.Or(strings.TrimSpace(t.Title), t.Name, string(t.Kind)), Kind: t.Kind, Status: statusOf(t),
		Content: t.Content, Locations: t.Locations, RawInput: t.RawInput, RawOutput: t.RawOutput,
	}
	if t.Parent != "" {
		call.Meta = metaOf(map[string]any{"parentToolCallId": v.parentID(t.Parent)})
	}
	content := slices.DeleteFunc(slices.Clone(t.Content), func(c acpclient.ToolCallContent) bool { return c.Type == acpclient.ToolContentTerminal })
	for _, term := range t.Terminals {
		if v.printed[term.ID] == nil {
			v.printed[term.ID] = &output{}
		}
		v.printed[term.ID].call = t
		if v.terminalsAs() != asText {
			content = append(content, acpclient.TerminalContent(term.ID))
		} else if text := plain(term); text != "" {
			content = append(content, acpclient.TextContent(fenced(text)))
		}
	}
	if len(t.Terminals) > 0 {
		call.Content = content
	}
	return call
}

// statusOf returns a call's status in the protocol's words.
func statusOf(t *conversation.ToolCall) acpclient.ToolCallStatus {
	switch s := acpclient.ToolCallStatus(t.State()); s {
	case acpclient.ToolPending, acpclient.ToolInProgress, acpclient.ToolCompleted, acpclient.ToolFailed:
		return s
	case acpclient.ToolPaused:
		return acpclient.ToolInProgress
	}
	return acpclient.ToolFailed // rejected or cancelled
}

// callID returns the client's name for a call.
func (v *view) callID(t *conversation.ToolCall) acpclient.ToolCallID {
	id := v.names[t]
	if id == "" {
		if id = t.ID; id == "" || v.named[id] != nil {
			id = acpclient.ToolCallID(fmt.Sprintf("%s#%d", cmp.Or(t.ID, "parley"), len(v.names)))
		}
		v.names[t], v.named[t.ID] = id, t
	}
	return id
}

// parentID returns the client's name for the latest call to which the agent gave an id.
func (v *view) parentID(id acpclient.ToolCallID) acpclient.ToolCallID {
	if t := v.named[id]; t != nil {
		return v.names[t]
	}
	return id
}

// changes returns the fields of a call that have changed; nil if none has.
func changes(was, now *acpclient.ToolCall) *acpclient.ToolCallUpdate {
	u := &acpclient.ToolCallUpdate{ToolCallID: now.ToolCallID}
	if was.Title != now.Title {
		u.Title = &now.Title
	}
	if was.Kind != now.Kind {
		u.Kind = &now.Kind
	}
	if was.Status != now.Status {
		u.Status = &now.Status
	}
	if !same(was.Content, now.Content) && !reflect.DeepEqual(was.Content, now.Content) {
		u.Content = now.Content
	}
	if !reflect.DeepEqual(was.Locations, now.Locations) {
		u.Locations = now.Locations
	}
	if string(was.RawInput) != string(now.RawInput) {
		u.RawInput = now.RawInput
	}
	if string(was.RawOutput) != string(now.RawOutput) {
		u.RawOutput = now.RawOutput
	}
	if string(was.Meta) != string(now.Meta) {
		u.Meta = now.Meta
	}
	if reflect.DeepEqual(u, &acpclient.ToolCallUpdate{ToolCallID: now.ToolCallID}) {
		return nil
	}
	return u
}

// same reports whether two slices are one.
func same[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// How the client gets the output of a call's commands, which run at the session.
type terminalsAs int

const (
	asText    terminalsAs = iota // as text of the call
	asMeta                       // in _meta of the call's updates, as claude-agent-acp does
	asUpdates                    // in updates of their own, in version 2
)

func (v *view) terminalsAs() terminalsAs {
	switch shows, _ := acpclient.MetaValue[bool](v.client.ClientCapabilities.Meta, "terminal_output"); {
	case v.conn.SpeaksV2():
		return asUpdates
	case shows:
		return asMeta
	}
	return asText
}

// terminals sends what the client has not seen of a call's commands.
func (v visit) terminals(id acpclient.ToolCallID, all []*conversation.Terminal) {
	as := v.terminalsAs()
	if as == asText {
		return // the call's content has it
	}
	for _, t := range all {
		o := v.printed[t.ID]
		data, whole := t.Since(o.total)
		if t.Replaced() != o.replaced || !whole {
			data, _ = t.Since(0)
		}
		replaces := o.known && (t.Replaced() != o.replaced || !whole)
		if as == asUpdates {
			v.terminalUpdates(t, o, data, replaces)
		} else {
			v.terminalMeta(id, t, o, data)
		}
		o.total, o.replaced, o.known, o.exited = t.Total(), t.Replaced(), true, t.Exit != nil
	}
}

func (v visit) terminalUpdates(t *conversation.Terminal, o *output, data []byte, replaces bool) {
	u := &acpclient.TerminalUpdate{TerminalID: t.ID}
	named := t.Command != o.command || t.Cwd != o.cwd // which an agent may say late
	if !o.known || named {
		u.Command, u.Cwd = acpclient.SetTo(t.Command), acpclient.SetTo(t.Cwd)
	}
	if replaces || !o.known && len(data) > 0 {
		u.Output = acpclient.SetTo(acpclient.TerminalSnapshot{Data: data})
	} else if len(data) > 0 {
		v.update(&acpclient.TerminalOutputChunk{TerminalID: t.ID, Data: data})
	}
	if t.Exit != nil && !o.exited {
		u.ExitStatus = acpclient.SetTo(*t.Exit)
	}
	if !o.known || named || replaces || u.ExitStatus.Set {
		v.update(u)
	}
	o.command, o.cwd = t.Command, t.Cwd
}

func (v visit) terminalMeta(id acpclient.ToolCallID, t *conversation.Terminal, o *output, data []byte) {
	send := func(meta map[string]any) { v.update(&acpclient.ToolCallUpdate{ToolCallID: id, Meta: metaOf(meta)}) }
	if !o.known {
		send(map[string]any{"terminal_info": map[string]any{"terminal_id": t.ID, "cwd": t.Cwd}})
	}
	if len(data) > 0 {
		send(map[string]any{"terminal_output": map[string]any{"terminal_id": t.ID, "data": string(data)}})
	}
	if t.Exit != nil && !o.exited {
		send(map[string]any{"terminal_exit": map[string]any{"terminal_id": t.ID, "exit_code": t.Exit.ExitCode, "signal": t.Exit.Signal}})
	}
}

// mostText bounds the output of a command that is sent as text, in bytes: its end.
const mostText = 8 << 10

// plain returns the end of a command's output, as the lines that a terminal shows.
func plain(t *conversation.Terminal) string {
	raw, _ := t.Since(max(0, t.Total()-mostText))
	s := screen.New(plainColumns, plainRows, mostText)
	s.SetImpliedCR(t.Own)
	_, _ = s.Write(raw) // it never fails
	var lines []string
	for _, line := range s.Lines() {
		lines = append(lines, strings.TrimRight(termtext.Line(line), " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// fenced returns Markdown that shows a text as it is.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence
}

// The size of the terminal on which a command's output becomes text, in cells.
const plainColumns, plainRows = 120, 24

// Plan implements [conversation.Visitor].
func (v visit) Plan(p *conversation.Plan) {
	planned := v.client.ClientCapabilities.Plan != nil || v.conn.SpeaksV2()
	id := cmp.Or(p.ID, "plan")
	switch {
	case p.Markdown == "" && p.URI == "":
		entries := []acpclient.PlanEntry{} // removed
		if !p.Removed {
			entries = append(entries, p.Entries...)
		}
		v.update(&acpclient.Plan{Entries: entries})
	case p.Removed && planned:
		v.update(&acpclient.PlanRemoved{PlanID: id})
	case p.Removed: // its text stays, as a thought does
	case !planned:
		v.say(cmp.Or(p.Markdown, p.URI))
	case p.URI != "":
		v.update(&acpclient.PlanUpdate{Plan: acpclient.PlanUpdateContent{Type: acpclient.PlanFile, PlanID: id, URI: p.URI}})
	default:
		v.update(&acpclient.PlanUpdate{Plan: acpclient.PlanUpdateContent{Type: acpclient.PlanMarkdown, PlanID: id, Content: p.Markdown}})
	}
}

// say sends a thought of parley's own, to a client that shows nothing better.
func (v *view) say(text string) { v.think(v.items, text) }

// say does so in the place of the item.
func (v visit) say(text string) { v.think(v.index, text) }

func (v *view) think(at int, text string) {
	v.update(&acpclient.ContentChunk{Chunk: acpclient.AgentThoughtChunk, Content: acpclient.TextBlock("parley: " + text + "\n"), MessageID: acpclient.MessageID(fmt.Sprintf("parley%d", at))})
}

// Elicitation implements [conversation.Visitor]. The client was asked.
func (visit) Elicitation(*conversation.Elicitation) {}

// ShellCommand implements [conversation.Visitor]: a command of another viewer's.
func (v visit) ShellCommand(s *conversation.ShellCommand) {
	t := &conversation.ToolCall{Title: "! " + s.Terminal.Command, Kind: acpclient.ToolExecute, Status: acpclient.ToolInProgress, Terminals: []*conversation.Terminal{s.Terminal}}
	if s.Terminal.Exit != nil {
		t.Status = acpclient.ToolCompleted
	}
	v.show(t, acpclient.ToolCallID(fmt.Sprintf("parley-command-%d", v.index)))
}

// Note implements [conversation.Visitor].
func (v visit) Note(n *conversation.Note) {
	if n.Title == "" || v.known {
		return
	}
	client := v.client.ClientCapabilities.Session
	switch {
	case client != nil && client.Notices != nil:
		v.update(&acpclient.Notice{Severity: cmp.Or(n.Severity, acpclient.NoticeInfo), Title: n.Title, Description: n.Detail})
	case n.Severity == acpclient.NoticeWarning || n.Severity == acpclient.NoticeError:
		v.say(strings.TrimSpace(n.Title + "\n" + n.Detail))
	}
}

// Compaction implements [conversation.Visitor].
func (v visit) Compaction(c *conversation.Compaction) {
	client := v.client.ClientCapabilities.Session
	if client == nil || client.Compaction == nil {
		return
	}
	u := &acpclient.CompactionUpdate{CompactionID: acpclient.CompactionID(fmt.Sprintf("c%d", v.index)), Status: c.Status, Error: c.Error}
	if text := c.Summary.Plain(); text != "" {
		u.Summary = []acpclient.ContentBlock{acpclient.TextBlock(text)}
	}
	v.update(u)
}

// Unknown implements [conversation.Visitor]: the client may know what parley does not.
func (v visit) Unknown(u *conversation.Unknown) {
	var update map[string]json.RawMessage
	if json.Unmarshal(u.Raw, &update) == nil && update["sessionUpdate"] != nil {
		v.update(&acpclient.UnknownUpdate{Name: u.Kind, Raw: u.Raw})
	}
}
