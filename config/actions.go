package config

import "slices"

// Action is what a key does.
type Action string

// Context is where a key applies. One key may have different actions in different
// contexts.
type Context string

const (
	// ContextPrompt is the composer, and everything that works everywhere. While there
	// is a draft, keys that type text only type.
	ContextPrompt Context = "prompt"
	// ContextTranscript is the focused transcript. Keys that it does not use fall
	// through to ContextPrompt.
	ContextTranscript Context = "transcript"
	// ContextPager is the full-screen view of one item. Keys that it does not use fall
	// through to ContextTranscript.
	ContextPager Context = "pager"
	// ContextTerminal is a command that the user has stepped into. All other keys go to
	// the command.
	ContextTerminal Context = "terminal"
	// ContextChanges is the full-screen list of changed files, and the changes of one
	// of them. Only the actions for how changes are drawn fall through.
	ContextChanges Context = "changes"
	// ContextInspector is the full-screen protocol inspector. Only the scrolling
	// actions fall through.
	ContextInspector Context = "inspector"
	// ContextReplay is the replay of a recording. Keys that it does not use fall
	// through to ContextPrompt, where they apply.
	ContextReplay Context = "replay"
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
	ActionFind            Action = "find"
	ActionPageUp          Action = "page_up"
	ActionPageDown        Action = "page_down"
	ActionLineUp          Action = "line_up"
	ActionLineDown        Action = "line_down"
	ActionScrollTop       Action = "scroll_top"
	ActionScrollBottom    Action = "scroll_bottom"
	ActionLendMouse       Action = "lend_mouse"
	ActionTerminal        Action = "terminal"
	ActionAddOutput       Action = "add_output"
	ActionPasteImage      Action = "paste_image"
	ActionQueue           Action = "queue"
	ActionSendNow         Action = "send_now"
	ActionChanges         Action = "changes"
	ActionInspector       Action = "inspector"
	ActionSessions        Action = "sessions"
	ActionNewSession      Action = "new_session"
	ActionNewAgent        Action = "new_agent"
	ActionNextTab         Action = "next_tab"
	ActionPrevTab         Action = "previous_tab"
	ActionTab             Action = "tab"
	ActionRenameTab       Action = "rename_tab"
	ActionCloseTab        Action = "close_tab"
	ActionStartAgain      Action = "start_again"
	ActionExport          Action = "export"
	ActionNews            Action = "news"
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
	ActionItemShow    Action = "item_show"
	ActionItemOpen    Action = "item_open"
	ActionDiffSplit   Action = "diff_side_by_side"
	ActionDiffContext Action = "diff_context"
	ActionItemCopy    Action = "item_copy"
	ActionCopyCode    Action = "copy_code"
	ActionCopyCommand Action = "copy_command"
	ActionCopyOutput  Action = "copy_output"
	ActionCopyPatch   Action = "copy_patch"
	ActionMark        Action = "mark"
	ActionSearch      Action = "search"
	ActionFindNext    Action = "find_next"
	ActionFindPrev    Action = "find_prev"
	ActionPromptPrev  Action = "prompt_prev"
	ActionPromptNext  Action = "prompt_next"
	ActionHalfUp      Action = "half_page_up"
	ActionHalfDown    Action = "half_page_down"
	ActionStepIn      Action = "step_in"
	ActionEndCommand  Action = "end_command"
	ActionItemAdd     Action = "item_add"
	ActionFocusPrompt Action = "focus_prompt"
)

// The actions of ContextTerminal.
const (
	ActionStepOut      Action = "step_out"
	ActionTerminalUp   Action = "terminal_up"
	ActionTerminalDown Action = "terminal_down"
)

// The actions of ContextPager.
const (
	ActionPagerClose Action = "pager_close"
	ActionPagerWrap  Action = "pager_wrap"
	ActionPagerLeft  Action = "pager_left"
	ActionPagerRight Action = "pager_right"
)

