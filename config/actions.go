package config

import (
	"fmt"
	"slices"
	"strings"
)

// Action is what a key does.
type Action string

// Context is where a key applies. One key may have different actions in different
// contexts.
type Context string

const (
	// ContextPrompt is the composer, and everything that works everywhere. While there
	// is a draft, keys that type text only type.
	ContextPrompt Context = "prompt"
	// ContextTranscript is the focused transcript, and what all pages have in common:
	// moving, finding, copying. Keys that it does not use fall through to ContextPrompt.
	ContextTranscript Context = "transcript"
	// ContextPager is the full-screen view of one item. Keys that it does not use fall
	// through to ContextTranscript.
	ContextPager Context = "pager"
	// ContextTerminal is a command that the user has stepped into. All other keys go to
	// the command.
	ContextTerminal Context = "terminal"
	// ContextChanges is the full-screen list of changed files, and the changes of one
	// of them. Keys that it does not use fall through to ContextTranscript.
	ContextChanges Context = "changes"
	// ContextInspector is the full-screen protocol inspector. Keys that it does not use
	// fall through to ContextTranscript.
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
	ActionQuestions       Action = "questions"
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
	ActionNext        Action = "next"
	ActionPrevious    Action = "previous"
	ActionFirst       Action = "first"
	ActionLast        Action = "last"
	ActionExpand      Action = "expand"
	ActionItemShow    Action = "item_show"
	ActionOpen        Action = "open"
	ActionDiffSplit   Action = "diff_side_by_side"
	ActionDiffContext Action = "diff_context"
	ActionCopy        Action = "copy"
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
	ActionChangesComment  Action = "changes_comment"
	ActionChangesComments Action = "changes_send_comments"
)

