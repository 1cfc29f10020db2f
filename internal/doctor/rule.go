package doctor

// Severity says how much a deviation matters.
type Severity string

// The severities.
const (
	// Error is for what breaks the protocol: a client may fail at it.
	Error Severity = "error"
	// Warning is for what the protocol asks for without insisting, and for what clients
	// take only because they are lenient.
	Warning Severity = "warning"
	// Note is for what its author may want to know. It is no deviation.
	Note Severity = "note"
)

// Rule is something that the protocol asks of an agent.
type Rule struct {
	// ID is the rule's name in reports. It stays the same from version to version.
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	// Page is the address of the page, and of the section on it, that says so.
	Page string `json:"page"`
	// Asks is what the rule asks, in a sentence.
	Asks string `json:"asks"`
}

// site is where the pages of the protocol are.
const site = "https://agentclientprotocol.com/protocol/v1/"

// Rules are all rules that agents are held against, in the order of the protocol's
// pages. They must not be changed.
var Rules []*Rule

func rule(id string, s Severity, page, asks string) *Rule {
	r := &Rule{ID: id, Severity: s, Page: site + page, Asks: asks}
	Rules = append(Rules, r)
	return r
}

// What crosses the pipe.
var (
	ruleNoise       = rule("stdout-noise", Error, "transports#stdio", "Nothing but messages of the protocol is written to stdout, one a line")
	ruleUTF8        = rule("utf-8", Error, "transports", "Messages are UTF-8")
	ruleNewline     = rule("newline", Warning, "transports#stdio", "Every message ends with a newline, the last one too")
	ruleStderr      = rule("stderr-utf-8", Warning, "transports#stdio", "What is written to stderr is UTF-8")
	ruleDied        = rule("died", Error, "transports#stdio", "The agent runs until its client ends it")
	ruleExit        = rule("exit", Warning, "transports#stdio", "The agent ends when its stdin is closed")
	ruleExitCode    = rule("exit-code", Note, "transports#stdio", "An agent whose stdin was closed ends with the exit code 0")
	ruleMalformed   = rule("malformed-line", Warning, "overview#error-handling", "A line that is no message does not end the agent or keep it from answering")
	ruleEnvelope    = rule("envelope", Error, "overview#communication-model", "Messages are those of JSON-RPC 2.0")
	ruleAnswerOnce  = rule("answer-once", Error, "overview#communication-model", "A request is answered once")
	ruleUnasked     = rule("answer-unasked", Error, "overview#communication-model", "Only requests that were sent are answered, with the id that they came with")
	ruleIDPrecision = rule("id-precision", Warning, "schema#requestid", "The id of an answer is exactly that of the request: a string of any length, or an integer of 64 bits")
	ruleMalformedID = rule("malformed-id", Warning, "schema#requestid", "A request whose id is neither a string nor an integer gets no result")
	ruleOwnID       = rule("own-id", Error, "schema#requestid", "The ids of the agent's own requests are strings or integers, and differ")
	ruleNoAnswer    = rule("no-answer", Error, "overview#communication-model", "Every request is answered")
	ruleNotified    = rule("notification-answered", Error, "overview#error-handling", "Notifications are never answered")
	ruleErrorObject = rule("error-object", Error, "overview#error-handling", "An error is an object with a code and a message")
	ruleParams      = rule("invalid-params", Warning, "overview#error-handling", "Params that miss a field are refused with the error -32602")
	ruleUnknown     = rule("unknown-method", Error, "extensibility#custom-requests", "An unknown method is refused")
	ruleUnknownCode = rule("unknown-method-code", Warning, "extensibility#custom-requests", "An unknown method is refused with the error -32601, \"Method not found\"")
)

// What every message must be.
var (
	ruleSchema    = rule("schema", Error, "schema", "Messages fit the schema of the protocol")
	ruleOwnMethod = rule("method-name", Error, "extensibility#extension-methods", "Methods of an agent's own begin with an underscore")
	ruleProposed  = rule("proposed", Note, "draft/overview", "What is only proposed for the protocol may change: a client need not know it")
	ruleUnoffered = rule("client-capability", Error, "initialization#client-capabilities", "Nothing is used that the client did not advertise")
	rulePath      = rule("absolute-path", Error, "overview#argument-requirements", "All paths are absolute")
)