// The actions of ContextChanges.
const (
	ActionChangesClose    Action = "changes_close"
	ActionChangesShow     Action = "changes_show"
	ActionChangesNext     Action = "changes_next"
	ActionChangesPrev     Action = "changes_prev"
	ActionChangesFirst    Action = "changes_first"
	ActionChangesLast     Action = "changes_last"
	ActionHunkNext        Action = "hunk_next"
	ActionHunkPrev        Action = "hunk_prev"
	ActionChangesScope    Action = "changes_scope"
	ActionChangesSince    Action = "changes_since"
	ActionChangesKeep     Action = "changes_keep"
	ActionChangesRevert   Action = "changes_revert"
	ActionChangesKeepAll  Action = "changes_keep_file"
	ActionChangesBackAll  Action = "changes_revert_file"
	ActionChangesUndo     Action = "changes_undo_turn"
	ActionChangesRedo     Action = "changes_redo"
	ActionChangesOpen     Action = "changes_open"
	ActionChangesPatch    Action = "changes_copy_patch"
	ActionChangesComment  Action = "changes_comment"
	ActionChangesComments Action = "changes_send_comments"
)

// The actions of ContextInspector.
const (
	ActionInspectorClose     Action = "inspector_close"
	ActionInspectorShow      Action = "inspector_show"
	ActionInspectorNext      Action = "inspector_next"
	ActionInspectorPrev      Action = "inspector_previous"
	ActionInspectorFirst     Action = "inspector_first"
	ActionInspectorLast      Action = "inspector_last"
	ActionInspectorUp        Action = "inspector_scroll_up"
	ActionInspectorDown      Action = "inspector_scroll_down"
	ActionInspectorPair      Action = "inspector_pair"
	ActionInspectorFilter    Action = "inspector_filter"
	ActionInspectorDirection Action = "inspector_direction"
	ActionInspectorKind      Action = "inspector_kind"
	ActionInspectorMethod    Action = "inspector_method"
	ActionInspectorWrong     Action = "inspector_wrong"
	ActionInspectorAll       Action = "inspector_all"
	ActionInspectorFold      Action = "inspector_fold"
	ActionInspectorSearch    Action = "inspector_search"
	ActionInspectorFound     Action = "inspector_find_next"
	ActionInspectorBack      Action = "inspector_find_previous"
	ActionInspectorPause     Action = "inspector_pause"
	ActionInspectorCopy      Action = "inspector_copy"
	ActionInspectorSave      Action = "inspector_save"
)

// The actions of ContextReplay.
const (
	ActionReplayPause  Action = "replay_pause"
	ActionReplayNext   Action = "replay_next"
	ActionReplayPrev   Action = "replay_previous"
	ActionReplayFaster Action = "replay_faster"
	ActionReplaySlower Action = "replay_slower"
	ActionReplayQuit   Action = "replay_quit"
)

// The actions of ContextDialog. The last four answer a permission request with the
// option of that kind.
const (
	ActionDialogUp       Action = "dialog_up"
	ActionDialogDown     Action = "dialog_down"
	ActionDialogPageUp   Action = "dialog_page_up"
	ActionDialogPageDown Action = "dialog_page_down"
	ActionDialogAccept   Action = "dialog_accept"
	ActionDialogClose    Action = "dialog_close"
	ActionDialogDelete   Action = "dialog_delete"
	ActionDialogWider    Action = "dialog_wider"
	ActionDialogMoveUp   Action = "dialog_move_up"
	ActionDialogMoveDown Action = "dialog_move_down"
	ActionDialogSplit    Action = "dialog_side_by_side"
	ActionDialogContext  Action = "dialog_context"
	ActionDialogShow     Action = "dialog_show"
	ActionDialogEdit     Action = "dialog_edit"
	ActionDialogNext     Action = "dialog_next"
	ActionDialogPrev     Action = "dialog_prev"
	ActionRejectWords    Action = "reject_with_words"
	ActionAllowByRule    Action = "allow_by_rule"
	ActionAllowOnce      Action = "allow_once"
	ActionAllowAlways    Action = "allow_always"
	ActionRejectOnce     Action = "reject_once"
	ActionRejectAlways   Action = "reject_always"
)

