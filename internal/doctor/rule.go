package doctor

import "strings"

// Severity says how much a deviation matters.
type Severity string

// The severities.
const (
	// Error breaks the protocol: a client may fail at it.
	Error Severity = "error"
	// Warning is against a recommendation of the protocol, or something that only lenient
	// clients accept.
	Warning Severity = "warning"
	// Note is something that the author may want to know. It is not a deviation.
	Note Severity = "note"
)

// Rule is something that the protocol asks of an agent.
type Rule struct {
	// ID is the rule's name in reports. It never changes.
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	// Page is the address of the page and section in version 1 of the protocol; "" if that
	// version has no such rule.
	Page string `json:"page"`
	// PageV2 is the same for version 2.
	PageV2 string `json:"pageV2,omitempty"`
	// Asks is what the rule asks, in a sentence.
	Asks string `json:"asks"`

	// order says that the rule is about the order of an answer and other messages, which
	// is unknown if they come on different streams.
	order bool
}

// Where the pages of each version of the protocol are.
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

// ruleV2 is a rule that only version 2 has.
func ruleV2(id string, s Severity, page, asks string) *Rule {
	r := &Rule{ID: id, Severity: s, PageV2: siteV2 + page, Asks: asks}
	Rules = append(Rules, r)
	return r
}

// v2 says that version 2 has the rule too, and on which page.
func (r *Rule) v2(page string) *Rule {
	r.PageV2 = siteV2 + page
	return r
}

// ordered says that the rule is about the order of messages.
func (r *Rule) ordered() *Rule {
	r.order = true
	return r
}

// both says that version 2 has the rule on the page of the same name.
func (r *Rule) both() *Rule { return r.v2(strings.TrimPrefix(r.Page, site)) }

// Transport and JSON-RPC.
var (
	ruleNoise       = rule("stdout-noise", Error, "transports#stdio", "Nothing but messages of the protocol is written to stdout, one a line").both()
	ruleUTF8        = rule("utf-8", Error, "transports", "Messages are UTF-8").both()
	ruleNewline     = rule("newline", Warning, "transports#stdio", "Every message ends with a newline, the last one too").both()
	ruleStderr      = rule("stderr-utf-8", Warning, "transports#stdio", "What is written to stderr is UTF-8").both()
	ruleDied        = rule("died", Error, "transports#stdio", "The agent runs until its client ends it").both()
	ruleExit        = rule("exit", Warning, "transports#stdio", "The agent ends when its stdin is closed").both()
	ruleExitCode    = rule("exit-code", Note, "transports#stdio", "An agent whose stdin was closed ends with the exit code 0").both()
	ruleMalformed   = rule("malformed-line", Warning, "overview#error-handling", "A line that is no message does not end the agent or keep it from answering").both()
	ruleEnvelope    = rule("envelope", Error, "overview#communication-model", "Messages are those of JSON-RPC 2.0").both()
	ruleAnswerOnce  = rule("answer-once", Error, "overview#communication-model", "A request is answered once").both()
	ruleUnasked     = rule("answer-unasked", Error, "overview#communication-model", "Only requests that were sent are answered, with the id that they came with").both()
	ruleIDPrecision = rule("id-precision", Warning, "schema#requestid", "The id of an answer is exactly that of the request: a string of any length, or an integer of 64 bits").both()
	ruleMalformedID = rule("malformed-id", Warning, "schema#requestid", "A request whose id is neither a string nor an integer gets no result").both()
	ruleOwnID       = rule("own-id", Error, "schema#requestid", "The ids of the agent's own requests are strings or integers, and differ").both()
	ruleNoAnswer    = rule("no-answer", Error, "overview#communication-model", "Every request is answered").both()
	ruleNotified    = rule("notification-answered", Error, "overview#error-handling", "Notifications are never answered").v2("overview#error-handling")
	ruleErrorObject = rule("error-object", Error, "overview#error-handling", "An error is an object with a code and a message").both()
	ruleParams      = rule("invalid-params", Warning, "overview#error-handling", "Params that miss a field are refused with the error -32602").both()
	ruleUnknown     = rule("unknown-method", Error, "extensibility#custom-requests", "An unknown method is refused").both()
	ruleUnknownCode = rule("unknown-method-code", Warning, "extensibility#custom-requests", "An unknown method is refused with the error -32601, \"Method not found\"").both()
)

