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
	ActionDetach          Action = "detach"
	ActionKeep            Action = "keep_running"
	ActionEndSession      Action = "end_session"
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
	ActionBackground      Action = "background"
	ActionAddOutput       Action = "add_output"
	ActionPasteImage      Action = "paste_image"
	ActionQueue           Action = "queue"
	ActionSendNow         Action = "send_now"
	ActionChanges         Action = "changes"
	ActionRewind          Action = "rewind"
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
	ActionRules           Action = "rules"
	ActionFiles           Action = "files"
	ActionShell           Action = "shell"
	ActionFork            Action = "fork"
	ActionUsage           Action = "usage"
	ActionSignIn          Action = "sign_in"
	ActionSignOut         Action = "sign_out"
	ActionTheme           Action = "theme"
	ActionEditConfig      Action = "edit_config"
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
	ActionDialogFork     Action = "dialog_fork"
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
	// Words are further words to find the action with, separated by spaces. Typing the
	// whole first one finds the action before all others.
	Words string
	// Slash are the names of the slash command that does it: its own, then those that other
	// clients have for it, which are offered once typed. Nil if there is none.
	Slash []string
}

// Actions returns all actions, grouped by context, in the order of the help. The caller
// may change the slice.
func Actions() []ActionInfo {
	list := slices.Clone(actions)
	for i := range list {
		list[i].Keys = slices.Clone(list[i].Keys)
	}
	return list
}

// actionRow is an action in actionGroups; its keys and words are separated by spaces.
type actionRow struct {
	action            Action
	help, keys, words string
	slash             string
}