// ActionInfo describes an action.
type ActionInfo struct {
	Action  Action
	Context Context
	// Help describes the action in a few words.
	Help string
	// Keys are the default keys.
	Keys []string
}

// Actions returns all actions, grouped by context, in the order of the help. The caller
// may change the slice.
func Actions() []ActionInfo {
	list := make([]ActionInfo, len(actions))
	for i, a := range actions {
		a.Keys = slices.Clone(a.Keys)
		list[i] = a
	}
	return list
}

var actions = slices.Concat(promptActions, transcriptActions, pagerActions, terminalActions, changesActions, inspectorActions, replayActions, dialogActions)

var promptActions = []ActionInfo{
	{ActionSend, ContextPrompt, "send the prompt", []string{"enter"}},
	{ActionNewline, ContextPrompt, "begin a new line", []string{"shift+enter", "ctrl+j"}},
	{ActionNextMode, ContextPrompt, "switch to the next mode", []string{"shift+tab"}},
	{ActionPalette, ContextPrompt, "open the command palette", []string{"ctrl+p"}},
	{ActionMode, ContextPrompt, "choose the mode", []string{"f2"}},
	{ActionModel, ContextPrompt, "choose the model", []string{"f3"}},
	{ActionThoughtLevel, ContextPrompt, "choose the thought level", []string{"f4"}},
	{ActionOptions, ContextPrompt, "show all options of the agent", []string{"ctrl+o"}},
	{ActionChanges, ContextPrompt, "review what has changed, take it back", []string{"f5"}},
	{ActionPlan, ContextPrompt, "show or hide the steps of the plan", []string{"f6"}},
	{ActionCancel, ContextPrompt, "cancel the turn, close what is open", []string{"esc"}},
	{ActionInterrupt, ContextPrompt, "clear the draft, then cancel the turn, then quit", []string{"ctrl+c"}},
	{ActionQuit, ContextPrompt, "quit when the draft is empty", []string{"ctrl+d"}},
	{ActionSuspend, ContextPrompt, "suspend parley", []string{"ctrl+z"}},
	{ActionEditor, ContextPrompt, "edit the prompt in $EDITOR", []string{"ctrl+g"}},
	{ActionHistoryPrev, ContextPrompt, "previous prompt", []string{"up"}},
	{ActionHistoryNext, ContextPrompt, "next prompt", []string{"down"}},
	{ActionHistorySearch, ContextPrompt, "search earlier prompts", []string{"ctrl+r"}},
	{ActionPasteImage, ContextPrompt, "paste the image on the clipboard", []string{"ctrl+v"}},
	{ActionQueue, ContextPrompt, "edit, order and empty what waits", []string{"alt+q"}},
	{ActionSendNow, ContextPrompt, "send now: cancel the turn first", []string{"alt+s"}},
	{ActionFocusTranscript, ContextPrompt, "move to the transcript", []string{"tab", "alt+t"}},
	{ActionFind, ContextPrompt, "find words in the transcript", []string{"ctrl+f"}},
	{ActionPageUp, ContextPrompt, "scroll up a page", []string{"pgup"}},
	{ActionPageDown, ContextPrompt, "scroll down a page", []string{"pgdown"}},
	{ActionLineUp, ContextPrompt, "scroll up a line", []string{"ctrl+up", "shift+up"}},
	{ActionLineDown, ContextPrompt, "scroll down a line", []string{"ctrl+down", "shift+down"}},
	{ActionScrollTop, ContextPrompt, "scroll to the beginning", []string{"home", "ctrl+home"}},
	{ActionScrollBottom, ContextPrompt, "scroll to the end and follow it", []string{"end", "ctrl+end"}},
	{ActionLendMouse, ContextPrompt, "leave the mouse to the terminal for a moment", []string{"f9"}},
	{ActionTerminal, ContextPrompt, "step into the command that runs", []string{"f7"}},
	{ActionAddOutput, ContextPrompt, "add what your last command printed", []string{"f8"}},
	{ActionInspector, ContextPrompt, "inspect the protocol as it flows", []string{"f12"}},
	{ActionSessions, ContextPrompt, "show the sessions", []string{"ctrl+s"}},
	{ActionNewSession, ContextPrompt, "begin a new session, in a tab of its own", []string{"ctrl+n"}},
	{ActionNewAgent, ContextPrompt, "choose an agent for a new tab", []string{"alt+n"}},
	{ActionNextTab, ContextPrompt, "next tab", []string{"ctrl+pgdown", "alt+."}},
	{ActionPrevTab, ContextPrompt, "previous tab", []string{"ctrl+pgup", "alt+,"}},
	// The first key shows the first tab, and so on.
	{ActionTab, ContextPrompt, "show the tab of that number", []string{"alt+1", "alt+2", "alt+3", "alt+4", "alt+5", "alt+6", "alt+7", "alt+8", "alt+9"}},
	{ActionRenameTab, ContextPrompt, "name the tab", []string{"alt+e"}},
	{ActionCloseTab, ContextPrompt, "close the tab", []string{"alt+w"}},
	{ActionStartAgain, ContextPrompt, "start the agent again, after it has gone", []string{"alt+r"}},
	{ActionExport, ContextPrompt, "export the session to a file", []string{"alt+x"}},
	{ActionHelp, ContextPrompt, "show the help", []string{"f1", "?"}},
	{ActionGuide, ContextPrompt, "read the user's guide", []string{"shift+f1"}},
	{ActionNews, ContextPrompt, "see what is new in parley", []string{"ctrl+f1"}},
}

