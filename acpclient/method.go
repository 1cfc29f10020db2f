package acpclient

// The requests that a client sends to an agent, by Call or Go.
var (
	Initialize             = Method[InitializeRequest, InitializeResponse]{"initialize"}
	Authenticate           = Method[AuthenticateRequest, AuthenticateResponse]{"authenticate"}
	Logout                 = Method[LogoutRequest, LogoutResponse]{"logout"}
	SessionNew             = Method[NewSessionRequest, NewSessionResponse]{"session/new"}
	SessionLoad            = Method[LoadSessionRequest, LoadSessionResponse]{"session/load"}
	SessionResume          = Method[ResumeSessionRequest, ResumeSessionResponse]{"session/resume"}
	SessionList            = Method[ListSessionsRequest, ListSessionsResponse]{"session/list"}
	SessionDelete          = Method[DeleteSessionRequest, DeleteSessionResponse]{"session/delete"}
	SessionClose           = Method[CloseSessionRequest, CloseSessionResponse]{"session/close"}
	SessionPrompt          = Method[PromptRequest, PromptResponse]{"session/prompt"}
	SessionSetMode         = Method[SetSessionModeRequest, SetSessionModeResponse]{"session/set_mode"}
	SessionSetConfigOption = Method[SetSessionConfigOptionRequest, SetSessionConfigOptionResponse]{"session/set_config_option"}

	// Unstable additions that some agents have.
	SessionFork     = Method[ForkSessionRequest, ForkSessionResponse]{"session/fork"}
	SessionSetTitle = Method[SetSessionTitleRequest, SetSessionTitleResponse]{"session/set_title"}
	SessionSetModel = Method[SetSessionModelRequest, SetSessionModelResponse]{"session/set_model"}
)

// The requests that an agent sends to a client. Handler has a method for each.
var (
	SessionRequestPermission = Method[RequestPermissionRequest, RequestPermissionResponse]{"session/request_permission"}
	FSReadTextFile           = Method[ReadTextFileRequest, ReadTextFileResponse]{"fs/read_text_file"}
	FSWriteTextFile          = Method[WriteTextFileRequest, WriteTextFileResponse]{"fs/write_text_file"}
	TerminalCreate           = Method[CreateTerminalRequest, CreateTerminalResponse]{"terminal/create"}
	TerminalOutput           = Method[TerminalOutputRequest, TerminalOutputResponse]{"terminal/output"}
	TerminalWaitForExit      = Method[WaitForTerminalExitRequest, WaitForTerminalExitResponse]{"terminal/wait_for_exit"}
	TerminalKill             = Method[KillTerminalRequest, KillTerminalResponse]{"terminal/kill"}
	TerminalRelease          = Method[ReleaseTerminalRequest, ReleaseTerminalResponse]{"terminal/release"}
	ElicitationCreate        = Method[CreateElicitationRequest, CreateElicitationResponse]{"elicitation/create"}
)

// The notifications of the protocol.
var (
	SessionCancel             = Notification[CancelNotification]{"session/cancel"}
	SessionUpdateNotification = Notification[SessionNotification]{"session/update"}
	ElicitationComplete       = Notification[CompleteElicitationNotification]{"elicitation/complete"}
)
