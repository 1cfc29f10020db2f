package dialog

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/tui/theme"
)

// Action is the user's decision in a dialog, one of the types of this package.
type Action interface{ action() }

// NotTaken means that the input is not for the dialog, but for the layer below.
type NotTaken struct{}

// Close closes the dialog without a choice.
type Close struct{}

// Act closes the dialog, unless it stays, and then calls the function.
type Act struct {
	Do    func()
	Stays bool
}

// Chosen closes the dialog and carries out a choice of a question of parley's own.
type Chosen struct{ Choice app.Choice }

// Entered closes the dialog and carries out such a question with a line of text.
type Entered struct {
	Question app.Question
	Text     string
}

// Stay calls the function of a page, whose command may be nil.
type Stay func() tea.Cmd

// Answer answers a question of the agent. The dialog stays until it is over.
type Answer struct{ Act session.Act[session.None] }

// RejectWith rejects a permission and sends words as the next prompt. Without an option it
// cancels the turn.
type RejectWith struct {
	Question conversation.Seen
	Option   acpclient.PermissionOptionID
	Words    string
}

// Another shows the open permission that is By positions further on. The current one stays
// open.
type Another struct{ By int }

// Edit shows text in the editor. The dialog stays.
type Edit struct{ Text string }

// CancelTurn cancels the turn, and with it every open permission.
type CancelTurn struct{}

// Run performs an action of the configuration.
type Run struct{ Action config.Action }

// OpenURL opens an address that the user was shown whole and agreed to, and accepts its
// elicitation. The dialog stays until the agent reports completion.
type OpenURL struct {
	Question conversation.Seen
	URL      string
}

// Copy puts text on the clipboard. The dialog stays.
type Copy struct{ Text string }

// Show shows the call of a question on the whole screen. The dialog stays.
type Show struct {
	Call *conversation.ToolCall
	// Head draws the call's kind, title, locations and command above its contents, in
	// full and with every character visible.
	Head func(width int, th *theme.Theme) []string
}

// ProposeRules asks which rule to save for the permission with this ID.
type ProposeRules struct{ ID int }

func (NotTaken) action()     {}
func (Show) action()         {}
func (Close) action()        {}
func (Act) action()          {}
func (Chosen) action()       {}
func (Entered) action()      {}
func (Stay) action()         {}
func (Answer) action()       {}
func (CancelTurn) action()   {}
func (RejectWith) action()   {}
func (Another) action()      {}
func (Edit) action()         {}
func (Run) action()          {}
func (OpenURL) action()      {}
func (Copy) action()         {}
func (ProposeRules) action() {}