var transcriptActions = []ActionInfo{
	{ActionItemNext, ContextTranscript, "next item", []string{"j", "down"}},
	{ActionItemPrev, ContextTranscript, "previous item", []string{"k", "up"}},
	{ActionItemFirst, ContextTranscript, "first item", []string{"g", "home"}},
	{ActionItemLast, ContextTranscript, "last item", []string{"G", "end"}},
	{ActionItemExpand, ContextTranscript, "expand or collapse the item", []string{"enter", "space"}},
	{ActionItemShow, ContextTranscript, "show the item on the whole screen", []string{"f"}},
	{ActionItemOpen, ContextTranscript, "open the item's file in $EDITOR", []string{"o"}},
	{ActionDiffSplit, ContextTranscript, "show changes side by side or not", []string{"s"}},
	{ActionDiffContext, ContextTranscript, "show more of the lines around a change", []string{"e"}},
	{ActionItemCopy, ContextTranscript, "copy the item, or what is marked", []string{"y"}},
	{ActionCopyCode, ContextTranscript, "copy a code block, again: the next one", []string{"c"}},
	{ActionCopyCommand, ContextTranscript, "copy the command that the tool runs", []string{"C"}},
	{ActionCopyOutput, ContextTranscript, "copy what the tool gave", []string{"O"}},
	{ActionCopyPatch, ContextTranscript, "copy the change as a patch", []string{"p"}},
	{ActionMark, ContextTranscript, "mark from the item on, then move the other end", []string{"v"}},
	{ActionSearch, ContextTranscript, "find words", []string{"/"}},
	{ActionFindNext, ContextTranscript, "next place that was found", []string{"n"}},
	{ActionFindPrev, ContextTranscript, "previous place that was found", []string{"N"}},
	{ActionPromptPrev, ContextTranscript, "previous prompt", []string{"["}},
	{ActionPromptNext, ContextTranscript, "next prompt", []string{"]"}},
	{ActionHalfUp, ContextTranscript, "scroll up half a page", []string{"ctrl+u"}},
	{ActionHalfDown, ContextTranscript, "scroll down half a page", []string{"ctrl+d"}},
	{ActionStepIn, ContextTranscript, "step into the command: keys go to it", []string{"t"}},
	{ActionEndCommand, ContextTranscript, "end the command", []string{"x"}},
	{ActionItemAdd, ContextTranscript, "add what your command printed to the prompt", []string{"a"}},
	{ActionFocusPrompt, ContextTranscript, "back to the prompt", []string{"tab", "i", "alt+t"}},
}

