package config

import "slices"

// Action is something that a key does.
type Action string

// Context is where a key means something. One key may do different things in
// different contexts.
type Context string

const (
	// ContextPrompt is the composer, and everything that works everywhere.
	// Keys that type text never count here while there is a draft.
	ContextPrompt Context = "prompt"
	// ContextTranscript is the transcript while it has the focus. Keys that it
	// does not use fall through to ContextPrompt.
	ContextTranscript Context = "transcript"
	// ContextDialog is any dialog. Nothing falls through.
	ContextDialog Context = "dialog"
)

// The actions of ContextPrompt.
const (
	ActionSend            Action = "send"
	ActionNewline         Action = "newline"
	ActionNextMode        Action = "next_mode"
	ActionPalette         Action = "palette"
	ActionMode            Action = "mode"
	ActionModel           Action = "model"
	ActionThoughtLevel    Action = "thought_level"
	ActionOptions         Action = "options"
	ActionPlan            Action = "plan"
	ActionCancel          Action = "cancel"
	ActionInterrupt       Action = "interrupt"
	ActionQuit            Action = "quit"
	ActionSuspend         Action = "suspend"
	ActionEditor          Action = "editor"
	ActionHistoryPrev     Action = "history_prev"
	ActionHistoryNext     Action = "history_next"
	ActionHistorySearch   Action = "history_search"
	ActionFocusTranscript Action = "focus_transcript"
	ActionPageUp          Action = "page_up"
	ActionPageDown        Action = "page_down"
	ActionScrollTop       Action = "scroll_top"
	ActionScrollBottom    Action = "scroll_bottom"
	ActionSessions        Action = "sessions"
	ActionNewSession      Action = "new_session"
	ActionHelp            Action = "help"
	ActionGuide           Action = "guide"
)

// The actions of ContextTranscript.
const (
	ActionItemNext    Action = "item_next"
	ActionItemPrev    Action = "item_prev"
	ActionItemFirst   Action = "item_first"
	ActionItemLast    Action = "item_last"
	ActionItemExpand  Action = "item_expand"
	ActionItemCopy    Action = "item_copy"
	ActionItemOpen    Action = "item_open"
	ActionDiffSplit   Action = "diff_side_by_side"
	ActionDiffContext Action = "diff_context"
	ActionFocusPrompt Action = "focus_prompt"
)

// The actions of ContextDialog. The last four answer a permission request with
// the option of that kind.
const (
	ActionDialogUp       Action = "dialog_up"
	ActionDialogDown     Action = "dialog_down"
	ActionDialogPageUp   Action = "dialog_page_up"
	ActionDialogPageDown Action = "dialog_page_down"
	ActionDialogAccept   Action = "dialog_accept"
	ActionDialogClose    Action = "dialog_close"
	ActionDialogDelete   Action = "dialog_delete"
	ActionDialogSplit    Action = "dialog_side_by_side"
	ActionDialogContext  Action = "dialog_context"
	ActionAllowOnce      Action = "allow_once"
	ActionAllowAlways    Action = "allow_always"
	ActionRejectOnce     Action = "reject_once"
	ActionRejectAlways   Action = "reject_always"
)

// ActionInfo describes an action.
type ActionInfo struct {
	Action  Action
	Context Context
	// Help says in a few words what the action does.
	Help string
	// Keys are the default keys.
	Keys []string
}

// Actions lists all actions, grouped by context, in the order of the help. The
// caller may change what it gets.
func Actions() []ActionInfo {
	list := make([]ActionInfo, len(actions))
	for i, a := range actions {
		a.Keys = slices.Clone(a.Keys)
		list[i] = a
	}
	return list
}

var actions = slices.Concat(promptActions, transcriptActions, dialogActions)

