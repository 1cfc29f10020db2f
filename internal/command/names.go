// Package command has what the user can have done. A command is one row: its name, keys and
// words, and its function. A view has the rows of its keys; [Commands] are those that all front
// ends have. The names here are those that are used beyond their row.
package command

import "parley/config"

// The actions of the prompt.
const (
	Send            config.Action = "send"
	Newline         config.Action = "newline"
	NextMode        config.Action = "next_mode"
	Palette         config.Action = "palette"
	Model           config.Action = "model"
	Options         config.Action = "options"
	Cancel          config.Action = "cancel"
	Interrupt       config.Action = "interrupt"
	Quit            config.Action = "quit"
	Suspend         config.Action = "suspend"
	Detach          config.Action = "detach"
	Keep            config.Action = "keep_running"
	EndSession      config.Action = "end_session"
	Editor          config.Action = "editor"
	HistoryPrev     config.Action = "history_prev"
	HistoryNext     config.Action = "history_next"
	HistorySearch   config.Action = "history_search"
	FocusTranscript config.Action = "focus_transcript"
	Find            config.Action = "find"
	LineUp          config.Action = "line_up"
	LineDown        config.Action = "line_down"
	LendMouse       config.Action = "lend_mouse"
	Terminal        config.Action = "terminal"
	Background      config.Action = "background"
	AddOutput       config.Action = "add_output"
	PasteImage      config.Action = "paste_image"
	Queue           config.Action = "queue"
	SendNow         config.Action = "send_now"
	Changes         config.Action = "changes"
	Rewind          config.Action = "rewind"
	Inspector       config.Action = "inspector"
	Sessions        config.Action = "sessions"
	Board           config.Action = "board"
	NewSession      config.Action = "new_session"
	NewAgent        config.Action = "new_agent"
	NextTab         config.Action = "next_tab"
	PrevTab         config.Action = "previous_tab"
	Tab             config.Action = "tab"
	RenameTab       config.Action = "rename_tab"
	CloseTab        config.Action = "close_tab"
	StartAgain      config.Action = "start_again"
	Export          config.Action = "export"
	Rules           config.Action = "rules"
	Fork            config.Action = "fork"
	HandOver        config.Action = "hand_over"
	Help            config.Action = "help"
	Guide           config.Action = "guide"
)

// The actions of the transcript.
const (
	Next        config.Action = "next"
	Previous    config.Action = "previous"
	Expand      config.Action = "expand"
	ItemShow    config.Action = "item_show"
	Open        config.Action = "open"
	DiffSplit   config.Action = "diff_side_by_side"
	DiffContext config.Action = "diff_context"
	Copy        config.Action = "copy"
	CopyCode    config.Action = "copy_code"
	CopyCommand config.Action = "copy_command"
	CopyOutput  config.Action = "copy_output"
	CopyPatch   config.Action = "copy_patch"
	Mark        config.Action = "mark"
	Search      config.Action = "search"
	FindNext    config.Action = "find_next"
	FindPrev    config.Action = "find_prev"
	PromptPrev  config.Action = "prompt_prev"
	PromptNext  config.Action = "prompt_next"
	StepIn      config.Action = "step_in"
	EndCommand  config.Action = "end_command"
	ItemAdd     config.Action = "item_add"
	FocusPrompt config.Action = "focus_prompt"
)

// The actions of a command that the user has stepped into.
const (
	StepOut      config.Action = "step_out"
	TerminalUp   config.Action = "terminal_up"
	TerminalDown config.Action = "terminal_down"
)

// The actions of the pager.
const (
	PagerClose config.Action = "pager_close"
	PagerWrap  config.Action = "pager_wrap"
)

// The actions of the review.
const (
	ChangesRedo     config.Action = "changes_redo"
	ChangesComments config.Action = "changes_send_comments"
)

// The actions of a comparison.
const (
	CompareUndo config.Action = "compare_undo"
	CompareStop config.Action = "compare_stop"
)

// The actions of a replay.
const (
	ReplayPause  config.Action = "replay_pause"
	ReplayNext   config.Action = "replay_next"
	ReplayPrev   config.Action = "replay_previous"
	ReplayFaster config.Action = "replay_faster"
	ReplaySlower config.Action = "replay_slower"
	ReplayQuit   config.Action = "replay_quit"
)

// The actions of dialogs. The last four answer a permission request with the
// option of that kind.
const (
	DialogUp       config.Action = "dialog_up"
	DialogDown     config.Action = "dialog_down"
	DialogPageUp   config.Action = "dialog_page_up"
	DialogPageDown config.Action = "dialog_page_down"
	DialogAccept   config.Action = "dialog_accept"
	DialogClose    config.Action = "dialog_close"
	DialogDelete   config.Action = "dialog_delete"
	DialogWider    config.Action = "dialog_wider"
	DialogDefault  config.Action = "dialog_default"
	DialogFork     config.Action = "dialog_fork"
	DialogSend     config.Action = "dialog_send"
	DialogDetach   config.Action = "dialog_detach"
	DialogMoveUp   config.Action = "dialog_move_up"
	DialogMoveDown config.Action = "dialog_move_down"
	DialogSplit    config.Action = "dialog_side_by_side"
	DialogContext  config.Action = "dialog_context"
	DialogShow     config.Action = "dialog_show"
	DialogEdit     config.Action = "dialog_edit"
	DialogRaw      config.Action = "dialog_raw"
	DialogNext     config.Action = "dialog_next"
	DialogPrev     config.Action = "dialog_prev"
	RejectWords    config.Action = "reject_with_words"
	AllowByRule    config.Action = "allow_by_rule"
	AllowOnce      config.Action = "allow_once"
	AllowAlways    config.Action = "allow_always"
	RejectOnce     config.Action = "reject_once"
	RejectAlways   config.Action = "reject_always"
)