var pagerActions = []ActionInfo{
	{ActionPagerClose, ContextPager, "close it", []string{"q", "esc", "f"}},
	{ActionPagerWrap, ContextPager, "wrap long lines or not", []string{"w"}},
	{ActionPagerLeft, ContextPager, "to the left, in lines that are not wrapped", []string{"left", "h"}},
	{ActionPagerRight, ContextPager, "to the right", []string{"right", "l"}},
}

var terminalActions = []ActionInfo{
	{ActionStepOut, ContextTerminal, "step out of the command", []string{"ctrl+]"}},
	{ActionTerminalUp, ContextTerminal, "scroll back", []string{"shift+pgup"}},
	{ActionTerminalDown, ContextTerminal, "scroll forward", []string{"shift+pgdown"}},
}

var changesActions = []ActionInfo{
	{ActionChangesClose, ContextChanges, "back to the list, close it", []string{"q", "esc"}},
	{ActionChangesShow, ContextChanges, "show the changes of the file", []string{"enter", "space"}},
	{ActionChangesNext, ContextChanges, "next file, next line", []string{"j", "down"}},
	{ActionChangesPrev, ContextChanges, "previous file, previous line", []string{"k", "up"}},
	{ActionChangesFirst, ContextChanges, "first one", []string{"g", "home"}},
	{ActionChangesLast, ContextChanges, "last one", []string{"G", "end"}},
	{ActionHunkNext, ContextChanges, "next change of the file", []string{"]"}},
	{ActionHunkPrev, ContextChanges, "previous change", []string{"["}},
	{ActionChangesScope, ContextChanges, "of the session, of the last turn", []string{"tab"}},
	{ActionChangesSince, ContextChanges, "since a prompt", []string{"t"}},
	{ActionChangesKeep, ContextChanges, "keep the change, in the list: the file", []string{"a"}},
	{ActionChangesRevert, ContextChanges, "take the change back, in the list: the file", []string{"x"}},
	{ActionChangesKeepAll, ContextChanges, "keep the whole file", []string{"A"}},
	{ActionChangesBackAll, ContextChanges, "take the whole file back", []string{"X"}},
	{ActionChangesUndo, ContextChanges, "take the last turn back", []string{"u"}},
	{ActionChangesRedo, ContextChanges, "do again what was taken back last", []string{"r"}},
	{ActionChangesOpen, ContextChanges, "open the file in $EDITOR", []string{"o"}},
	{ActionChangesPatch, ContextChanges, "copy the file's changes as a patch", []string{"p"}},
	{ActionChangesComment, ContextChanges, "comment on the line", []string{"c"}},
	{ActionChangesComments, ContextChanges, "put the comments into the prompt", []string{"S"}},
}

var inspectorActions = []ActionInfo{
	{ActionInspectorClose, ContextInspector, "close the message, close it", []string{"q", "esc"}},
	{ActionInspectorShow, ContextInspector, "show the message in full, or no longer", []string{"enter"}},
	{ActionInspectorNext, ContextInspector, "next message", []string{"j", "down"}},
	{ActionInspectorPrev, ContextInspector, "previous message", []string{"k", "up"}},
	{ActionInspectorFirst, ContextInspector, "first message", []string{"g", "home"}},
	{ActionInspectorLast, ContextInspector, "last message, and follow what comes", []string{"G", "end"}},
	{ActionInspectorUp, ContextInspector, "scroll the message up", []string{"K"}},
	{ActionInspectorDown, ContextInspector, "scroll the message down", []string{"J"}},
	{ActionInspectorPair, ContextInspector, "to the answer, to the request", []string{"p"}},
	{ActionInspectorFilter, ContextInspector, "show only messages with certain words", []string{"f"}},
	{ActionInspectorDirection, ContextInspector, "show only sent or received messages", []string{"d"}},
	{ActionInspectorKind, ContextInspector, "show only requests, notifications, or output", []string{"t"}},
	{ActionInspectorMethod, ContextInspector, "show only this method, or all", []string{"m"}},
	{ActionInspectorWrong, ContextInspector, "show only what breaks the schema, or all", []string{"w"}},
	{ActionInspectorAll, ContextInspector, "show all messages", []string{"a"}},
	{ActionInspectorFold, ContextInspector, "fold runs of notifications, or not", []string{"z"}},
	{ActionInspectorSearch, ContextInspector, "find words in the messages", []string{"/"}},
	{ActionInspectorFound, ContextInspector, "next message that has them", []string{"n"}},
	{ActionInspectorBack, ContextInspector, "previous message that has them", []string{"N"}},
	{ActionInspectorPause, ContextInspector, "have the list stand still, and go on", []string{"space"}},
	{ActionInspectorCopy, ContextInspector, "copy the message", []string{"y"}},
	{ActionInspectorSave, ContextInspector, "save it all as a recording", []string{"s"}},
}