// The actions of ContextInspector.
const (
	ActionInspectorClose     Action = "inspector_close"
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
	ActionInspectorPause     Action = "inspector_pause"
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
	ActionDialogDefault  Action = "dialog_default"
	ActionDialogMoveUp   Action = "dialog_move_up"
	ActionDialogMoveDown Action = "dialog_move_down"
	ActionDialogSplit    Action = "dialog_side_by_side"
	ActionDialogContext  Action = "dialog_context"
	ActionDialogShow     Action = "dialog_show"
	ActionDialogEdit     Action = "dialog_edit"
	ActionDialogRaw      Action = "dialog_raw"
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
	// Keys are the default keys. An action of the prompt without any is in the palette.
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

// actionGroups are the actions by context, with what the example configuration says of
// the context.
var actionGroups = []struct {
	about   string
	actions []ActionInfo
}{
	{"In the prompt, and everywhere. A key that types text counts only while the\n# draft is empty.", promptActions},
	{"In the transcript, while it has the focus.", transcriptActions},
	{"In the view of one item on the whole screen. Other keys mean what they mean in\n# the transcript.", pagerActions},
	{"In a command into which you have stepped. All other keys go to the command.", terminalActions},
	{"Among the changed files, on the whole screen.", changesActions},
	{"In the inspector.", inspectorActions},
	{"In a replay. Other keys mean what they mean in the prompt, as far as they do not act.", replayActions},
	{"In dialogs. The last four answer a permission request.", dialogActions},
}

var actions = func() (all []ActionInfo) {
	for _, g := range actionGroups {
		all = append(all, g.actions...)
	}
	return all
}()

// exampleKeys lists all actions with their default keys, commented out.
func exampleKeys() string {
	var b strings.Builder
	for _, g := range actionGroups {
		fmt.Fprintf(&b, "\n# %s\n", g.about)
		for _, a := range g.actions {
			value := "[]"
			if len(a.Keys) > 0 {
				value = `"` + strings.Join(a.Keys, `", "`) + `"`
			}
			if len(a.Keys) > 1 {
				value = "[" + value + "]"
			}
			fmt.Fprintf(&b, "#%-43s # %s\n", string(a.Action)+" = "+value, a.Help)
		}
	}
	return b.String()
}

var promptActions = []ActionInfo{
	{ActionSend, ContextPrompt, "Send the prompt", []string{"enter"}},
	{ActionNewline, ContextPrompt, "New line", []string{"shift+enter", "ctrl+j"}},
	{ActionNextMode, ContextPrompt, "Next mode", []string{"shift+tab"}},
	{ActionPalette, ContextPrompt, "Open the palette", []string{"ctrl+p"}},
	{ActionMode, ContextPrompt, "Choose the mode", []string{"f2"}},
	{ActionModel, ContextPrompt, "Choose the model", []string{"f3"}},
	{ActionThoughtLevel, ContextPrompt, "Choose the thought level", []string{"f4"}},
	{ActionOptions, ContextPrompt, "Show all options", []string{"ctrl+o"}},
	{ActionChanges, ContextPrompt, "Review and undo changes", []string{"f5"}},
	{ActionCancel, ContextPrompt, "Cancel the turn, close", []string{"esc"}},
	{ActionInterrupt, ContextPrompt, "Clear the draft, then cancel the turn, then quit", []string{"ctrl+c"}},
	{ActionQuit, ContextPrompt, "Quit when the draft is empty", []string{"ctrl+d"}},
	{ActionSuspend, ContextPrompt, "Suspend parley", []string{"ctrl+z"}},
	{ActionEditor, ContextPrompt, "Edit the prompt in $EDITOR", []string{"ctrl+g"}},
	{ActionHistoryPrev, ContextPrompt, "Previous prompt", []string{"up"}},
	{ActionHistoryNext, ContextPrompt, "Next prompt", []string{"down"}},
	{ActionHistorySearch, ContextPrompt, "Search earlier prompts", []string{"ctrl+r"}},
	{ActionPasteImage, ContextPrompt, "Paste the image on the clipboard", []string{"ctrl+v"}},
	{ActionQueue, ContextPrompt, "Manage the queue", []string{"alt+q"}},
	{ActionSendNow, ContextPrompt, "Cancel the turn and send now", []string{"alt+s"}},
	{ActionFocusTranscript, ContextPrompt, "Move to the transcript", []string{"tab", "alt+t"}},
	{ActionFind, ContextPrompt, "Find words in the transcript", []string{"ctrl+f"}},
	{ActionPageUp, ContextPrompt, "Scroll up a page", []string{"pgup"}},
	{ActionPageDown, ContextPrompt, "Scroll down a page", []string{"pgdown"}},
	{ActionLineUp, ContextPrompt, "Scroll up a line", []string{"ctrl+up"}},
	{ActionLineDown, ContextPrompt, "Scroll down a line", []string{"ctrl+down"}},
	{ActionScrollTop, ContextPrompt, "Scroll to the beginning", []string{"home", "ctrl+home"}},
	{ActionScrollBottom, ContextPrompt, "Scroll to the end and follow", []string{"end", "ctrl+end"}},
	{ActionLendMouse, ContextPrompt, "Leave the mouse to the terminal until the next key", nil},
	{ActionTerminal, ContextPrompt, "Step into the running command", []string{"f7"}},
	{ActionAddOutput, ContextPrompt, "Add the output of your last command", []string{"f8"}},
	{ActionInspector, ContextPrompt, "Inspect the protocol", []string{"f12"}},
	{ActionSessions, ContextPrompt, "Show the sessions", []string{"ctrl+s"}},
	{ActionQuestions, ContextPrompt, "List the waiting questions of all tabs", []string{"alt+a"}},
	{ActionNewSession, ContextPrompt, "New session in a new tab", []string{"ctrl+n"}},
	{ActionNewAgent, ContextPrompt, "New tab with another agent", nil},
	{ActionNextTab, ContextPrompt, "Next tab", []string{"ctrl+pgdown", "alt+."}},
	{ActionPrevTab, ContextPrompt, "Previous tab", []string{"ctrl+pgup", "alt+,"}},
	// The first key shows the first tab, and so on.
	{ActionTab, ContextPrompt, "Go to this tab", []string{"alt+1", "alt+2", "alt+3", "alt+4", "alt+5", "alt+6", "alt+7", "alt+8", "alt+9"}},
	{ActionRenameTab, ContextPrompt, "Name the tab", nil},
	{ActionCloseTab, ContextPrompt, "Close the tab", []string{"alt+w"}},
	{ActionStartAgain, ContextPrompt, "Restart the agent", []string{"alt+r"}},
	{ActionExport, ContextPrompt, "Export the session to a file", nil},
	{ActionHelp, ContextPrompt, "Show the help", []string{"f1", "?"}},
	{ActionGuide, ContextPrompt, "Read the guide", nil},
	{ActionNews, ContextPrompt, "Show the news", nil},
}

var transcriptActions = []ActionInfo{
	{ActionNext, ContextTranscript, "Next item or line", []string{"j", "down"}},
	{ActionPrevious, ContextTranscript, "Previous item or line", []string{"k", "up"}},
	{ActionFirst, ContextTranscript, "First item or line", []string{"g", "home"}},
	{ActionLast, ContextTranscript, "Last item or line", []string{"G", "end"}},
	{ActionExpand, ContextTranscript, "Expand, collapse or show the item", []string{"enter", "space"}},
	{ActionItemShow, ContextTranscript, "Show the item on the whole screen", []string{"f"}},
	{ActionOpen, ContextTranscript, "Open the item's file in $EDITOR", []string{"o"}},
	{ActionDiffSplit, ContextTranscript, "Toggle side-by-side diff", []string{"s"}},
	{ActionDiffContext, ContextTranscript, "More context around a change", []string{"e"}},
	{ActionCopy, ContextTranscript, "Copy the item or the selection", []string{"y"}},
	{ActionCopyCode, ContextTranscript, "Copy a code block; again: the next one", []string{"c"}},
	{ActionCopyCommand, ContextTranscript, "Copy the command", []string{"C"}},
	{ActionCopyOutput, ContextTranscript, "Copy the output", []string{"O"}},
	{ActionCopyPatch, ContextTranscript, "Copy the change as a patch", []string{"p"}},
	{ActionMark, ContextTranscript, "Select from the item on", []string{"v"}},
	{ActionSearch, ContextTranscript, "Find words", []string{"/"}},
	{ActionFindNext, ContextTranscript, "Next match", []string{"n"}},
	{ActionFindPrev, ContextTranscript, "Previous match", []string{"N"}},
	{ActionPromptPrev, ContextTranscript, "Previous prompt", []string{"["}},
	{ActionPromptNext, ContextTranscript, "Next prompt", []string{"]"}},
	{ActionHalfUp, ContextTranscript, "Scroll up half a page", []string{"ctrl+u"}},
	{ActionHalfDown, ContextTranscript, "Scroll down half a page", []string{"ctrl+d"}},
	{ActionStepIn, ContextTranscript, "Step into the command", []string{"t"}},
	{ActionEndCommand, ContextTranscript, "Stop the command", []string{"x"}},
	{ActionItemAdd, ContextTranscript, "Add the command's output to the prompt", []string{"a"}},
	{ActionFocusPrompt, ContextTranscript, "Back to the prompt", []string{"tab", "i"}},
}

var pagerActions = []ActionInfo{
	{ActionPagerClose, ContextPager, "Close it", []string{"q", "esc", "f"}},
	{ActionPagerWrap, ContextPager, "Toggle line wrapping", []string{"w"}},
	{ActionPagerLeft, ContextPager, "Scroll left", []string{"left", "h"}},
	{ActionPagerRight, ContextPager, "Scroll right", []string{"right", "l"}},
}

var terminalActions = []ActionInfo{
	{ActionStepOut, ContextTerminal, "Step out of the command", []string{"ctrl+]"}},
	{ActionTerminalUp, ContextTerminal, "Scroll back", []string{"shift+pgup"}},
	{ActionTerminalDown, ContextTerminal, "Scroll forward", []string{"shift+pgdown"}},
}

var changesActions = []ActionInfo{
	{ActionChangesClose, ContextChanges, "Back to the list, close", []string{"q", "esc"}},
	{ActionHunkNext, ContextChanges, "Next change of the file", []string{"]"}},
	{ActionHunkPrev, ContextChanges, "Previous change", []string{"["}},
	{ActionChangesScope, ContextChanges, "Changes of the session, of the last turn", []string{"tab"}},
	{ActionChangesSince, ContextChanges, "Changes since a prompt", []string{"t"}},
	{ActionChangesKeep, ContextChanges, "Keep the change; in the list: the file", []string{"a"}},
	{ActionChangesRevert, ContextChanges, "Undo the change; in the list: the file", []string{"x"}},
	{ActionChangesKeepAll, ContextChanges, "Keep the whole file", []string{"A"}},
	{ActionChangesBackAll, ContextChanges, "Undo the whole file", []string{"X"}},
	{ActionChangesUndo, ContextChanges, "Undo the last turn", []string{"u"}},
	{ActionChangesRedo, ContextChanges, "Redo the last undo", []string{"r"}},
	{ActionChangesComment, ContextChanges, "Comment on the line", []string{"c"}},
	{ActionChangesComments, ContextChanges, "Put the comments into the prompt", []string{"S"}},
}

var inspectorActions = []ActionInfo{
	{ActionInspectorClose, ContextInspector, "Close the message, close it", []string{"q", "esc"}},
	{ActionInspectorUp, ContextInspector, "Scroll the message up", []string{"K"}},
	{ActionInspectorDown, ContextInspector, "Scroll the message down", []string{"J"}},
	{ActionInspectorPair, ContextInspector, "To the answer or the request", []string{"p"}},
	{ActionInspectorFilter, ContextInspector, "Filter by words", []string{"f"}},
	{ActionInspectorDirection, ContextInspector, "Filter by direction", []string{"d"}},
	{ActionInspectorKind, ContextInspector, "Filter by kind", []string{"t"}},
	{ActionInspectorMethod, ContextInspector, "Filter by this method", []string{"m"}},
	{ActionInspectorWrong, ContextInspector, "Filter by schema violations", []string{"w"}},
	{ActionInspectorAll, ContextInspector, "Show all messages", []string{"a"}},
	{ActionInspectorFold, ContextInspector, "Toggle folding of notifications", []string{"z"}},
	{ActionInspectorPause, ContextInspector, "Pause, resume", []string{"space"}},
	{ActionInspectorSave, ContextInspector, "Save all as a recording", []string{"s"}},
}

var replayActions = []ActionInfo{
	{ActionReplayPause, ContextReplay, "Pause, resume; at the end: play again", []string{"space"}},
	{ActionReplayNext, ContextReplay, "Next turn", []string{"]", "n"}},
	{ActionReplayPrev, ContextReplay, "Start of the turn, previous turn", []string{"[", "p"}},
	{ActionReplayFaster, ContextReplay, "Faster", []string{"+", "="}},
	{ActionReplaySlower, ContextReplay, "Slower", []string{"-"}},
	{ActionReplayQuit, ContextReplay, "Leave the replay", []string{"q"}},
}

var dialogActions = []ActionInfo{
	{ActionDialogUp, ContextDialog, "Previous choice", []string{"up"}},
	{ActionDialogDown, ContextDialog, "Next choice", []string{"down"}},
	{ActionDialogPageUp, ContextDialog, "Scroll the dialog up", []string{"pgup"}},
	{ActionDialogPageDown, ContextDialog, "Scroll the dialog down", []string{"pgdown"}},
	{ActionDialogAccept, ContextDialog, "Give the marked answer", []string{"enter"}},
	{ActionDialogClose, ContextDialog, "Close the dialog", []string{"esc"}},
	{ActionDialogDelete, ContextDialog, "Delete the marked item", []string{"ctrl+x"}},
	{ActionDialogWider, ContextDialog, "Sessions: all directories, or this one", []string{"ctrl+t"}},
	{ActionDialogDefault, ContextDialog, "Options: make the value the default", []string{"ctrl+d"}},
	{ActionDialogMoveUp, ContextDialog, "Queue: move up", []string{"ctrl+up", "alt+up"}},
	{ActionDialogMoveDown, ContextDialog, "Queue: move down", []string{"ctrl+down", "alt+down"}},
	{ActionDialogSplit, ContextDialog, "Permission: toggle side-by-side diff", []string{"ctrl+s"}},
	{ActionDialogContext, ContextDialog, "Permission: more context around a change", []string{"ctrl+w", "alt+w"}},
	{ActionDialogShow, ContextDialog, "Permission: whole screen", []string{"ctrl+e", "alt+e"}},
	{ActionDialogEdit, ContextDialog, "Permission: open in $EDITOR", []string{"ctrl+g", "alt+g"}},
	{ActionDialogRaw, ContextDialog, "Permission: raw input", []string{"ctrl+r", "alt+i"}},
	{ActionDialogNext, ContextDialog, "Permission: next question", []string{"right", "alt+n"}},
	{ActionDialogPrev, ContextDialog, "Permission: previous question", []string{"left", "alt+p"}},
	{ActionRejectWords, ContextDialog, "Permission: reject and say what to do instead", []string{"tab"}},
	{ActionAllowByRule, ContextDialog, "Permission: always allow by a rule", []string{"r"}},
	{ActionAllowOnce, ContextDialog, "Permission: allow once", []string{"y"}},
	{ActionAllowAlways, ContextDialog, "Permission: always allow", []string{"a"}},
	{ActionRejectOnce, ContextDialog, "Permission: reject once", []string{"n"}},
	{ActionRejectAlways, ContextDialog, "Permission: always reject", []string{"d"}},
}

// searchWords are words by which users search for an action, besides those in its help.
var searchWords = map[Action]string{
	ActionNextMode:        "switch cycle permission plan auto",
	ActionMode:            "switch select permission plan auto yolo approval",
	ActionModel:           "switch select change llm",
	ActionThoughtLevel:    "switch select thinking reasoning effort",
	ActionOptions:         "settings preferences agent switch",
	ActionChanges:         "diff undo redo rewind restore revert checkpoint files edits git",
	ActionCancel:          "stop abort interrupt",
	ActionQuit:            "exit leave close bye",
	ActionSuspend:         "background pause",
	ActionEditor:          "vim external compose",
	ActionHistorySearch:   "history past recall",
	ActionPasteImage:      "screenshot picture attach",
	ActionQueue:           "waiting pending prompts",
	ActionSendNow:         "interrupt steer",
	ActionFocusTranscript: "scroll read copy select",
	ActionFind:            "search grep",
	ActionLendMouse:       "select copy",
	ActionTerminal:        "shell attach bash console",
	ActionAddOutput:       "shell bash attach",
	ActionInspector:       "debug log json rpc acp traffic messages",
	ActionSessions:        "resume continue history load reopen conversation rewind",
	ActionNewSession:      "clear reset start over fresh empty",
	ActionNewAgent:        "switch change agent",
	ActionRenameTab:       "rename title",
	ActionStartAgain:      "reload reconnect retry",
	ActionExport:          "save share markdown html",
	ActionHelp:            "keys shortcuts bindings keybindings hotkeys commands",
	ActionGuide:           "manual documentation docs",
	ActionNews:            "changelog release version",
	ActionCopy:            "yank clipboard",
	ActionItemShow:        "pager fullscreen",
	ActionDiffSplit:       "split view",

	ActionChangesRevert:  "reject discard",
	ActionChangesKeep:    "accept approve",
	ActionChangesUndo:    "rewind revert",
	ActionAllowOnce:      "approve accept yes",
	ActionAllowAlways:    "approve accept yes",
	ActionRejectOnce:     "deny no",
	ActionRejectAlways:   "deny no",
	ActionAllowByRule:    "approve permission",
	ActionDialogDefault:  "settings",
	ActionDialogDelete:   "remove",
	ActionInspectorWrong: "errors invalid",
}

// Words returns further words to find an action with, separated by spaces.
func (a Action) Words() string { return searchWords[a] }
