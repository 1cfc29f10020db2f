package doctor

import "strings"

// Severity says how much a deviation matters.
type Severity string

// The severities.
const (
	// Error breaks the protocol: a client may fail at it.
	Error Severity = "error"
	// Warning breaks a recommendation, or relies on lenient clients.
	Warning Severity = "warning"
	// Note is worth knowing for the agent's author, but no deviation.
	Note Severity = "note"
)

// Rule is a requirement of the protocol.
type Rule struct {
	// ID is the rule's name in reports. It never changes.
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	// Page is the address of the page and section in version 1 of the protocol; "" if that
	// version has no such rule.
	Page string `json:"page"`
	// PageV2 is the same for version 2.
	PageV2 string `json:"pageV2,omitempty"`
	// Asks states the requirement.
	Asks string `json:"asks"`

	// order says that the rule is about the order of a response and other messages, which is
	// unknown if they come on different streams.
	order bool
}

// The addresses of the specification, by version.
const (
	site   = "https://agentclientprotocol.com/protocol/v1/"
	siteV2 = "https://agentclientprotocol.com/protocol/v2/"
)

// Rules are all rules, in the order of the protocol's pages. They must not be changed.
var Rules []*Rule

func rule(id string, s Severity, page, asks string) *Rule {
	r := &Rule{ID: id, Severity: s, Page: site + page, Asks: asks}
	Rules = append(Rules, r)
	return r
}

// ruleV2 adds a rule that only version 2 has.
func ruleV2(id string, s Severity, page, asks string) *Rule {
	r := &Rule{ID: id, Severity: s, PageV2: siteV2 + page, Asks: asks}
	Rules = append(Rules, r)
	return r
}

// v2 adds the page of version 2, which has the rule too.
func (r *Rule) v2(page string) *Rule {
	r.PageV2 = siteV2 + page
	return r
}

// ordered marks the rule as one about the order of messages.
func (r *Rule) ordered() *Rule {
	r.order = true
	return r
}

// both adds the page of the same name in version 2.
func (r *Rule) both() *Rule { return r.v2(strings.TrimPrefix(r.Page, site)) }

// Transport and JSON-RPC.
var (
	ruleNoise       = rule("stdout-noise", Error, "transports#stdio", "stdout carries only protocol messages, one per line").both()
	ruleUTF8        = rule("utf-8", Error, "transports", "Messages are UTF-8").both()
	ruleNewline     = rule("newline", Warning, "transports#stdio", "Every message, including the last, ends with a newline").both()
	ruleStderr      = rule("stderr-utf-8", Warning, "transports#stdio", "stderr is UTF-8").both()
	ruleDied        = rule("died", Error, "transports#stdio", "The agent runs until the client stops it").both()
	ruleExit        = rule("exit", Warning, "transports#stdio", "The agent exits when its stdin is closed").both()
	ruleExitCode    = rule("exit-code", Note, "transports#stdio", "The agent exits with code 0 when its stdin is closed").both()
	ruleMalformed   = rule("malformed-line", Warning, "overview#error-handling", "A malformed line does not stop the agent from responding").both()
	ruleEnvelope    = rule("envelope", Error, "overview#communication-model", "Messages are valid JSON-RPC 2.0").both()
	ruleAnswerOnce  = rule("answer-once", Error, "overview#communication-model", "Every request gets exactly one response").both()
	ruleUnasked     = rule("answer-unasked", Error, "overview#communication-model", "Every response has the id of a request").both()
	ruleIDPrecision = rule("id-precision", Note, "schema#requestid", "A response has the request's exact id, even an integer beyond 2^53, which JavaScript rounds").both()
	ruleMalformedID = rule("malformed-id", Warning, "schema#requestid", "A request whose id is neither a string nor an integer is rejected").both()
	ruleOwnID       = rule("own-id", Error, "schema#requestid", "The agent's requests have unique ids that are strings or integers").both()
	ruleNoAnswer    = rule("no-answer", Error, "overview#communication-model", "Every request gets a response").both()
	ruleNotified    = rule("notification-answered", Error, "overview#error-handling", "Notifications get no response").both()
	ruleErrorObject = rule("error-object", Error, "overview#error-handling", "An error is an object with a code and a message").both()
	ruleParams      = rule("invalid-params", Warning, "overview#error-handling", "Params without a required field are rejected with the error -32602").both()
	ruleUnknown     = rule("unknown-method", Error, "extensibility#custom-requests", "An unknown method is rejected").both()
	ruleUnknownCode = rule("unknown-method-code", Warning, "extensibility#custom-requests", "An unknown method is rejected with the error -32601, \"Method not found\"").both()
)