var replayActions = []ActionInfo{
	{ActionReplayPause, ContextReplay, "pause, go on, at the end: play again", []string{"space"}},
	{ActionReplayNext, ContextReplay, "next turn", []string{"]", "n"}},
	{ActionReplayPrev, ContextReplay, "beginning of the turn, previous turn", []string{"[", "p"}},
	{ActionReplayFaster, ContextReplay, "faster", []string{"+", "="}},
	{ActionReplaySlower, ContextReplay, "slower", []string{"-"}},
	{ActionReplayQuit, ContextReplay, "leave the replay", []string{"q"}},
}

var dialogActions = []ActionInfo{
	{ActionDialogUp, ContextDialog, "previous choice", []string{"up"}},
	{ActionDialogDown, ContextDialog, "next choice", []string{"down"}},
	{ActionDialogPageUp, ContextDialog, "scroll the dialog up", []string{"pgup"}},
	{ActionDialogPageDown, ContextDialog, "scroll the dialog down", []string{"pgdown"}},
	{ActionDialogAccept, ContextDialog, "take the marked choice", []string{"enter"}},
	{ActionDialogClose, ContextDialog, "close the dialog", []string{"esc"}},
	{ActionDialogDelete, ContextDialog, "delete what is marked, where that can be", []string{"ctrl+x"}},
	{ActionDialogWider, ContextDialog, "sessions: those of all directories, or of this one", []string{"ctrl+t"}},
	{ActionDialogMoveUp, ContextDialog, "what waits: one place up", []string{"alt+up"}},
	{ActionDialogMoveDown, ContextDialog, "what waits: one place down", []string{"alt+down"}},
	{ActionDialogSplit, ContextDialog, "permission: show changes side by side or not", []string{"ctrl+s"}},
	{ActionDialogContext, ContextDialog, "permission: show more of the lines around a change", []string{"ctrl+w", "alt+w"}},
	{ActionDialogShow, ContextDialog, "permission: show it on the whole screen", []string{"ctrl+e", "alt+e"}},
	{ActionDialogEdit, ContextDialog, "permission: read it in $EDITOR", []string{"ctrl+g", "alt+g"}},
	{ActionDialogNext, ContextDialog, "permission: the next one that waits", []string{"right", "alt+n"}},
	{ActionDialogPrev, ContextDialog, "permission: the one before", []string{"left", "alt+p"}},
	{ActionRejectWords, ContextDialog, "permission: reject, and say what to do instead", []string{"tab"}},
	{ActionAllowByRule, ContextDialog, "permission: always allow by a rule of parley", []string{"r"}},
	{ActionAllowOnce, ContextDialog, "permission: allow once", []string{"y"}},
	{ActionAllowAlways, ContextDialog, "permission: always allow", []string{"a"}},
	{ActionRejectOnce, ContextDialog, "permission: reject once", []string{"n"}},
	{ActionRejectAlways, ContextDialog, "permission: always reject", []string{"d"}},
}