var promptActions = []ActionInfo{
	{ActionSend, ContextPrompt, "send the prompt", []string{"enter"}},
	{ActionNewline, ContextPrompt, "begin a new line", []string{"shift+enter", "ctrl+j"}},
	{ActionNextMode, ContextPrompt, "switch to the next mode", []string{"shift+tab"}},
	{ActionPalette, ContextPrompt, "open the command palette", []string{"ctrl+p"}},
	{ActionMode, ContextPrompt, "choose the mode", []string{"f2"}},
	{ActionModel, ContextPrompt, "choose the model", []string{"f3"}},
	{ActionThoughtLevel, ContextPrompt, "choose the thought level", []string{"f4"}},
	{ActionOptions, ContextPrompt, "show all options of the agent", []string{"ctrl+o"}},
	{ActionPlan, ContextPrompt, "show or hide the steps of the plan", []string{"f6"}},
	{ActionCancel, ContextPrompt, "cancel the turn, close what is open", []string{"esc"}},
	{ActionInterrupt, ContextPrompt, "clear the draft, then cancel the turn, then quit", []string{"ctrl+c"}},
	{ActionQuit, ContextPrompt, "quit when the draft is empty", []string{"ctrl+d"}},
	{ActionSuspend, ContextPrompt, "suspend parley, when nothing can be undone", []string{"ctrl+z"}},
	{ActionEditor, ContextPrompt, "edit the prompt in $EDITOR", []string{"ctrl+g"}},
	{ActionHistoryPrev, ContextPrompt, "previous prompt", []string{"up"}},
	{ActionHistoryNext, ContextPrompt, "next prompt", []string{"down"}},
	{ActionHistorySearch, ContextPrompt, "search earlier prompts", []string{"ctrl+r"}},
	{ActionFocusTranscript, ContextPrompt, "move to the transcript", []string{"tab"}},
	{ActionPageUp, ContextPrompt, "scroll up a page", []string{"pgup"}},
	{ActionPageDown, ContextPrompt, "scroll down a page", []string{"pgdown"}},
	{ActionScrollTop, ContextPrompt, "scroll to the beginning", []string{"home", "ctrl+home"}},
	{ActionScrollBottom, ContextPrompt, "scroll to the end and follow it", []string{"end", "ctrl+end"}},
	{ActionSessions, ContextPrompt, "show the sessions", []string{"ctrl+s"}},
	{ActionNewSession, ContextPrompt, "begin a new session", []string{"ctrl+n"}},
	{ActionHelp, ContextPrompt, "show the help", []string{"f1", "?"}},
	{ActionGuide, ContextPrompt, "read the user's guide", []string{"shift+f1"}},
}

var transcriptActions = []ActionInfo{
	{ActionItemNext, ContextTranscript, "next item", []string{"j", "down"}},
	{ActionItemPrev, ContextTranscript, "previous item", []string{"k", "up"}},
	{ActionItemFirst, ContextTranscript, "first item", []string{"g", "home"}},
	{ActionItemLast, ContextTranscript, "last item", []string{"G", "end"}},
	{ActionItemExpand, ContextTranscript, "expand or collapse the item", []string{"enter", "space"}},
	{ActionItemCopy, ContextTranscript, "copy the item", []string{"y"}},
	{ActionItemOpen, ContextTranscript, "open the item's file in $EDITOR", []string{"o"}},
	{ActionDiffSplit, ContextTranscript, "show changes side by side or not", []string{"s"}},
	{ActionDiffContext, ContextTranscript, "show more of the lines around a change", []string{"e"}},
	{ActionFocusPrompt, ContextTranscript, "back to the prompt", []string{"tab", "i"}},
}

var dialogActions = []ActionInfo{
	{ActionDialogUp, ContextDialog, "previous choice", []string{"up"}},
	{ActionDialogDown, ContextDialog, "next choice", []string{"down"}},
	{ActionDialogPageUp, ContextDialog, "scroll the dialog up", []string{"pgup"}},
	{ActionDialogPageDown, ContextDialog, "scroll the dialog down", []string{"pgdown"}},
	{ActionDialogAccept, ContextDialog, "take the marked choice", []string{"enter"}},
	{ActionDialogClose, ContextDialog, "close the dialog", []string{"esc"}},
	{ActionDialogDelete, ContextDialog, "delete what is marked, where that can be", []string{"ctrl+x"}},
	{ActionDialogSplit, ContextDialog, "permission: show changes side by side or not", []string{"ctrl+s"}},
	{ActionDialogContext, ContextDialog, "permission: show more of the lines around a change", []string{"ctrl+w"}},
	{ActionAllowOnce, ContextDialog, "permission: allow once", []string{"y"}},
	{ActionAllowAlways, ContextDialog, "permission: always allow", []string{"a"}},
	{ActionRejectOnce, ContextDialog, "permission: reject once", []string{"n"}},
	{ActionRejectAlways, ContextDialog, "permission: always reject", []string{"d"}},
}
