package command

import (
	"strings"

	"parley/config"
)

func init() { config.Register(groups) }

// row is an action; its keys, words and slash commands are separated by spaces.
type row struct {
	id                config.Action
	help, keys, words string
	slash             string
}

// groups returns all actions, in the order of the help.
func groups() []config.Group {
	var all []config.Group
	for _, g := range []struct {
		config.Group
		rows []row
	}{
		{config.Group{Context: config.ContextPrompt, Title: "In the prompt and everywhere", About: "In the prompt, and everywhere. A key that types text counts only while the\ndraft is empty.", Typed: "the prompt"}, []row{
			{Send, "Send the prompt", "enter", "", ""},
			{Newline, "New line", "shift+enter ctrl+j", "", ""},
			{NextMode, "Next mode", "shift+tab", "cycle switch permission plan auto", ""},
			{Palette, "Open the palette", "ctrl+p", "", ""},
			{Mode, "Choose the mode", "f2", "mode switch select permission plan auto yolo approval", "mode modes"},
			{Model, "Choose the model", "f3", "llm switch select change", "model models"},
			{ThoughtLevel, "Choose the thought level", "f4", "thinking reasoning effort switch select", ""},
			{Options, "Show all options", "ctrl+o", "options agent switch", "options settings"},
			{Changes, "Review and undo changes", "f5", "diff undo redo revert files edits git", "changes diff undo"},
			{Rewind, "Rewind to an earlier prompt", "alt+z", "back checkpoint restore undo branch fork revert", "rewind"},
			{Cancel, "Cancel turn / close", "esc", "stop abort interrupt", ""},
			{Interrupt, "Clear the draft, then cancel the turn, then quit", "ctrl+c", "", ""},
			{Quit, "Quit", "ctrl+d", "exit leave close bye", "quit exit q"},
			{Suspend, "Suspend parley, or detach", "ctrl+z", "background pause", ""},
			{Detach, "Detach; the session keeps running", "", "background leave disconnect tmux", "detach"},
			{Keep, "Keep this session running", "", "background host daemon survive detach close terminal", ""},
			{EndSession, "End this session", "", "stop kill close", ""},
			{Editor, "Edit the prompt in $EDITOR", "ctrl+g", "editor external compose", ""},
			{HistoryPrev, "Previous prompt", "up", "", ""},
			{HistoryNext, "Next prompt", "down", "", ""},
			{HistorySearch, "Search earlier prompts", "ctrl+r", "history past recall", ""},
			{PasteImage, "Paste the image on the clipboard", "ctrl+v", "screenshot picture attach", ""},
			{Queue, "Manage the queue", "alt+q", "waiting pending prompts", "queue"},
			{SendNow, "Send now: steer the turn, or cancel it first", "alt+s", "interrupt inject", ""},
			{FocusTranscript, "Move to the transcript", "tab alt+t", "transcript scroll read copy select", ""},
			{Find, "Find words in the transcript", "ctrl+f", "search grep", ""},
			{PageUp, "Scroll up a page", "pgup", "", ""},
			{PageDown, "Scroll down a page", "pgdown", "", ""},
			{LineUp, "Scroll up a line", "ctrl+up", "", ""},
			{LineDown, "Scroll down a line", "ctrl+down", "", ""},
			{ScrollTop, "Scroll to the beginning", "home ctrl+home", "", ""},
			{ScrollBottom, "Follow output", "end ctrl+end", "", ""},
			{LendMouse, "Let the terminal use the mouse (until a key)", "", "select copy", ""},
			{Terminal, "Step into the running command", "f7", "attach shell bash console", ""},
			{Background, "Show what works in the background", "f6", "subagents tasks jobs stop processes", "tasks background"},
			{AddOutput, "Add the output of your last command", "f8", "output shell bash attach", ""},
			{Inspector, "Inspect the protocol", "f12", "debug log json rpc acp traffic messages", ""},
			{Sessions, "Show the sessions", "ctrl+s", "resume continue history load reopen conversation", "sessions resume continue history"},
			{Questions, "List the waiting questions of all tabs", "alt+a", "", ""},
			{NewSession, "New session in a new tab", "ctrl+n", "new chat clear reset start over fresh empty", "new clear reset"},
			{NewAgent, "New tab with another agent", "", "agent switch change", "agent agents"},
			{NextTab, "Next tab", "ctrl+pgdown alt+.", "", ""},
			{PrevTab, "Previous tab", "ctrl+pgup alt+,", "", ""},
			// The first key shows the first tab, and so on.
			{Tab, "Go to this tab", "alt+1 alt+2 alt+3 alt+4 alt+5 alt+6 alt+7 alt+8 alt+9", "", ""},
			{RenameTab, "Rename tab", "", "name title", "rename title"},
			{CloseTab, "Close the tab", "alt+w", "", ""},
			{StartAgain, "Restart the agent", "alt+r", "reload reconnect retry", ""},
			{Export, "Export the session to a file", "", "save share markdown html", "export share"},
			{Help, "Show the help", "f1 ?", "keys shortcuts bindings keybindings hotkeys commands", "help commands"},
			{Guide, "Read the guide", "", "manual documentation docs", "guide docs"},
			{Rules, "Show and remove rules", "", "permissions approve approval allow deny trust", "rules permissions approvals"},
			{Files, "Show the files the agent wrote", "", "edits diff changes", ""},
			{Shell, "Open your shell", "", "terminal bash console command !", ""},
			{Fork, "Fork this session", "alt+o", "branch copy duplicate", ""},
			{Usage, "Show usage and cost", "", "spend usage context limit tokens money price budget", "usage cost context stats"},
			{SignIn, "Sign in to the agent", "", "login log in account auth authenticate", "login signin auth"},
			{SignOut, "Sign out of the agent", "", "logout log out account auth", "logout signout"},
			{Theme, "Choose the theme", "", "colours colors dark light appearance", "theme themes"},
			{EditConfig, "Edit the configuration file", "", "settings preferences vim mcp servers sandbox keys notifications", "config vim mcp sandbox keys"},
			{News, "Show the news", "", "changelog release version", "news changelog release-notes"},
		}},
		{config.Group{Context: config.ContextTranscript, Title: "In the transcript", About: "In the transcript, while it has the focus."}, []row{
			{Next, "Next item or line", "j down", "", ""},
			{Previous, "Previous item or line", "k up", "", ""},
			{First, "First item or line", "g home", "", ""},
			{Last, "Last item or line", "G end", "", ""},
			{Expand, "Expand or collapse the item", "enter space", "", ""},
			{ItemShow, "Show the item on the whole screen", "f", "pager fullscreen", ""},
			{Open, "Open the item's file in $EDITOR", "o", "", ""},
			{DiffSplit, "Toggle side-by-side diff", "s", "split view", ""},
			{DiffContext, "More context around a change", "e", "", ""},
			{Copy, "Copy the item or the selection", "y", "copy yank clipboard", ""},
			{CopyCode, "Copy a code block; again: the next one", "c", "", ""},
			{CopyCommand, "Copy the command", "C", "", ""},
			{CopyOutput, "Copy the output", "O", "", ""},
			{CopyPatch, "Copy the change as a patch", "p", "", ""},
			{Mark, "Select from the item on", "v", "", ""},
			{Search, "Find words", "/", "", ""},
			{FindNext, "Next match", "n", "", ""},
			{FindPrev, "Previous match", "N", "", ""},
			{PromptPrev, "Previous prompt", "[", "", ""},
			{PromptNext, "Next prompt", "]", "", ""},
			{HalfUp, "Scroll up half a page", "ctrl+u", "", ""},
			{HalfDown, "Scroll down half a page", "ctrl+d", "", ""},
			{StepIn, "Step into the command", "t", "", ""},
			{EndCommand, "Stop the command", "x", "", ""},
			{ItemAdd, "Add the command's output to the prompt", "a", "", ""},
			{FocusPrompt, "Back to the prompt", "tab i", "", ""},
		}},
		{config.Group{Context: config.ContextPager, Title: "In the pager", About: "In the view of one item on the whole screen. Other keys mean what they mean in\nthe transcript."}, []row{
			{PagerClose, "Close it", "q esc f", "", ""},
			{PagerWrap, "Toggle line wrapping", "w", "", ""},
			{PagerLeft, "Scroll left", "left h", "", ""},
			{PagerRight, "Scroll right", "right l", "", ""},
		}},
		{config.Group{Context: config.ContextTerminal, Title: "In a command that you stepped into", About: "In a command into which you have stepped. All other keys go to the command.", Typed: "the command"}, []row{
			{StepOut, "Step out of the command", "ctrl+]", "", ""},
			{TerminalUp, "Scroll back", "shift+pgup", "", ""},
			{TerminalDown, "Scroll forward", "shift+pgdown", "", ""},
		}},
		{config.Group{Context: config.ContextChanges, Title: "In the review of changes", About: "Among the changed files, on the whole screen."}, []row{
			{ChangesClose, "Back to the list, close", "q esc", "", ""},
			{HunkNext, "Next change of the file", "]", "", ""},
			{HunkPrev, "Previous change", "[", "", ""},
			{ChangesScope, "Changes of the session, of the last turn", "tab", "", ""},
			{ChangesSince, "Changes since a prompt", "t", "", ""},
			{ChangesKeep, "Keep the change; in the list: the file", "a", "accept approve", ""},
			{ChangesRevert, "Undo the change; in the list: the file", "x", "reject discard", ""},
			{ChangesKeepAll, "Keep the whole file", "A", "", ""},
			{ChangesBackAll, "Undo the whole file", "X", "", ""},
			{ChangesUndo, "Undo the last turn", "u", "rewind revert", ""},
			{ChangesRedo, "Redo the last undo", "r", "", ""},
			{ChangesComment, "Comment on the line", "c", "", ""},
			{ChangesComments, "Put the comments into the prompt", "S", "", ""},
		}},
		{config.Group{Context: config.ContextInspector, Title: "In the inspector", About: "In the inspector."}, []row{
			{InspectorClose, "Close the message, close it", "q esc", "", ""},
			{InspectorUp, "Scroll the message up", "K", "", ""},
			{InspectorDown, "Scroll the message down", "J", "", ""},
			{InspectorPair, "To the answer or the request", "p", "", ""},
			{InspectorFilter, "Filter by words", "f", "", ""},
			{InspectorDirection, "Filter by direction", "d", "", ""},
			{InspectorKind, "Filter by kind", "t", "", ""},
			{InspectorMethod, "Filter by this method", "m", "", ""},
			{InspectorWrong, "Filter by schema violations", "w", "errors invalid", ""},
			{InspectorAll, "Show all messages", "a", "", ""},
			{InspectorFold, "Toggle folding of notifications", "z", "", ""},
			{InspectorPause, "Pause, resume", "space", "", ""},
			{InspectorSave, "Save all as a recording", "s", "", ""},
		}},
		{config.Group{Context: config.ContextReplay, Title: "In a replay", About: "In a replay. Other keys mean what they mean in the prompt, as far as they do not act."}, []row{
			{ReplayPause, "Pause, resume; at the end: play again", "space", "", ""},
			{ReplayNext, "Next turn", "] n", "", ""},
			{ReplayPrev, "Start of the turn, previous turn", "[ p", "", ""},
			{ReplayFaster, "Faster", "+ =", "", ""},
			{ReplaySlower, "Slower", "-", "", ""},
			{ReplayQuit, "Close the replay", "q", "", ""},
		}},
		{config.Group{Context: config.ContextDialog, Title: "In dialogs", About: "In dialogs. The last four answer a permission request."}, []row{
			{DialogUp, "Previous choice", "up", "", ""},
			{DialogDown, "Next choice", "down", "", ""},
			{DialogPageUp, "Scroll the dialog up", "pgup", "", ""},
			{DialogPageDown, "Scroll the dialog down", "pgdown", "", ""},
			{DialogAccept, "Confirm the marked answer", "enter", "", ""},
			{DialogClose, "Close the dialog", "esc", "", ""},
			{DialogDelete, "Delete the marked item", "ctrl+x", "remove", ""},
			{DialogWider, "Sessions: all directories, or this one", "ctrl+t", "", ""},
			{DialogDefault, "Options: make the value the default", "ctrl+d", "settings", ""},
			{DialogFork, "Rewind: fork before the prompt", "alt+o ctrl+f", "branch", ""},
			{DialogMoveUp, "Queue: move up", "ctrl+up alt+up", "", ""},
			{DialogMoveDown, "Queue: move down", "ctrl+down alt+down", "", ""},
			{DialogSplit, "Permission: toggle side-by-side diff", "ctrl+s", "", ""},
			{DialogContext, "Permission: more context around a change", "ctrl+w alt+w", "", ""},
			{DialogShow, "Permission: whole screen", "ctrl+e alt+e", "", ""},
			{DialogEdit, "Permission: open in $EDITOR", "ctrl+g alt+g", "", ""},
			{DialogRaw, "Permission: raw input", "ctrl+r alt+i", "", ""},
			{DialogNext, "Permission: next question", "right alt+n", "", ""},
			{DialogPrev, "Permission: previous question", "left alt+p", "", ""},
			{RejectWords, "Permission: reject and say what to do instead", "tab", "", ""},
			{AllowByRule, "Permission: always allow by a rule", "r", "approve permission", ""},
			{AllowOnce, "Permission: allow once", "y", "approve accept yes", ""},
			{AllowAlways, "Permission: always allow", "a", "approve accept yes", ""},
			{RejectOnce, "Permission: reject once", "n", "deny no", ""},
			{RejectAlways, "Permission: always reject", "d", "deny no", ""},
		}},
	} {
		for _, r := range g.rows {
			g.Actions = append(g.Actions, config.ActionInfo{
				Action: r.id, Context: g.Context, Help: r.help, Keys: strings.Fields(r.keys), Words: r.words, Slash: strings.Fields(r.slash), Bare: r.id == Help,
			})
		}
		all = append(all, g.Group)
	}
	return all
}
