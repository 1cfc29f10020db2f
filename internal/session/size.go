package session

import "parley/acpclient"

// eventOverhead is about what an event costs besides what it holds on to.
const eventOverhead = 64

func (AgentStarting) size() int        { return eventOverhead }
func (AgentReady) size() int           { return eventOverhead }
func (e AgentLost) size() int          { return eventOverhead + len(e.Stderr) }
func (SessionOpening) size() int       { return eventOverhead }
func (e SessionOpened) size() int      { return eventOverhead + optionsSize(e.State.ConfigOptions) }
func (SessionFailed) size() int        { return eventOverhead }
func (e PromptSent) size() int         { return eventOverhead + blocksSize(e.Prompt) }
func (CancelRequested) size() int      { return eventOverhead }
func (TurnEnded) size() int            { return eventOverhead }
func (QueueChanged) size() int         { return eventOverhead }
func (e Text) size() int               { return eventOverhead + len(e.Text) }
func (ModeChosen) size() int           { return eventOverhead }
func (ModeSettled) size() int          { return eventOverhead }
func (OptionChosen) size() int         { return eventOverhead }
func (e OptionSettled) size() int      { return eventOverhead + optionsSize(e.Options) }
func (ModelChosen) size() int          { return eventOverhead }
func (ModelSettled) size() int         { return eventOverhead }
func (e PermissionOpened) size() int   { return eventOverhead + toolSize(&e.Request.ToolCall) }
func (PermissionClosed) size() int     { return eventOverhead }
func (ElicitationOpened) size() int    { return eventOverhead }
func (ElicitationClosed) size() int    { return eventOverhead }
func (ElicitationCompleted) size() int { return eventOverhead }
func (AuthRequired) size() int         { return eventOverhead }
func (AuthDone) size() int             { return eventOverhead }
func (FileRead) size() int             { return eventOverhead }
func (TerminalCreated) size() int      { return eventOverhead }
func (e TerminalOutput) size() int     { return eventOverhead + len(e.Data) }
func (TerminalExited) size() int       { return eventOverhead }
func (Said) size() int                 { return eventOverhead }

func (e FileWritten) size() int {
	n := eventOverhead + len(e.After)
	if e.Before != nil {
		n += len(*e.Before)
	}
	return n
}

// size counts what may be large: an agent chooses how large. Small fields are in
// the overhead.
func (e Update) size() int {
	n := eventOverhead + len(e.Meta)
	switch u := e.Update.(type) {
	case *acpclient.ContentChunk:
		n += blockSize(&u.Content) + len(u.Meta)
	case *acpclient.ToolCall:
		n += contentSize(u.Content) + len(u.Title) + len(u.RawInput) + len(u.RawOutput) + len(u.Meta) + eventOverhead*len(u.Locations)
	case *acpclient.ToolCallUpdate:
		n += toolSize(u)
	case *acpclient.Plan:
		n += planSize(u.Entries)
	case *acpclient.PlanUpdate:
		n += planSize(u.Plan.Entries) + len(u.Plan.Content) + len(u.Plan.Raw)
	case *acpclient.AvailableCommandsUpdate:
		for i := range u.AvailableCommands {
			n += eventOverhead + len(u.AvailableCommands[i].Description)
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
	}
	return n
}

func toolSize(u *acpclient.ToolCallUpdate) int {
	n := contentSize(u.Content) + len(u.RawInput) + len(u.RawOutput) + len(u.Meta) + eventOverhead*len(u.Locations)
	if u.Title != nil {
		n += len(*u.Title)
	}
	return n
}

func contentSize(cs []acpclient.ToolCallContent) int {
	n := 0
	for i := range cs {
		c := &cs[i]
		n += eventOverhead + len(c.NewText) + len(c.Raw)
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
		n += eventOverhead + blockSize(&bs[i])
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
		n += eventOverhead + len(es[i].Content)
	}
	return n
}

func optionsSize(os []acpclient.SessionConfigOption) int {
	n := 0
	for i := range os {
		n += 2*eventOverhead + len(os[i].Description) + len(os[i].Raw)
		for _, g := range os[i].Options {
			n += 2 * eventOverhead * len(g.Options)
		}
	}
	return n
}