// Initialization and authentication.
var (
	ruleInitialize  = rule("initialize", Error, "initialization", "initialize is answered with the version and the capabilities")
	ruleVersion     = rule("protocol-version", Error, "initialization#version-negotiation", "A version that the agent supports is answered with the same, another one with the latest that it supports")
	ruleEarly       = rule("before-initialize", Error, "initialization", "Nothing is sent before initialize is answered")
	ruleAgentInfo   = rule("agent-info", Warning, "initialization#implementation-information", "The agent gives its name and its version")
	ruleAuthMethods = rule("auth-methods", Error, "authentication#advertising-authentication", "Methods to sign in have ids that differ, and there is one where signing in is asked for")
	ruleAuthTerm    = rule("auth-terminal", Error, "authentication#authentication-method-types", "Signing in by terminal is offered only to clients that have one")
	ruleAdvertised  = rule("advertised-method", Error, "initialization#agent-capabilities", "What is advertised is there")
)

// Sessions.
var (
	ruleNew           = rule("session-new", Error, "session-setup#creating-a-session", "session/new opens a session in any directory")
	ruleSessionID     = rule("session-id", Error, "session-setup#session-id", "Every session has an id of its own")
	ruleUnknownUpdate = rule("unknown-session", Error, "session-setup#session-id", "Updates and requests are about sessions that are open")
	ruleLoad          = rule("session-load", Error, "session-setup#loading-a-session", "A session in which there was a turn can be loaded")
	ruleReplay        = rule("load-replay", Error, "session-setup#loading-a-session", "session/load replays the whole conversation")
	ruleReplayLate    = rule("load-replay-late", Error, "session-setup#loading-a-session", "session/load is answered when everything was replayed")
	ruleResume        = rule("session-resume", Error, "session-setup#resuming-a-session", "A session in which there was a turn can be resumed")
	ruleResumeReplay  = rule("resume-replay", Error, "session-setup#resuming-a-session", "session/resume replays nothing")
	ruleClose         = rule("session-close", Error, "session-setup#closing-a-session", "An open session can be closed")
	ruleNotThere      = rule("missing-session", Warning, "schema#errorcode", "A session that is not there cannot be loaded or resumed")
	ruleFork          = rule("session-fork", Warning, "draft/session-setup", "An open session can be forked, and the fork has an id of its own")
	ruleList          = rule("session-list", Error, "session-list#listing-sessions", "session/list lists sessions, and only those of the directory that was asked for")
	rulePages         = rule("list-pages", Error, "session-list#pagination", "A list has an end")
	ruleCursor        = rule("list-cursor", Warning, "session-list#pagination", "An invalid cursor is refused")
	ruleUpdatedAt     = rule("updated-at", Error, "session-list#listing-sessions", "Times are those of ISO 8601")
	ruleDelete        = rule("session-delete", Error, "session-delete#deleting-a-session", "A session can be deleted")
	ruleDeleted       = rule("deleted-listed", Error, "session-delete#semantics", "Deleted sessions are not listed any more")
	ruleDeleteAgain   = rule("delete-again", Warning, "session-delete#semantics", "Deleting a session that is not there succeeds silently")
)

// Modes and options.
var (
	ruleModes        = rule("modes", Error, "session-modes#initial-state", "Modes have ids that differ, and the current one is among them")
	ruleSetMode      = rule("set-mode", Error, "session-modes#setting-the-current-mode", "Every mode that is offered can be set")
	ruleUnknownMode  = rule("unknown-mode", Warning, "session-modes#from-the-client", "A mode that is not offered is refused")
	ruleOptions      = rule("config-options", Error, "session-config-options#default-values-and-graceful-degradation", "Options and their values have ids that differ, and the current value is among them")
	ruleBoolean      = rule("boolean-option", Error, "session-config-options", "Boolean options are offered only to clients that know them")
	ruleSetOption    = rule("set-option", Error, "session-config-options#from-the-client", "Every value that is offered can be set, and the answer has the new one")
	ruleWholeState   = rule("option-state", Error, "session-config-options#from-the-client", "session/set_config_option is answered with all options")
	ruleUnknownValue = rule("unknown-value", Warning, "session-config-options#from-the-client", "A value that is not offered is refused")
)

