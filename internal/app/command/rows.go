package command

import (
	"strings"

	"parley/config"
)

// row is an action; its keys and words are separated by spaces.
type row struct {
	id                config.Action
	help, keys, words string
}

// Groups returns the actions of pages and dialogs.
func Groups() []config.Group {
	var all []config.Group
	for _, g := range []struct {
		config.Group
		rows []row
	}{
		{config.Group{Context: config.ContextChanges, Title: "In the review of changes", About: "Among the changed files, on the whole screen."}, []row{
			{ChangesClose, "Back to the list, close", "q esc", ""},
			{HunkNext, "Next change of the file", "]", ""},
			{HunkPrev, "Previous change", "[", ""},
			{ChangesScope, "Changes of the session, of the last turn", "tab", ""},
			{ChangesSince, "Changes since a prompt", "t", ""},
			{ChangesKeep, "Keep the change; in the list: the file", "a", "accept approve"},
			{ChangesRevert, "Undo the change; in the list: the file", "x", "reject discard"},
			{ChangesKeepAll, "Keep the whole file", "A", ""},
			{ChangesBackAll, "Undo the whole file", "X", ""},
			{ChangesUndo, "Undo the last turn", "u", "rewind revert"},
			{ChangesRedo, "Redo the last undo", "r", ""},
			{ChangesComment, "Comment on the line", "c", ""},
			{ChangesComments, "Put the comments into the prompt", "S", ""},
		}},
		{config.Group{Context: config.ContextInspector, Title: "In the inspector", About: "In the inspector."}, []row{
			{InspectorClose, "Close the message, close it", "q esc", ""},
			{InspectorUp, "Scroll the message up", "K", ""},
			{InspectorDown, "Scroll the message down", "J", ""},
			{InspectorPair, "To the answer or the request", "p", ""},
			{InspectorFilter, "Filter by words", "f", ""},
			{InspectorDirection, "Filter by direction", "d", ""},
			{InspectorKind, "Filter by kind", "t", ""},
			{InspectorMethod, "Filter by this method", "m", ""},
			{InspectorWrong, "Filter by schema violations", "w", "errors invalid"},
			{InspectorAll, "Show all messages", "a", ""},
			{InspectorFold, "Toggle folding of notifications", "z", ""},
			{InspectorPause, "Pause, resume", "space", ""},
			{InspectorSave, "Save all as a recording", "s", ""},
		}},
		{config.Group{Context: config.ContextDialog, Title: "In dialogs", About: "In dialogs. The last four answer a permission request."}, []row{
			{DialogUp, "Previous choice", "up", ""},
			{DialogDown, "Next choice", "down", ""},
			{DialogPageUp, "Scroll the dialog up", "pgup", ""},
			{DialogPageDown, "Scroll the dialog down", "pgdown", ""},
			{DialogAccept, "Confirm the marked answer", "enter", ""},
			{DialogClose, "Close the dialog", "esc", ""},
			{DialogDelete, "Delete the marked item", "ctrl+x", "remove"},
			{DialogWider, "Sessions: all directories, or this one", "ctrl+t", ""},
			{DialogDefault, "Options: make the value the default", "ctrl+d", "settings"},
			{DialogFork, "Rewind: fork before the prompt", "alt+o ctrl+f", "branch"},
			{DialogMoveUp, "Queue: move up", "ctrl+up alt+up", ""},
			{DialogMoveDown, "Queue: move down", "ctrl+down alt+down", ""},
			{DialogSplit, "Permission: toggle side-by-side diff", "ctrl+s", ""},
			{DialogContext, "Permission: more context around a change", "ctrl+w alt+w", ""},
			{DialogShow, "Permission: whole screen", "ctrl+e alt+e", ""},
			{DialogEdit, "Permission: open in $EDITOR", "ctrl+g alt+g", ""},
			{DialogRaw, "Permission: raw input", "ctrl+r alt+i", ""},
			{DialogNext, "Permission: next question", "right alt+n", ""},
			{DialogPrev, "Permission: previous question", "left alt+p", ""},
			{RejectWords, "Permission: reject and say what to do instead", "tab", ""},
			{AllowByRule, "Permission: always allow by a rule", "r", "approve permission"},
			{AllowOnce, "Permission: allow once", "y", "approve accept yes"},
			{AllowAlways, "Permission: always allow", "a", "approve accept yes"},
			{RejectOnce, "Permission: reject once", "n", "deny no"},
			{RejectAlways, "Permission: always reject", "d", "deny no"},
		}},
	} {
		for _, r := range g.rows {
			g.Actions = append(g.Actions, config.ActionInfo{
				Action: r.id, Context: g.Context, Help: r.help, Keys: strings.Fields(r.keys), Words: r.words,
			})
		}
		all = append(all, g.Group)
	}
	return all
}