// Messages.
var (
	ruleSchema    = rule("schema", Error, "schema", "Messages match the protocol's schema").both()
	ruleOwnMethod = rule("method-name", Error, "extensibility#extension-methods", "Custom methods begin with an underscore").both()
	ruleProposed  = rule("proposed", Note, "draft/overview", "Proposals may change, and clients need not support them").both()
	ruleUnoffered = rule("client-capability", Error, "initialization#client-capabilities", "The agent uses only capabilities that the client advertised").both()
	rulePath      = rule("absolute-path", Error, "overview#argument-requirements", "All paths are absolute").both()
)

// Initialization and authentication.
var (
	ruleInitialize  = rule("initialize", Error, "initialization", "The response to initialize has the version and the capabilities").both()
	ruleVersion     = rule("protocol-version", Error, "initialization#version-negotiation", "Offered a version, the agent chooses it if supported, otherwise its latest").both()
	ruleEarly       = rule("before-initialize", Error, "initialization", "The agent sends nothing before it responds to initialize").both().ordered()
	ruleAgentInfo   = rule("agent-info", Warning, "initialization#implementation-information", "The agent gives its name and version").both()
	ruleAuthMethods = rule("auth-methods", Error, "authentication#advertising-authentication", "Sign-in methods have unique ids, and an agent that asks for sign-in offers one").both()
	ruleAuthTerm    = rule("auth-terminal", Error, "authentication#authentication-method-types", "Terminal sign-in is offered only to clients that support it").v2("authentication#terminal-authentication")
	ruleAdvertised  = rule("advertised-method", Error, "initialization#agent-capabilities", "Every advertised method is implemented").v2("initialization#session-capabilities")
)

// Sessions.
var (
	ruleNew           = rule("session-new", Error, "session-setup#creating-a-session", "session/new opens a session in any directory").both()
	ruleSessionID     = rule("session-id", Error, "session-setup#session-id", "Every session has a unique id").both()
	ruleUnknownUpdate = rule("unknown-session", Error, "session-setup#session-id", "Updates and requests name open sessions").both().ordered()
	ruleLoad          = rule("session-load", Error, "session-setup#loading-a-session", "A session with a turn can be loaded")
	ruleReplay        = rule("load-replay", Error, "session-setup#loading-a-session", "session/load, and session/resume from the start, replay the whole conversation").v2("session-setup#resuming-sessions")
	ruleReplayLate    = rule("load-replay-late", Error, "session-setup#loading-a-session", "The response to a replaying request follows the replay").v2("session-setup#resuming-sessions").ordered()
	ruleResume        = rule("session-resume", Error, "session-setup#resuming-a-session", "A session with a turn can be resumed").v2("session-setup#resuming-sessions")
	ruleResumeReplay  = rule("resume-replay", Error, "session-setup#resuming-a-session", "session/resume replays only on request").v2("session-setup#resuming-sessions").ordered()
	ruleClose         = rule("session-close", Error, "session-setup#closing-a-session", "An open session can be closed").v2("session-setup#closing-active-sessions")
	ruleNotThere      = rule("missing-session", Warning, "schema#errorcode", "Loading or resuming an unknown session fails").v2("error#unknown-sessions")
	ruleFork          = rule("session-fork", Warning, "draft/session-setup", "An open session can be forked, and the fork has a unique id").both()
	ruleList          = rule("session-list", Error, "session-list#listing-sessions", "session/list lists only the sessions of the requested directory").both()
	rulePages         = rule("list-pages", Error, "session-list#pagination", "Pagination ends").both()
	ruleCursor        = rule("list-cursor", Warning, "session-list#pagination", "An invalid cursor is rejected").both()
	ruleUpdatedAt     = rule("updated-at", Error, "session-list#listing-sessions", "Times are in ISO 8601 format").both()
	ruleDelete        = rule("session-delete", Error, "session-delete#deleting-a-session", "A session can be deleted").both()
	ruleDeleted       = rule("deleted-listed", Error, "session-delete#semantics", "Deleted sessions are no longer listed").both()
	ruleDeleteAgain   = rule("delete-again", Warning, "session-delete#semantics", "Deleting an unknown session succeeds").both()
)