// Turns.
var (
	rulePrompt       = rule("prompt", Error, "prompt-turn#4-check-for-completion", "A prompt is answered with a stop reason")
	ruleNotAsked     = rule("stop-cancelled", Error, "prompt-turn#stop-reasons", "A turn that nobody has cancelled does not end as cancelled")
	ruleCancel       = rule("cancel", Error, "prompt-turn#cancellation", "A cancelled turn ends soon, with the stop reason cancelled and no error")
	ruleAfterCancel  = rule("update-after-cancel", Error, "prompt-turn#cancellation", "What is still said of a cancelled turn comes before its end")
	ruleOutside      = rule("outside-turn", Warning, "prompt-turn#3-agent-reports-output", "Messages, plans and tool calls come while a turn runs")
	rulePermission   = rule("permission-outside-turn", Warning, "tool-calls#requesting-permission", "Permission is asked for while a turn runs")
	ruleChoices      = rule("permission-options", Error, "tool-calls#permission-options", "A question has options, and their ids differ")
	ruleCallUnknown  = rule("tool-call-unknown", Warning, "tool-calls#updating", "Only tool calls that were announced are updated")
	ruleCallTwice    = rule("tool-call-id", Error, "tool-calls#creating", "Every tool call of a session has an id of its own")
	ruleCallOpen     = rule("tool-call-open", Warning, "prompt-turn#4-check-for-completion", "A turn ends when no tool call is pending")
	ruleCallTerminal = rule("tool-call-terminal", Error, "tool-calls#terminals", "A terminal in a tool call was made by terminal/create")
)

// pages are those that tell of a method, for what breaks the schema.
var pages = map[string]string{
	"initialize":                 "initialization",
	"authenticate":               "authentication#protocol-driven-authentication",
	"session/new":                "session-setup#creating-a-session",
	"session/load":               "session-setup#loading-a-session",
	"session/resume":             "session-setup#resuming-a-session",
	"session/close":              "session-setup#closing-a-session",
	"session/list":               "session-list#listing-sessions",
	"session/delete":             "session-delete#deleting-a-session",
	"session/fork":               "draft/session-setup",
	"session/prompt":             "prompt-turn#4-check-for-completion",
	"session/set_mode":           "session-modes#from-the-client",
	"session/set_config_option":  "session-config-options#from-the-client",
	"session/update":             "prompt-turn#3-agent-reports-output",
	"session/request_permission": "tool-calls#requesting-permission",
	"$/cancel_request":           "cancellation",
	"fs/read_text_file":          "file-system#reading-files",
	"fs/write_text_file":         "file-system#writing-files",
	"terminal/create":            "terminals#executing-commands",
	"terminal/output":            "terminals#getting-output",
	"terminal/wait_for_exit":     "terminals#waiting-for-exit",
	"terminal/kill":              "terminals#killing-commands",
	"terminal/release":           "terminals#releasing-terminals",
	"elicitation/create":         "elicitation#creating-an-elicitation",
	"elicitation/complete":       "elicitation#url-completion",
}

// updatePages are those that tell of an update.
var updatePages = map[string]string{
	"tool_call":                 "tool-calls#creating",
	"tool_call_update":          "tool-calls#updating",
	"plan":                      "agent-plan#creating-plans",
	"available_commands_update": "slash-commands#advertising-commands",
	"current_mode_update":       "session-modes#from-the-agent",
	"config_option_update":      "session-config-options#from-the-agent",
	"session_info_update":       "session-list#updating-session-metadata",
	"usage_update":              "prompt-turn#session-usage-updates",
}

// pageOf is the page about a method, and about an update if it is one.
func pageOf(method, update string) string {
	if page := updatePages[update]; page != "" {
		return site + page
	}
	if page := pages[method]; page != "" {
		return site + page
	}
	return ruleSchema.Page
}
