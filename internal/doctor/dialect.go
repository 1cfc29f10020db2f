package doctor

import (
	"encoding/json"

	"parley/internal/schema"
)

// dialect is a version of the protocol: what it is written down in.
type dialect struct {
	version          int
	stable, proposed func() *schema.Schema
	site             string
	// pages are those that tell of a method, and updatePages those of an update, for what
	// breaks the schema.
	pages, updatePages map[string]string
	// unadvertised are the methods that a client must have advertised, with the capability
	// and the page that says so, and unadvertisedUpdates are such updates.
	unadvertised        map[string]unadvertised
	unadvertisedUpdates map[string]string
}

// unadvertised is what the doctor does not advertise.
type unadvertised struct{ capability, page string }

const elicitationPage = "elicitation#checking-support"

var v1 = &dialect{
	version: 1, stable: schema.V1, proposed: schema.V1Unstable, site: site, pages: pagesV1, updatePages: updatePagesV1,
	unadvertised: map[string]unadvertised{
		"fs/read_text_file":      {"fs.readTextFile", "file-system#checking-support"},
		"fs/write_text_file":     {"fs.writeTextFile", "file-system#checking-support"},
		"terminal/create":        {"terminal", "terminals#checking-support"},
		"terminal/output":        {"terminal", "terminals#checking-support"},
		"terminal/release":       {"terminal", "terminals#checking-support"},
		"terminal/wait_for_exit": {"terminal", "terminals#checking-support"},
		"terminal/kill":          {"terminal", "terminals#checking-support"},
		"elicitation/create":     {"elicitation", elicitationPage},
	},
	unadvertisedUpdates: map[string]string{
		"notice": "session.notices", "compaction_update": "session.compaction", "compaction_summary_chunk": "session.compaction",
	},
}

var v2 = &dialect{
	version: 2, stable: schema.V2, proposed: schema.V2Unstable, site: siteV2, pages: pagesV2, updatePages: updatePagesV2,
	unadvertised: map[string]unadvertised{"elicitation/create": {"elicitation", elicitationPage}},
}

// dialectOf is the dialect of a version.
func dialectOf(version int) *dialect {
	if version >= v2.version {
		return v2
	}
	return v1
}

// page is where this version has a rule.
func (d *dialect) page(r *Rule) string {
	if d.version == 2 && r.PageV2 != "" || r.Page == "" {
		return r.PageV2
	}
	return r.Page
}

// pageOf is the page about a method, and about an update if it is one.
func (d *dialect) pageOf(method, update string) string {
	if page := d.updatePages[update]; page != "" {
		return d.site + page
	}
	if page := d.pages[method]; page != "" {
		return d.site + page
	}
	return d.page(ruleSchema)
}

// knows reports whether a method is one that agents may call.
func (d *dialect) knows(method string) bool {
	for _, side := range []string{"client", "protocol"} {
		if _, ok := d.proposed().Methods[schema.MethodKey{Side: side, Method: method}]; ok {
			return true
		}
	}
	return false
}

// verdict is how a value fits a type: what is wrong with it, or that it cannot be read.
type verdict struct {
	problems []*schema.Fault
	reserved bool // the problems are values that are left to versions of the protocol to come
	err      error
}

func (v verdict) fits() bool { return v.err == nil && len(v.problems) == 0 }

// hold holds a value against a type of a schema of this version.
func (d *dialect) hold(s *schema.Schema, def string, value json.RawMessage) (v verdict) {
	if v.problems, v.err = faults(s, def, value); v.fits() && d.version >= 2 {
		v.problems = s.Reserved(def, value)
		v.reserved = len(v.problems) > 0
	}
	return v
}

var pagesV1 = map[string]string{
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

var updatePagesV1 = map[string]string{
	"tool_call":                 "tool-calls#creating",
	"tool_call_update":          "tool-calls#updating",
	"plan":                      "agent-plan#creating-plans",
	"available_commands_update": "slash-commands#advertising-commands",
	"current_mode_update":       "session-modes#from-the-agent",
	"config_option_update":      "session-config-options#from-the-agent",
	"session_info_update":       "session-list#updating-session-metadata",
	"usage_update":              "prompt-turn#session-usage-updates",
}

var pagesV2 = map[string]string{
	"initialize":                 "initialization",
	"session/new":                "session-setup#creating-a-session",
	"session/resume":             "session-setup#resuming-sessions",
	"session/close":              "session-setup#closing-active-sessions",
	"session/list":               "session-list#listing-sessions",
	"session/delete":             "session-delete#deleting-a-session",
	"session/fork":               "draft/session-setup",
	"session/prompt":             "prompt-lifecycle#2-prompt-accepted",
	"session/set_config_option":  "session-config-options#from-the-client",
	"session/update":             "prompt-lifecycle#3-agent-reports-output",
	"session/request_permission": "tool-calls#requesting-permission",
	"$/cancel_request":           "cancellation",
	"elicitation/create":         "elicitation#creating-an-elicitation",
	"elicitation/complete":       "elicitation#url-completion",
}

var updatePagesV2 = map[string]string{
	"user_message":              "prompt-lifecycle#2-prompt-accepted",
	"user_message_chunk":        "prompt-lifecycle#2-prompt-accepted",
	"agent_message":             "prompt-lifecycle#message-ids",
	"agent_message_chunk":       "prompt-lifecycle#message-ids",
	"agent_thought":             "prompt-lifecycle#message-ids",
	"agent_thought_chunk":       "prompt-lifecycle#message-ids",
	"state_update":              "prompt-lifecycle#session-states",
	"tool_call_update":          "tool-calls#updating",
	"tool_call_content_chunk":   "tool-calls#streaming-content",
	"terminal_update":           "tool-calls#display-only-terminals",
	"terminal_output_chunk":     "tool-calls#display-only-terminals",
	"plan_update":               "agent-plan#creating-plans",
	"available_commands_update": "slash-commands#advertising-commands",
	"config_option_update":      "session-config-options#from-the-agent",
	"session_info_update":       "session-list#updating-session-metadata",
	"usage_update":              "prompt-lifecycle#session-usage-updates",
	"notice":                    "prompt-lifecycle#session-notices",
}
