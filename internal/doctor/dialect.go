package doctor

import (
	"encoding/json"

	"parley/acpclient"
	"parley/internal/schema"
)

// dialect is a version of the protocol, as far as it matters to the exam.
type dialect struct {
	version          int
	stable, proposed func() *schema.Schema
	site             string // the address of the specification

	// unadvertised are the methods and updates that the agent may not use, because the doctor
	// does not advertise their capability.
	unadvertised map[string]unadvertised

	// info and capabilities name the fields of the response to initialize.
	info, capabilities string
	// always are the methods of every agent, and offers those that an agent advertises.
	always []string
	offers []offer
	// login and logout are the methods to sign in and out.
	login, logout string

	setOption map[string]any // more params of session/set_config_option
	reopen    []reopening    // the ways to reopen a session

	conversation []string // the updates that belong to the conversation
	// states says that the response to a prompt only accepts it, and that its work ends with
	// the state idle.
	states bool
	// refusalCancels says that a turn may end as cancelled because permission was refused.
	refusalCancels bool
	// cancelCode is the error with which a cancelled prompt may be answered.
	cancelCode acpclient.ErrorCode
}

// unadvertised is a capability that the doctor does not advertise, and its page.
type unadvertised struct{ capability, page string }

// offer is the path of a capability, with the methods that it implies.
type offer struct {
	capability string
	methods    []string
}

// reopening is a way to reopen a session.
type reopening struct {
	name, method string
	from         string // the replay position, or "" if the method has none
	replays      bool
	broken       *Rule // broken if it fails
}

// moreDirectories stands for the parameter additionalDirectories among the methods.
const moreDirectories = "additionalDirectories"

const clientCapabilities = "initialization#client-capabilities"

var (
	files       = unadvertised{"fs", "file-system#checking-support"}
	terminals   = unadvertised{"terminal", "terminals#checking-support"}
	elicitation = unadvertised{"elicitation", "elicitation#checking-support"}
)

var v1 = &dialect{
	version: 1, stable: schema.V1, proposed: schema.V1Unstable, site: site,
	unadvertised: map[string]unadvertised{
		"fs/read_text_file":        {files.capability + ".readTextFile", files.page},
		"fs/write_text_file":       {files.capability + ".writeTextFile", files.page},
		"terminal/create":          terminals,
		"terminal/output":          terminals,
		"terminal/release":         terminals,
		"terminal/wait_for_exit":   terminals,
		"terminal/kill":            terminals,
		"elicitation/create":       elicitation,
		"notice":                   {"session.notices", clientCapabilities},
		"compaction_update":        {"session.compaction", clientCapabilities},
		"compaction_summary_chunk": {"session.compaction", clientCapabilities},
	},
	info: "agentInfo", capabilities: "agentCapabilities", always: []string{"session/new"},
	offers: []offer{
		{"loadSession", []string{"session/load"}},
		{"sessionCapabilities.list", []string{"session/list"}},
		{"sessionCapabilities.resume", []string{"session/resume"}},
		{"sessionCapabilities.close", []string{"session/close"}},
		{"sessionCapabilities.delete", []string{"session/delete"}},
		{"sessionCapabilities.fork", []string{"session/fork"}},
		{"sessionCapabilities.additionalDirectories", []string{moreDirectories}},
		{"promptCapabilities.image", nil},
		{"promptCapabilities.audio", nil},
		{"promptCapabilities.embeddedContext", nil},
		{"mcpCapabilities.http", nil},
		{"mcpCapabilities.sse", nil},
		{"auth.logout", []string{"logout"}},
	},
	login: "authenticate", logout: "logout",
	reopen: []reopening{
		{name: "session/load", method: "session/load", replays: true, broken: ruleLoad},
		{name: "session/resume", method: "session/resume", broken: ruleResume},
	},
	conversation: []string{"user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan"},
}

var v2 = &dialect{
	version: 2, stable: schema.V2, proposed: schema.V2Unstable, site: siteV2,
	unadvertised: map[string]unadvertised{"elicitation/create": elicitation},
	info:         "info", capabilities: "capabilities", always: []string{"auth/logout"},
	offers: []offer{
		{"session", []string{"session/new", "session/list", "session/resume", "session/close"}},
		{"session.delete", []string{"session/delete"}},
		{"session.fork", []string{"session/fork"}},
		{"session.additionalDirectories", []string{moreDirectories}},
		{"session.prompt.image", nil},
		{"session.prompt.audio", nil},
		{"session.prompt.embeddedContext", nil},
		{"session.mcp.stdio", nil},
		{"session.mcp.http", nil},
	},
	login: "auth/login", logout: "auth/logout",
	setOption: map[string]any{"type": "id"},
	reopen: []reopening{
		{name: "session/resume", method: "session/resume", broken: ruleResume},
		{name: "session/resume from the start", method: "session/resume", from: "start", replays: true, broken: ruleResume},
	},
	conversation: []string{
		"user_message", "user_message_chunk", "agent_message", "agent_message_chunk", "agent_thought", "agent_thought_chunk",
		"tool_call_update", "tool_call_content_chunk", "plan_update",
	},
	states: true, refusalCancels: true, cancelCode: acpclient.CodeRequestCancelled,
}