// Messages.
var (
	ruleSchema    = rule("schema", Error, "schema", "Messages fit the schema of the protocol").both()
	ruleOwnMethod = rule("method-name", Error, "extensibility#extension-methods", "Methods of an agent's own begin with an underscore").v2("extensibility#extension-methods")
	ruleProposed  = rule("proposed", Note, "draft/overview", "What is only proposed for the protocol may change: a client need not know it").v2("draft/overview")
	ruleUnoffered = rule("client-capability", Error, "initialization#client-capabilities", "Nothing is used that the client did not advertise").both()
	rulePath      = rule("absolute-path", Error, "overview#argument-requirements", "All paths are absolute").both()
)

// Initialization and authentication.
var (
	ruleInitialize  = rule("initialize", Error, "initialization", "initialize is answered with the version and the capabilities").both()
	ruleVersion     = rule("protocol-version", Error, "initialization#version-negotiation", "A version that the agent supports is answered with the same, another one with the latest that it supports").v2("initialization#version-negotiation")
	ruleEarly       = rule("before-initialize", Error, "initialization", "Nothing is sent before initialize is answered").both().ordered()
	ruleAgentInfo   = rule("agent-info", Warning, "initialization#implementation-information", "The agent gives its name and its version").both()
	ruleAuthMethods = rule("auth-methods", Error, "authentication#advertising-authentication", "Methods to sign in have ids that differ, and there is one where signing in is asked for").both()
	ruleAuthTerm    = rule("auth-terminal", Error, "authentication#authentication-method-types", "Signing in by terminal is offered only to clients that have one").v2("authentication#terminal-authentication")
	ruleAdvertised  = rule("advertised-method", Error, "initialization#agent-capabilities", "What is advertised is there").v2("initialization#session-capabilities")
)

// Sessions.
var (
	ruleNew           = rule("session-new", Error, "session-setup#creating-a-session", "session/new opens a session in any directory").both()
	ruleSessionID     = rule("session-id", Error, "session-setup#session-id", "Every session has an id of its own").both()
	ruleUnknownUpdate = rule("unknown-session", Error, "session-setup#session-id", "Updates and requests are about sessions that are open").both().ordered()
	ruleLoad          = rule("session-load", Error, "session-setup#loading-a-session", "A session in which there was a turn can be loaded")
	ruleReplay        = rule("load-replay", Error, "session-setup#loading-a-session", "A replay, by session/load or by session/resume from the start, has the whole conversation").v2("session-setup#resuming-sessions")
	ruleReplayLate    = rule("load-replay-late", Error, "session-setup#loading-a-session", "What replays a conversation is answered when everything was replayed").v2("session-setup#resuming-sessions").ordered()
	ruleResume        = rule("session-resume", Error, "session-setup#resuming-a-session", "A session in which there was a turn can be resumed").v2("session-setup#resuming-sessions")
	ruleResumeReplay  = rule("resume-replay", Error, "session-setup#resuming-a-session", "session/resume replays nothing unless it is asked to").v2("session-setup#resuming-sessions").ordered()
	ruleClose         = rule("session-close", Error, "session-setup#closing-a-session", "An open session can be closed").v2("session-setup#closing-active-sessions")
	ruleNotThere      = rule("missing-session", Warning, "schema#errorcode", "A session that is not there cannot be loaded or resumed").v2("error#unknown-sessions")
	ruleFork          = rule("session-fork", Warning, "draft/session-setup", "An open session can be forked, and the fork has an id of its own").v2("draft/session-setup")
	ruleList          = rule("session-list", Error, "session-list#listing-sessions", "session/list lists sessions, and only those of the directory that was asked for").both()
	rulePages         = rule("list-pages", Error, "session-list#pagination", "A list has an end").both()
	ruleCursor        = rule("list-cursor", Warning, "session-list#pagination", "An invalid cursor is refused").both()
	ruleUpdatedAt     = rule("updated-at", Error, "session-list#listing-sessions", "Times are those of ISO 8601").both()
	ruleDelete        = rule("session-delete", Error, "session-delete#deleting-a-session", "A session can be deleted").both()
	ruleDeleted       = rule("deleted-listed", Error, "session-delete#semantics", "Deleted sessions are not listed any more").both()
	ruleDeleteAgain   = rule("delete-again", Warning, "session-delete#semantics", "Deleting a session that is not there succeeds silently").both()
)

