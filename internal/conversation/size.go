package conversation

import "parley/acpclient"

// EventOverhead is about how many bytes an event takes besides what Size counts.
const EventOverhead = 64

// Size implements Event, as the methods below do.
func (AgentStarting) Size() int        { return EventOverhead }
func (AgentReady) Size() int           { return EventOverhead }
func (e AgentLost) Size() int          { return EventOverhead + len(e.Stderr) }
func (SessionOpening) Size() int       { return EventOverhead }
func (e SessionOpened) Size() int      { return EventOverhead + optionsSize(e.State.ConfigOptions) }
func (SessionFailed) Size() int        { return EventOverhead }
func (e PromptSent) Size() int         { return EventOverhead + blocksSize(e.Prompt) }
func (CancelRequested) Size() int      { return EventOverhead }
func (TurnEnded) Size() int            { return EventOverhead }
func (QueueChanged) Size() int         { return EventOverhead }
func (e Text) Size() int               { return EventOverhead + len(e.Text) }
func (OptionChosen) Size() int         { return EventOverhead }
func (e OptionSettled) Size() int      { return EventOverhead + optionsSize(e.Options) }
func (e PermissionClosed) Size() int   { return EventOverhead + len(e.Rule) + len(e.Source) }
func (e ElicitationOpened) Size() int  { return EventOverhead + len(e.Request.Raw) }
func (e ElicitationClosed) Size() int  { return EventOverhead * (1 + len(e.Answers)) }
func (ElicitationCompleted) Size() int { return EventOverhead }
func (AuthRequired) Size() int         { return EventOverhead }
func (AuthDone) Size() int             { return EventOverhead }
func (TerminalCreated) Size() int      { return EventOverhead }
func (e ShellStarted) Size() int       { return EventOverhead + len(e.Command) }
func (e TerminalOutput) Size() int     { return EventOverhead + len(e.Data) }
func (TerminalExited) Size() int       { return EventOverhead }
func (Said) Size() int                 { return EventOverhead }

// Size counts the request as it was received and what was made of it.
func (e PermissionOpened) Size() int {
	n := EventOverhead + toolSize(&e.Request.ToolCall) + len(e.Request.Raw)
	if e.File != nil {
		n += EventOverhead + len(e.File.Path) + len(e.File.Target)
	}
	return n
}

// Size counts the rules that are proposed.
func (e PermissionReferred) Size() int {
	n := EventOverhead + len(e.Why)
	for _, rules := range e.Proposals {
		for _, r := range rules {
			n += len(r)
		}
	}
	return n
}

// Size counts both contents of the file.
func (e FileWritten) Size() int {
	n := EventOverhead + len(e.After)
	if e.Before != nil {
		n += len(*e.Before)
	}
	return n
}

// Size counts the update as it was received, and the fields of what was made of
// it that an agent can make as large as it likes. All others are taken to be part
// of the overhead.
func (e Update) Size() int {
	n := EventOverhead + len(e.Raw)
	switch u := e.Update.(type) {
	case *acpclient.ContentChunk:
		n += blockSize(&u.Content) + len(u.Meta)
	case *acpclient.ToolCall:
		n += contentSize(u.Content) + len(u.Title) + len(u.RawInput) + len(u.RawOutput) + len(u.Meta) + EventOverhead*len(u.Locations)
	case *acpclient.ToolCallUpdate:
		n += toolSize(u)
	case *acpclient.Plan:
		n += planSize(u.Entries)
	case *acpclient.PlanUpdate:
		n += planSize(u.Plan.Entries) + len(u.Plan.Content) + len(u.Plan.Raw)
	case *acpclient.AvailableCommandsUpdate:
		for i := range u.AvailableCommands {
			n += EventOverhead + len(u.AvailableCommands[i].Description)
		}
	case *acpclient.ConfigOptionUpdate:
		n += optionsSize(u.ConfigOptions)
	case *acpclient.Notice:
		n += len(u.Title) + len(u.Description)
	case *acpclient.CompactionUpdate:
		n += blocksSize(u.Summary) + len(u.Error)
	case *acpclient.CompactionSummaryChunk:
		n += blockSize(&u.Content)
	case *acpclient.UnknownUpdate:
		n += len(u.Raw)
	case *acpclient.MessageUpdate:
		if u.Content.Value != nil {
			n += blocksSize(*u.Content.Value)
		}
	case *acpclient.ToolCallContentChunk:
		n += contentSize(u.Content)
	case *acpclient.TerminalUpdate:
		if u.Output.Value != nil {
			n += len(u.Output.Value.Data)
		}
	case *acpclient.TerminalOutputChunk:
		n += len(u.Data)
	case *acpclient.StateUpdate:
		n += EventOverhead * len(u.Background)
	}
	return n
}

func toolSize(u *acpclient.ToolCallUpdate) int {
	n := contentSize(u.Content) + len(u.RawInput) + len(u.RawOutput) + len(u.Meta) + EventOverhead*len(u.Locations)
	if u.Title != nil {
		n += len(*u.Title)
	}
	return n
}

func contentSize(cs []acpclient.ToolCallContent) int {
	n := 0
	for i := range cs {
		c := &cs[i]
		n += EventOverhead + len(c.NewText) + len(c.Raw)
		if c.OldText != nil {
			n += len(*c.OldText)
		}
		if c.Content != nil {
			n += blockSize(c.Content)
		}
	}
	return n
}

func blocksSize(bs []acpclient.ContentBlock) int {
	n := 0
	for i := range bs {
		n += EventOverhead + blockSize(&bs[i])
	}
	return n
}

func blockSize(b *acpclient.ContentBlock) int {
	n := len(b.Text) + len(b.Data) + len(b.Raw) + len(b.Meta) + len(b.Description)
	if r := b.Resource; r != nil {
		if r.Text != nil {
			n += len(*r.Text)
		}
		if r.Blob != nil {
			n += len(*r.Blob)
		}
	}
	return n
}

func planSize(es []acpclient.PlanEntry) int {
	n := 0
	for i := range es {
		n += EventOverhead + len(es[i].Content)
	}
	return n
}

func optionsSize(os []acpclient.SessionConfigOption) int {
	n := 0
	for i := range os {
		n += 2*EventOverhead + len(os[i].Description) + len(os[i].Raw)
		for _, g := range os[i].Options {
			n += 2 * EventOverhead * len(g.Options)
		}
	}
	return n
}
