package conversation

// kinds are all kinds of events and the members of their data, the most frequent first.
// A name is never reused. A member whose name ends in "?" is left out when it is zero.
var kinds = []kind{
	updateKind,
	kindOf("text", func(e *Text) []member {
		return []member{{"chunk", (*string)(&e.Chunk)}, {"messageId?", (*string)(&e.MessageID)}, {"text", &e.Text}}
	}),
	kindOf("terminal_output", func(e *TerminalOutput) []member {
		return []member{{"id", (*string)(&e.ID)}, {"data", &e.Data}}
	}),
	kindOf("terminal_created", func(e *TerminalCreated) []member {
		return []member{{"id", &e.ID}, {"command", &e.Command}, {"cwd", &e.Cwd}}
	}),
	kindOf("terminal_exited", func(e *TerminalExited) []member {
		return []member{{"id", &e.ID}, {"status", &e.Status}}
	}),
	kindOf("shell_started", func(e *ShellStarted) []member {
		return []member{{"id", &e.ID}, {"command", &e.Command}, {"cwd", &e.Cwd}, {"lasts?", &e.Lasts}, {"at?", &e.At}}
	}),
	kindOf("file_written", func(e *FileWritten) []member {
		return []member{{"path", &e.Path}, {"before?", &e.Before}, {"after", &e.After}}
	}),
	kindOf("prompt_sent", func(e *PromptSent) []member {
		return []member{{"prompt?", &e.Prompt}, {"at?", &e.At}}
	}),
	kindOf("turn_ended", func(e *TurnEnded) []member {
		return []member{{"reason?", &e.Reason}, {"error?", &e.Err}, {"at?", &e.At}, {"usage?", &e.Usage}}
	}),
	kindOf("cancel_requested", func(e *CancelRequested) []member {
		return []member{{"at?", &e.At}}
	}),
	kindOf("queue_changed", func(e *QueueChanged) []member {
		return []member{{"queue?", &e.Queue}, {"paused?", &e.Paused}}
	}),
	kindOf("permission_opened", func(e *PermissionOpened) []member {
		return []member{{"id", &e.ID}, {"request", &e.Request}, {"at?", &e.At}, {"file?", &e.File}, {"judging?", &e.Judging}}
	}),
	kindOf("permission_referred", func(e *PermissionReferred) []member {
		return []member{{"id", &e.ID}, {"why?", &e.Why}, {"proposals?", &e.Proposals}, {"at?", &e.At}}
	}),
	kindOf("permission_closed", func(e *PermissionClosed) []member {
		return []member{{"id", &e.ID}, {"outcome", &e.Outcome}, {"at?", &e.At}, {"rule?", &e.Rule}, {"source?", &e.Source}}
	}),
	kindOf("elicitation_opened", func(e *ElicitationOpened) []member {
		return []member{{"id", &e.ID}, {"request", &e.Request}, {"at?", &e.At}}
	}),
	kindOf("elicitation_closed", func(e *ElicitationClosed) []member {
		return []member{{"id", &e.ID}, {"action", &e.Action}, {"answers?", &e.Answers}, {"at?", &e.At}}
	}),
	kindOf("elicitation_completed", func(e *ElicitationCompleted) []member {
		return []member{{"elicitationId", &e.ElicitationID}}
	}),
	kindOf("option_chosen", func(e *OptionChosen) []member {
		return []member{{"seq", &e.Seq}, {"option", &e.Option}, {"value", &e.Value}, {"at?", &e.At}}
	}),
	kindOf("option_settled", func(e *OptionSettled) []member {
		return []member{{"seq", &e.Seq}, {"option", &e.Option}, {"value", &e.Value}, {"options?", &e.Options}, {"error?", &e.Err}}
	}),
	kindOf("said", func(e *Said) []member {
		return []member{{"severity?", &e.Severity}, {"title", &e.Title}, {"detail?", &e.Detail}}
	}),
	kindOf("agent_starting", func(e *AgentStarting) []member {
		return []member{{"command", &e.Command}, {"at?", &e.At}}
	}),
	kindOf("agent_ready", func(e *AgentReady) []member {
		return []member{{"info", &e.Info}}
	}),
	kindOf("agent_lost", func(e *AgentLost) []member {
		return []member{{"error?", &e.Err}, {"stderr?", &e.Stderr}, {"at?", &e.At}}
	}),
	kindOf("session_opening", func(e *SessionOpening) []member {
		return []member{{"how", &e.How}, {"id?", &e.ID}, {"clear?", &e.Clear}}
	}),
	kindOf("session_opened", func(e *SessionOpened) []member {
		return []member{{"id", &e.ID}, {"cwd", &e.Cwd}, {"state?", &e.State}}
	}),
	kindOf("session_failed", func(e *SessionFailed) []member {
		return []member{{"error", &e.Err}}
	}),
	kindOf("auth_required", func(e *AuthRequired) []member {
		return []member{{"message?", &e.Message}, {"error?", &e.Err}}
	}),
	kindOf("auth_done", func(e *AuthDone) []member {
		return []member{{"method?", &e.Method}, {"error?", &e.Err}}
	}),
}