// Modes and options.
var (
	ruleModes        = rule("modes", Error, "session-modes#initial-state", "Modes have unique ids, and the current mode is one of them")
	ruleSetMode      = rule("set-mode", Error, "session-modes#setting-the-current-mode", "Every offered mode can be set")
	ruleUnknownMode  = rule("unknown-mode", Warning, "session-modes#from-the-client", "An unknown mode is rejected")
	ruleOptions      = rule("config-options", Error, "session-config-options#default-values-and-graceful-degradation", "Options and values have unique ids, and the current value is one of them").both()
	ruleBoolean      = rule("boolean-option", Error, "session-config-options", "Boolean options are offered only to clients that support them")
	ruleSetOption    = rule("set-option", Error, "session-config-options#from-the-client", "Every offered value can be set, and the response has the new value").both()
	ruleWholeState   = rule("option-state", Error, "session-config-options#from-the-client", "The response to session/set_config_option and config_option_update have all options").both()
	ruleUnknownValue = rule("unknown-value", Warning, "session-config-options#from-the-client", "An unknown value is rejected").both()
)

// Turns.
var (
	rulePrompt       = rule("prompt", Error, "prompt-turn#4-check-for-completion", "The response to a prompt has a stop reason")
	ruleNotAsked     = rule("stop-cancelled", Error, "prompt-turn#stop-reasons", "Only a cancelled turn ends with the stop reason cancelled").v2("prompt-lifecycle#stop-reasons")
	ruleCancel       = rule("cancel", Error, "prompt-turn#cancellation", "A cancelled turn ends promptly with the stop reason cancelled and no error").v2("prompt-lifecycle#cancellation")
	ruleAfterCancel  = rule("update-after-cancel", Error, "prompt-turn#cancellation", "All updates of a cancelled turn come before its end").v2("prompt-lifecycle#cancellation").ordered()
	ruleOutside      = rule("outside-turn", Warning, "prompt-turn#3-agent-reports-output", "Messages, plans and tool calls come during a turn").ordered()
	rulePermission   = rule("permission-outside-turn", Warning, "tool-calls#requesting-permission", "Permission is requested only during a turn").ordered()
	ruleChoices      = rule("permission-options", Error, "tool-calls#permission-options", "A permission request has options with unique ids").both()
	ruleCallUnknown  = rule("tool-call-unknown", Warning, "tool-calls#updating", "A tool call is announced before updates and permission requests name it")
	ruleCallTwice    = rule("tool-call-id", Error, "tool-calls#creating", "Every tool call of a session has a unique id")
	ruleCallOpen     = rule("tool-call-open", Warning, "prompt-turn#4-check-for-completion", "A turn ends only when no tool call is pending").ordered()
	ruleCallTerminal = rule("tool-call-terminal", Error, "tool-calls#terminals", "Terminals in tool calls come from terminal/create")
)

// What only version 2 has: states of the work, and ids of messages.
var (
	ruleReserved     = ruleV2("reserved-value", Error, "extensibility#enum-and-tagged-union-variants", "Custom values begin with an underscore; all others are reserved")
	ruleAccepted     = ruleV2("prompt-accepted", Error, "prompt-lifecycle#2-prompt-accepted", "The response to a prompt has the id of its message")
	ruleAcceptedLate = ruleV2("prompt-accepted-late", Warning, "prompt-lifecycle#2-prompt-accepted", "The response to a prompt comes when it is accepted, not when work on it ends").ordered()
	ruleUserMessage  = ruleV2("user-message", Error, "prompt-lifecycle#2-prompt-accepted", "The prompt's message is sent as an update, with the id from the prompt's response")
	ruleMessageID    = ruleV2("message-id", Error, "prompt-lifecycle#message-ids", "Every message has a unique id")
	ruleRunning      = ruleV2("state-running", Error, "prompt-lifecycle#3-agent-reports-output", "The state is running before updates for a prompt come")
	ruleIdle         = ruleV2("state-idle", Error, "prompt-lifecycle#4-report-completion", "Work on a prompt ends with the state idle")
	ruleStopReason   = ruleV2("stop-reason", Warning, "prompt-lifecycle#stop-reasons", "The state idle at the end of work has a stop reason")
	ruleResumeState  = ruleV2("resume-state", Error, "session-setup#current-state-synchronization", "session/resume sends the state after the replay and before its response").ordered()
	ruleReplayFrom   = ruleV2("replay-from", Error, "session-setup#resuming-sessions", "An unknown replay position is rejected with the error -32602")
	ruleReplayID     = ruleV2("replay-id", Error, "prompt-lifecycle#2-prompt-accepted", "A replayed message keeps its id")
	ruleClosed       = ruleV2("closed-session", Error, "session-setup#closing-active-sessions", "Nothing is sent for a closed session").ordered()
)
