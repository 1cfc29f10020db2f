package dialog

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/tui/theme"
)

// Action is what the person decided in a dialog: one of the types of this file.
type Action interface{ action() }

// NotTaken says that the key, paste or click is not for the dialog, but for what lies
// below it.
type NotTaken struct{}

// Close closes the dialog; nothing was chosen.
type Close struct{}

// Do is what whoever made a list or a question wants to be done when it is
// chosen: the dialog is closed, and then the function is called. Its command may
// be nil.
type Do func() tea.Cmd

// Stay is Do for what leaves the dialog open.
type Stay func() tea.Cmd

// Answer answers a permission with one of the offered options.
type Answer struct {
	ID     int
	Option acpclient.PermissionOptionID
}

// RejectWith answers a permission with an option that rejects, and says to the agent
// what to do instead: with the next prompt. Without an option it cancels the turn.
type RejectWith struct {
	ID     int
	Option acpclient.PermissionOptionID
	Words  string
}

// Another shows another one of the permissions that wait: the one that stands so many
// places further on. The one in sight stays open.
type Another struct{ By int }

// Edit shows text in the person's editor. The dialog stays.
type Edit struct{ Text string }

// CancelTurn cancels the turn, and with it every permission that is open.
type CancelTurn struct{}

// SetOption sets one of the options of a session.
type SetOption struct {
	Option acpclient.ConfigID
	Value  acpclient.ConfigValue
}

// StartAgent starts an agent.
type StartAgent struct{ Agent config.Agent }

// OpenSession opens one of the agent's sessions.
type OpenSession struct{ Session acpclient.SessionInfo }

// Run does what a key of the configuration does.
type Run struct{ Action config.Action }

// Elicit answers an elicitation.
type Elicit struct {
	ID       int
	Response acpclient.CreateElicitationResponse
}

// OpenURL opens an address that the person was shown whole and agreed to, and
// accepts the elicitation with this ID. The dialog stays, and waits for the
// agent to say that it is done there.
type OpenURL struct {
	ID  int
	URL string
}

// Copy puts text on the clipboard. The dialog stays.
type Copy struct{ Text string }

// Show shows what the dialog asks about on the whole screen. The dialog stays.
type Show struct {
	Call *conversation.ToolCall
	// Head draws what stands above the contents of the call: its kind, its whole
	// title, its places and its command, every character of them visible.
	Head func(width int, th *theme.Theme) []string
}

// SignIn signs in with a method. The dialog stays, and is told the result.
type SignIn struct{ Method acpclient.AuthMethodID }

func (NotTaken) action()    {}
func (Show) action()        {}
func (Close) action()       {}
func (Do) action()          {}
func (Stay) action()        {}
func (Answer) action()      {}
func (CancelTurn) action()  {}
func (RejectWith) action()  {}
func (Another) action()     {}
func (Edit) action()        {}
func (SetOption) action()   {}
func (StartAgent) action()  {}
func (OpenSession) action() {}
func (Run) action()         {}
func (Elicit) action()      {}
func (OpenURL) action()     {}
func (Copy) action()        {}
func (SignIn) action()      {}