// dialectOf returns the dialect of a version.
func dialectOf(version int) *dialect {
	if version >= v2.version {
		return v2
	}
	return v1
}

// page returns the address of a rule in this version, or "" if the version lacks it.
func (d *dialect) page(r *Rule) string {
	if d == v2 {
		return r.PageV2
	}
	return r.Page
}

// pageOf returns the page about an update or, without one, about a method.
func (d *dialect) pageOf(method, update string) string {
	for _, what := range []string{update, method} {
		page := pages[what][0]
		if d == v2 {
			page = pages[what][1]
		}
		if page != "" {
			return d.site + page
		}
	}
	return d.page(ruleSchema)
}

// knows reports whether a method is one that agents may call.
func (d *dialect) knows(method string) bool {
	_, known := d.proposed().Types(schema.Client, method)
	return known
}

// validate checks a value against a definition of a schema, and returns the faults with
// the rule that they break.
func (d *dialect) validate(s *schema.Schema, def string, value json.RawMessage) ([]*schema.Fault, *Rule) {
	if wrong := s.Faults(def, value); len(wrong) > 0 || d.page(ruleReserved) == "" {
		return wrong, ruleSchema
	}
	return s.Reserved(def, value), ruleReserved
}

// pages are the pages about methods and updates, in version 1 and version 2.
var pages = map[string][2]string{
	"initialize":                 {"initialization", "initialization"},
	"authenticate":               {"authentication#protocol-driven-authentication", ""},
	"session/new":                {"session-setup#creating-a-session", "session-setup#creating-a-session"},
	"session/load":               {"session-setup#loading-a-session", ""},
	"session/resume":             {"session-setup#resuming-a-session", "session-setup#resuming-sessions"},
	"session/close":              {"session-setup#closing-a-session", "session-setup#closing-active-sessions"},
	"session/list":               {"session-list#listing-sessions", "session-list#listing-sessions"},
	"session/delete":             {"session-delete#deleting-a-session", "session-delete#deleting-a-session"},
	"session/fork":               {"draft/session-setup", "draft/session-setup"},
	"session/prompt":             {"prompt-turn#4-check-for-completion", "prompt-lifecycle#2-prompt-accepted"},
	"session/set_mode":           {"session-modes#from-the-client", ""},
	"session/set_config_option":  {"session-config-options#from-the-client", "session-config-options#from-the-client"},
	"session/update":             {"prompt-turn#3-agent-reports-output", "prompt-lifecycle#3-agent-reports-output"},
	"session/request_permission": {"tool-calls#requesting-permission", "tool-calls#requesting-permission"},
	"$/cancel_request":           {"cancellation", "cancellation"},
	"fs/read_text_file":          {"file-system#reading-files", ""},
	"fs/write_text_file":         {"file-system#writing-files", ""},
	"terminal/create":            {"terminals#executing-commands", ""},
	"terminal/output":            {"terminals#getting-output", ""},
	"terminal/wait_for_exit":     {"terminals#waiting-for-exit", ""},
	"terminal/kill":              {"terminals#killing-commands", ""},
	"terminal/release":           {"terminals#releasing-terminals", ""},
	"elicitation/create":         {"elicitation#creating-an-elicitation", "elicitation#creating-an-elicitation"},
	"elicitation/complete":       {"elicitation#url-completion", "elicitation#url-completion"},
	"user_message":               {"", "prompt-lifecycle#2-prompt-accepted"},
	"user_message_chunk":         {"", "prompt-lifecycle#2-prompt-accepted"},
	"agent_message":              {"", "prompt-lifecycle#message-ids"},
	"agent_message_chunk":        {"", "prompt-lifecycle#message-ids"},
	"agent_thought":              {"", "prompt-lifecycle#message-ids"},
	"agent_thought_chunk":        {"", "prompt-lifecycle#message-ids"},
	"state_update":               {"", "prompt-lifecycle#session-states"},
	"tool_call":                  {"tool-calls#creating", ""},
	"tool_call_update":           {"tool-calls#updating", "tool-calls#updating"},
	"tool_call_content_chunk":    {"", "tool-calls#streaming-content"},
	"terminal_update":            {"", "tool-calls#display-only-terminals"},
	"terminal_output_chunk":      {"", "tool-calls#display-only-terminals"},
	"plan":                       {"agent-plan#creating-plans", ""},
	"plan_update":                {"", "agent-plan#creating-plans"},
	"available_commands_update":  {"slash-commands#advertising-commands", "slash-commands#advertising-commands"},
	"current_mode_update":        {"session-modes#from-the-agent", ""},
	"config_option_update":       {"session-config-options#from-the-agent", "session-config-options#from-the-agent"},
	"session_info_update":        {"session-list#updating-session-metadata", "session-list#updating-session-metadata"},
	"usage_update":               {"prompt-turn#session-usage-updates", "prompt-lifecycle#session-usage-updates"},
	"notice":                     {"", "prompt-lifecycle#session-notices"},
}