// actionGroups are the actions by context, in the order of the help, with what the example
// configuration says of the context.
var actionGroups = []struct {
	context Context
	about   string
	actions []actionRow
}{
	{ContextPrompt, "In the prompt, and everywhere. A key that types text counts only while the\n# draft is empty.", []actionRow{
		{ActionSend, "Send the prompt", "enter", "", ""},
		{ActionNewline, "New line", "shift+enter ctrl+j", "", ""},
		{ActionNextMode, "Next mode", "shift+tab", "cycle switch permission plan auto", ""},
		{ActionPalette, "Open the palette", "ctrl+p", "", ""},
		{ActionMode, "Choose the mode", "f2", "mode switch select permission plan auto yolo approval", "mode modes"},
		{ActionModel, "Choose the model", "f3", "llm switch select change", "model models"},
		{ActionThoughtLevel, "Choose the thought level", "f4", "thinking reasoning effort switch select", ""},
		{ActionOptions, "Show all options", "ctrl+o", "options agent switch", "options settings"},
		{ActionChanges, "Review and undo changes", "f5", "diff undo redo revert files edits git", "changes diff undo"},
		{ActionRewind, "Rewind to an earlier prompt", "alt+z", "back checkpoint restore undo branch fork revert", "rewind"},
		{ActionCancel, "Cancel turn / close", "esc", "stop abort interrupt", ""},
		{ActionInterrupt, "Clear the draft, then cancel the turn, then quit", "ctrl+c", "", ""},
		{ActionQuit, "Quit", "ctrl+d", "exit leave close bye", "quit exit q"},
		{ActionSuspend, "Suspend parley, or detach", "ctrl+z", "background pause", ""},
		{ActionDetach, "Detach: leave the session running", "", "background leave disconnect tmux", "detach"},
		{ActionKeep, "Keep this session running", "", "background host daemon survive detach close terminal", ""},
		{ActionEndSession, "End this session", "", "stop kill close", ""},
		{ActionEditor, "Edit the prompt in $EDITOR", "ctrl+g", "editor external compose", ""},
		{ActionHistoryPrev, "Previous prompt", "up", "", ""},
		{ActionHistoryNext, "Next prompt", "down", "", ""},
		{ActionHistorySearch, "Search earlier prompts", "ctrl+r", "history past recall", ""},
		{ActionPasteImage, "Paste the image on the clipboard", "ctrl+v", "screenshot picture attach", ""},
		{ActionQueue, "Manage the queue", "alt+q", "waiting pending prompts", "queue"},
		{ActionSendNow, "Send now: steer the turn, or cancel it first", "alt+s", "interrupt inject", ""},
		{ActionFocusTranscript, "Move to the transcript", "tab alt+t", "transcript scroll read copy select", ""},
		{ActionFind, "Find words in the transcript", "ctrl+f", "search grep", ""},
		{ActionPageUp, "Scroll up a page", "pgup", "", ""},
		{ActionPageDown, "Scroll down a page", "pgdown", "", ""},
		{ActionLineUp, "Scroll up a line", "ctrl+up", "", ""},
		{ActionLineDown, "Scroll down a line", "ctrl+down", "", ""},
		{ActionScrollTop, "Scroll to the beginning", "home ctrl+home", "", ""},
		{ActionScrollBottom, "Follow output", "end ctrl+end", "", ""},
		{ActionLendMouse, "Let the terminal use the mouse (until a key)", "", "select copy", ""},
		{ActionTerminal, "Step into the running command", "f7", "attach shell bash console", ""},
		{ActionBackground, "Show what works in the background", "f6", "subagents tasks jobs stop processes", "tasks background"},
		{ActionAddOutput, "Add the output of your last command", "f8", "output shell bash attach", ""},
		{ActionInspector, "Inspect the protocol", "f12", "debug log json rpc acp traffic messages", ""},
		{ActionSessions, "Show the sessions", "ctrl+s", "resume continue history load reopen conversation", "sessions resume continue history"},
		{ActionQuestions, "List the waiting questions of all tabs", "alt+a", "", ""},
		{ActionNewSession, "New session in a new tab", "ctrl+n", "new chat clear reset start over fresh empty", "new clear reset"},
		{ActionNewAgent, "New tab with another agent", "", "agent switch change", "agent agents"},
		{ActionNextTab, "Next tab", "ctrl+pgdown alt+.", "", ""},
		{ActionPrevTab, "Previous tab", "ctrl+pgup alt+,", "", ""},
		// The first key shows the first tab, and so on.
		{ActionTab, "Go to this tab", "alt+1 alt+2 alt+3 alt+4 alt+5 alt+6 alt+7 alt+8 alt+9", "", ""},
		{ActionRenameTab, "Rename tab", "", "name title", "rename title"},
		{ActionCloseTab, "Close the tab", "alt+w", "", ""},
		{ActionStartAgain, "Restart the agent", "alt+r", "reload reconnect retry", ""},
		{ActionExport, "Export the session to a file", "", "save share markdown html", "export share"},
		{ActionHelp, "Show the help", "f1 ?", "keys shortcuts bindings keybindings hotkeys commands", "help commands"},
		{ActionGuide, "Read the guide", "", "manual documentation docs", "guide docs"},
		{ActionRules, "Show and remove rules", "", "permissions approve approval allow deny trust", "rules permissions approvals"},
		{ActionFiles, "Show the files the agent wrote", "", "edits diff changes", ""},
		{ActionShell, "Open your shell", "", "terminal bash console command !", ""},
		{ActionFork, "Fork this session", "", "branch copy duplicate", ""},
		{ActionUsage, "Show usage and cost", "", "spend usage context limit tokens money price budget", "usage cost context stats"},
		{ActionSignIn, "Sign in to the agent", "", "login log in account auth authenticate", "login signin auth"},
		{ActionSignOut, "Sign out of the agent", "", "logout log out account auth", "logout signout"},
		{ActionTheme, "Choose the theme", "", "colours colors dark light appearance", "theme themes"},
		{ActionEditConfig, "Edit the configuration file", "", "settings preferences vim mcp servers sandbox keys notifications", "config vim mcp sandbox keys"},
		{ActionNews, "Show the news", "", "changelog release version", "news changelog release-notes"},
	}},
	{ContextTranscript, "In the transcript, while it has the focus.", []actionRow{
		{ActionNext, "Next item or line", "j down", "", ""},
		{ActionPrevious, "Previous item or line", "k up", "", ""},
		{ActionFirst, "First item or line", "g home", "", ""},
		{ActionLast, "Last item or line", "G end", "", ""},
		{ActionExpand, "Expand or collapse the item", "enter space", "", ""},
		{ActionItemShow, "Show the item on the whole screen", "f", "pager fullscreen", ""},
		{ActionOpen, "Open the item's file in $EDITOR", "o", "", ""},
		{ActionDiffSplit, "Toggle side-by-side diff", "s", "split view", ""},
		{ActionDiffContext, "More context around a change", "e", "", ""},
		{ActionCopy, "Copy the item or the selection", "y", "copy yank clipboard", ""},
		{ActionCopyCode, "Copy a code block; again: the next one", "c", "", ""},
		{ActionCopyCommand, "Copy the command", "C", "", ""},
		{ActionCopyOutput, "Copy the output", "O", "", ""},
		{ActionCopyPatch, "Copy the change as a patch", "p", "", ""},
		{ActionMark, "Select from the item on", "v", "", ""},
		{ActionSearch, "Find words", "/", "", ""},
		{ActionFindNext, "Next match", "n", "", ""},
		{ActionFindPrev, "Previous match", "N", "", ""},
		{ActionPromptPrev, "Previous prompt", "[", "", ""},
		{ActionPromptNext, "Next prompt", "]", "", ""},
		{ActionHalfUp, "Scroll up half a page", "ctrl+u", "", ""},
		{ActionHalfDown, "Scroll down half a page", "ctrl+d", "", ""},
		{ActionStepIn, "Step into the command", "t", "", ""},
		{ActionEndCommand, "Stop the command", "x", "", ""},
		{ActionItemAdd, "Add the command's output to the prompt", "a", "", ""},
		{ActionFocusPrompt, "Back to the prompt", "tab i", "", ""},
	}},
	{ContextPager, "In the view of one item on the whole screen. Other keys mean what they mean in\n# the transcript.", []actionRow{
		{ActionPagerClose, "Close it", "q esc f", "", ""},
		{ActionPagerWrap, "Toggle line wrapping", "w", "", ""},
		{ActionPagerLeft, "Scroll left", "left h", "", ""},
		{ActionPagerRight, "Scroll right", "right l", "", ""},
	}},
	{ContextTerminal, "In a command into which you have stepped. All other keys go to the command.", []actionRow{
		{ActionStepOut, "Step out of the command", "ctrl+]", "", ""},
		{ActionTerminalUp, "Scroll back", "shift+pgup", "", ""},
		{ActionTerminalDown, "Scroll forward", "shift+pgdown", "", ""},
	}},
	{ContextChanges, "Among the changed files, on the whole screen.", []actionRow{
		{ActionChangesClose, "Back to the list, close", "q esc", "", ""},
		{ActionHunkNext, "Next change of the file", "]", "", ""},
		{ActionHunkPrev, "Previous change", "[", "", ""},
		{ActionChangesScope, "Changes of the session, of the last turn", "tab", "", ""},
		{ActionChangesSince, "Changes since a prompt", "t", "", ""},
		{ActionChangesKeep, "Keep the change; in the list: the file", "a", "accept approve", ""},
		{ActionChangesRevert, "Undo the change; in the list: the file", "x", "reject discard", ""},
		{ActionChangesKeepAll, "Keep the whole file", "A", "", ""},
		{ActionChangesBackAll, "Undo the whole file", "X", "", ""},
		{ActionChangesUndo, "Undo the last turn", "u", "rewind revert", ""},
		{ActionChangesRedo, "Redo the last undo", "r", "", ""},
		{ActionChangesComment, "Comment on the line", "c", "", ""},
		{ActionChangesComments, "Put the comments into the prompt", "S", "", ""},
	}},
	{ContextInspector, "In the inspector.", []actionRow{
		{ActionInspectorClose, "Close the message, close it", "q esc", "", ""},
		{ActionInspectorUp, "Scroll the message up", "K", "", ""},
		{ActionInspectorDown, "Scroll the message down", "J", "", ""},
		{ActionInspectorPair, "To the answer or the request", "p", "", ""},
		{ActionInspectorFilter, "Filter by words", "f", "", ""},
		{ActionInspectorDirection, "Filter by direction", "d", "", ""},
		{ActionInspectorKind, "Filter by kind", "t", "", ""},
		{ActionInspectorMethod, "Filter by this method", "m", "", ""},
		{ActionInspectorWrong, "Filter by schema violations", "w", "errors invalid", ""},
		{ActionInspectorAll, "Show all messages", "a", "", ""},
		{ActionInspectorFold, "Toggle folding of notifications", "z", "", ""},
		{ActionInspectorPause, "Pause, resume", "space", "", ""},
		{ActionInspectorSave, "Save all as a recording", "s", "", ""},
	}},
	{ContextReplay, "In a replay. Other keys mean what they mean in the prompt, as far as they do not act.", []actionRow{
		{ActionReplayPause, "Pause, resume; at the end: play again", "space", "", ""},
		{ActionReplayNext, "Next turn", "] n", "", ""},
		{ActionReplayPrev, "Start of the turn, previous turn", "[ p", "", ""},
		{ActionReplayFaster, "Faster", "+ =", "", ""},
		{ActionReplaySlower, "Slower", "-", "", ""},
		{ActionReplayQuit, "Leave the replay", "q", "", ""},
	}},
	{ContextDialog, "In dialogs. The last four answer a permission request.", []actionRow{
		{ActionDialogUp, "Previous choice", "up", "", ""},
		{ActionDialogDown, "Next choice", "down", "", ""},
		{ActionDialogPageUp, "Scroll the dialog up", "pgup", "", ""},
		{ActionDialogPageDown, "Scroll the dialog down", "pgdown", "", ""},
		{ActionDialogAccept, "Confirm the marked answer", "enter", "", ""},
		{ActionDialogClose, "Close the dialog", "esc", "", ""},
		{ActionDialogDelete, "Delete the marked item", "ctrl+x", "remove", ""},
		{ActionDialogWider, "Sessions: all directories, or this one", "ctrl+t", "", ""},
		{ActionDialogDefault, "Options: make the value the default", "ctrl+d", "settings", ""},
		{ActionDialogFork, "Rewind: fork before the prompt", "ctrl+f alt+o", "branch", ""},
		{ActionDialogMoveUp, "Queue: move up", "ctrl+up alt+up", "", ""},
		{ActionDialogMoveDown, "Queue: move down", "ctrl+down alt+down", "", ""},
		{ActionDialogSplit, "Permission: toggle side-by-side diff", "ctrl+s", "", ""},
		{ActionDialogContext, "Permission: more context around a change", "ctrl+w alt+w", "", ""},
		{ActionDialogShow, "Permission: whole screen", "ctrl+e alt+e", "", ""},
		{ActionDialogEdit, "Permission: open in $EDITOR", "ctrl+g alt+g", "", ""},
		{ActionDialogRaw, "Permission: raw input", "ctrl+r alt+i", "", ""},
		{ActionDialogNext, "Permission: next question", "right alt+n", "", ""},
		{ActionDialogPrev, "Permission: previous question", "left alt+p", "", ""},
		{ActionRejectWords, "Permission: reject and say what to do instead", "tab", "", ""},
		{ActionAllowByRule, "Permission: always allow by a rule", "r", "approve permission", ""},
		{ActionAllowOnce, "Permission: allow once", "y", "approve accept yes", ""},
		{ActionAllowAlways, "Permission: always allow", "a", "approve accept yes", ""},
		{ActionRejectOnce, "Permission: reject once", "n", "deny no", ""},
		{ActionRejectAlways, "Permission: always reject", "d", "deny no", ""},
	}},
}

var actions = func() []ActionInfo {
	n := 0
	for _, g := range actionGroups {
		n += len(g.actions)
	}
	all := make([]ActionInfo, 0, n)
	for _, g := range actionGroups {
		for _, a := range g.actions {
			info := ActionInfo{Action: a.action, Context: g.context, Help: a.help, Words: a.words, Slash: strings.Fields(a.slash)}
			if a.keys != "" {
				info.Keys = strings.Split(a.keys, " ")
			}
			all = append(all, info)
		}
	}
	return all
}()

// writeKeys appends all actions with their default keys to the example.
func writeKeys(b *strings.Builder) {
	b.WriteString("#[keys]\n")
	for _, g := range actionGroups {
		fmt.Fprintf(b, "\n# %s\n", g.about)
		for _, a := range g.actions {
			value := "[]"
			if a.keys != "" {
				value = `"` + strings.ReplaceAll(a.keys, " ", `", "`) + `"`
			}
			if strings.Contains(a.keys, " ") {
				value = "[" + value + "]"
			}
			fmt.Fprintf(b, "#%-43s # %s\n", string(a.action)+" = "+value, a.help)
		}
	}
}