// Modes and options.
var (
	ruleModes        = rule("modes", Error, "session-modes#initial-state", "Modes have ids that differ, and the current one is among them")
	ruleSetMode      = rule("set-mode", Error, "session-modes#setting-the-current-mode", "Every mode that is offered can be set")
	ruleUnknownMode  = rule("unknown-mode", Warning, "session-modes#from-the-client", "A mode that is not offered is refused")
	ruleOptions      = rule("config-options", Error, "session-config-options#default-values-and-graceful-degradation", "Options and their values have ids that differ, and the current value is among them").both()
	ruleBoolean      = rule("boolean-option", Error, "session-config-options", "Boolean options are offered only to clients that know them")
	ruleSetOption    = rule("set-option", Error, "session-config-options#from-the-client", "Every value that is offered can be set, and the answer has the new one").both()
	ruleWholeState   = rule("option-state", Error, "session-config-options#from-the-client", "session/set_config_option is answered with all options").both()
	ruleUnknownValue = rule("unknown-value", Warning, "session-config-options#from-the-client", "A value that is not offered is refused").both()
)

// Turns.
var (
	rulePrompt       = rule("prompt", Error, "prompt-turn#4-check-for-completion", "A prompt is answered with a stop reason")
	ruleNotAsked     = rule("stop-cancelled", Error, "prompt-turn#stop-reasons", "A turn that nobody has cancelled does not end as cancelled").v2("prompt-lifecycle#stop-reasons")
	ruleCancel       = rule("cancel", Error, "prompt-turn#cancellation", "A cancelled turn ends soon, with the stop reason cancelled and no error").v2("prompt-lifecycle#cancellation")
	ruleAfterCancel  = rule("update-after-cancel", Error, "prompt-turn#cancellation", "What is still said of a cancelled turn comes before its end").v2("prompt-lifecycle#cancellation").ordered()
	ruleOutside      = rule("outside-turn", Warning, "prompt-turn#3-agent-reports-output", "Messages, plans and tool calls come while a turn runs").ordered()
	rulePermission   = rule("permission-outside-turn", Warning, "tool-calls#requesting-permission", "Permission is asked for while a turn runs").ordered()
	ruleChoices      = rule("permission-options", Error, "tool-calls#permission-options", "A question has options, and their ids differ").both()
	ruleCallUnknown  = rule("tool-call-unknown", Warning, "tool-calls#updating", "Only tool calls that were announced are updated")
	ruleCallTwice    = rule("tool-call-id", Error, "tool-calls#creating", "Every tool call of a session has an id of its own")
	ruleCallOpen     = rule("tool-call-open", Warning, "prompt-turn#4-check-for-completion", "A turn ends when no tool call is pending").ordered()
	ruleCallTerminal = rule("tool-call-terminal", Error, "tool-calls#terminals", "A terminal in a tool call was made by terminal/create")
)

// What only version 2 has: states of the work, and ids of messages.
var (
	ruleReserved     = ruleV2("reserved-value", Error, "extensibility#enum-and-tagged-union-variants", "Values of an agent's own begin with an underscore: the others are left to versions of the protocol to come")
	ruleAccepted     = ruleV2("prompt-accepted", Error, "prompt-lifecycle#2-prompt-accepted", "A prompt is accepted with the id of its message")
	ruleAcceptedLate = ruleV2("prompt-accepted-late", Warning, "prompt-lifecycle#2-prompt-accepted", "A prompt is answered when it is accepted, not when the work on it is over").ordered()
	ruleUserMessage  = ruleV2("user-message", Error, "prompt-lifecycle#2-prompt-accepted", "The message of a prompt is told of, with the id that the prompt was answered with")
	ruleMessageID    = ruleV2("message-id", Error, "prompt-lifecycle#message-ids", "Every message has an id of its own")
	ruleRunning      = ruleV2("state-running", Error, "prompt-lifecycle#3-agent-reports-output", "The state is running before work on a prompt shows")
	ruleIdle         = ruleV2("state-idle", Error, "prompt-lifecycle#4-report-completion", "Work ends with the state idle")
	ruleStopReason   = ruleV2("stop-reason", Warning, "prompt-lifecycle#stop-reasons", "The state idle that ends work has a stop reason")
	ruleResumeState  = ruleV2("resume-state", Error, "session-setup#current-state-synchronization", "The state is told before session/resume is answered, and after what is replayed").ordered()
	ruleReplayFrom   = ruleV2("replay-from", Error, "session-setup#resuming-sessions", "A place to replay from that the agent does not know is refused with the error -32602")
	ruleReplayID     = ruleV2("replay-id", Error, "prompt-lifecycle#2-prompt-accepted", "A message that is replayed keeps its id")
	ruleClosed       = ruleV2("closed-session", Error, "session-setup#closing-active-sessions", "Nothing is sent for a session that was closed").ordered()
)
