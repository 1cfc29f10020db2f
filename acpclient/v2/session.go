package v2

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"parley/acpclient"
)

// NewSessionRequest starts a session (method session/new).
type NewSessionRequest struct {
	Cwd                   string      `json:"cwd" acp:"required"`
	AdditionalDirectories []string    `json:"additionalDirectories,omitempty"`
	MCPServers            []MCPServer `json:"mcpServers,omitempty"`
	Meta                  Meta        `json:"_meta,omitempty"`
}

// NewSessionResponse is the new session.
type NewSessionResponse struct {
	SessionID         acpclient.SessionID `json:"sessionId" acp:"required"`
	ConfigOptions     []ConfigOption      `json:"configOptions,omitzero"`
	AvailableCommands []AvailableCommand  `json:"availableCommands,omitzero"`
	Meta              Meta                `json:"_meta,omitempty"`
}

// ResumeSessionRequest opens an old session (method session/resume). The agent replays
// the history if ReplayFrom is set.
type ResumeSessionRequest struct {
	SessionID             acpclient.SessionID `json:"sessionId" acp:"required"`
	Cwd                   string              `json:"cwd" acp:"required"`
	AdditionalDirectories []string            `json:"additionalDirectories,omitempty"`
	MCPServers            []MCPServer         `json:"mcpServers,omitempty"`
	ReplayFrom            *ReplayFrom         `json:"replayFrom,omitempty"`
	Meta                  Meta                `json:"_meta,omitempty"`
}

// ReplayFrom is where the replay of the history begins.
type ReplayFrom struct {
	Type string `json:"type" acp:"required"`
	Meta Meta   `json:"_meta,omitempty"`
}

// ReplayStart is the Type of ReplayFrom for the whole history.
const ReplayStart = "start"

// ResumeSessionResponse is the resumed session.
type ResumeSessionResponse struct {
	ConfigOptions     []ConfigOption     `json:"configOptions,omitzero"`
	AvailableCommands []AvailableCommand `json:"availableCommands,omitzero"`
	Meta              Meta               `json:"_meta,omitempty"`
}

// ForkSessionRequest starts a session that continues a copy of another (the proposed
// method session/fork).
type ForkSessionRequest struct {
	SessionID             acpclient.SessionID `json:"sessionId" acp:"required"`
	Cwd                   string              `json:"cwd" acp:"required"`
	AdditionalDirectories []string            `json:"additionalDirectories,omitempty"`
	MCPServers            []MCPServer         `json:"mcpServers,omitempty"`
	Meta                  Meta                `json:"_meta,omitempty"`
}

// PromptResponse says that the prompt was accepted, not that work on it has ended.
type PromptResponse struct {
	// MessageID is required, but some agents omit it.
	MessageID acpclient.MessageID `json:"messageId,omitempty"`
	Meta      Meta                `json:"_meta,omitempty"`
}

// CancelToolCallRequest cancels one tool call (method tool_call/cancel).
type CancelToolCallRequest struct {
	SessionID  acpclient.SessionID  `json:"sessionId" acp:"required"`
	ToolCallID acpclient.ToolCallID `json:"toolCallId" acp:"required"`
	Meta       Meta                 `json:"_meta,omitempty"`
}

// CancelTerminalRequest ends the command of one terminal (method terminal/cancel).
type CancelTerminalRequest struct {
	SessionID  acpclient.SessionID  `json:"sessionId" acp:"required"`
	TerminalID acpclient.TerminalID `json:"terminalId" acp:"required"`
	Meta       Meta                 `json:"_meta,omitempty"`
}

// MCPServer is an MCP server for the agent to connect to. Unlike in version 1, the type
// is required.
type MCPServer acpclient.MCPServer

func servers(all []acpclient.MCPServer) []MCPServer {
	var out []MCPServer
	for _, s := range all {
		s.Type = cmp.Or(s.Type, acpclient.MCPStdio)
		out = append(out, MCPServer(s))
	}
	return out
}

// AvailableCommand is a slash command.
type AvailableCommand struct {
	// Type is required, but some agents omit it. Treat unknown types as "command".
	Type        string                           `json:"type"`
	Name        string                           `json:"name" acp:"required"`
	Description string                           `json:"description"`
	Input       *acpclient.AvailableCommandInput `json:"input,omitempty"`
	Meta        Meta                             `json:"_meta,omitempty"`
}

func commands(all []AvailableCommand) acpclient.List[acpclient.AvailableCommand] {
	var out acpclient.List[acpclient.AvailableCommand]
	for _, c := range all {
		out = append(out, acpclient.AvailableCommand{Name: c.Name, Description: c.Description, Input: c.Input, Meta: c.Meta})
	}
	return out
}

// ConfigOption is a setting of the session.
type ConfigOption struct {
	ConfigID    acpclient.ConfigID         `json:"configId" acp:"required"`
	Name        string                     `json:"name" acp:"required"`
	Description string                     `json:"description,omitempty"`
	Category    acpclient.ConfigCategory   `json:"category,omitempty"`
	Type        acpclient.ConfigOptionType `json:"type" acp:"required"`
	// CurrentValue depends on the type.
	CurrentValue json.RawMessage `json:"currentValue,omitempty"`
	Options      json.RawMessage `json:"options,omitempty"`
	Meta         Meta            `json:"_meta,omitempty"`

	raw json.RawMessage
}

// UnmarshalJSON also keeps the JSON of the option, for unknown types.
func (o *ConfigOption) UnmarshalJSON(b []byte) error {
	type plain ConfigOption
	if err := acpclient.Unmarshal(b, (*plain)(o)); err != nil {
		return err
	}
	o.raw = bytes.Clone(b)
	return nil
}

// toV1 converts the option, renaming members that differ.
func (o *ConfigOption) toV1() (out acpclient.SessionConfigOption, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(o.raw, &fields); err != nil {
		return out, err
	}
	fields["id"] = fields["configId"]
	if o.Type == acpclient.ConfigSelect || o.Type == acpclient.ConfigBoolean {
		delete(fields, "configId")
	}
	if o.Type == acpclient.ConfigSelect {
		if fields["options"], err = v1Groups(o.Options); err != nil {
			return out, err
		}
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return out, err
	}
	return out, acpclient.Unmarshal(raw, &out)
}

// v1Groups renames the id of each group of a select.
func v1Groups(options json.RawMessage) (json.RawMessage, error) {
	var items []map[string]json.RawMessage
	if err := json.Unmarshal(options, &items); err != nil {
		return nil, fmt.Errorf("the values of a select: %w", err)
	}
	for _, item := range items {
		if id, ok := item["groupId"]; ok {
			item["group"] = id
			delete(item, "groupId")
		}
	}
	return json.Marshal(items)
}

// options converts options. It omits invalid ones, as for every list.
func options(all []ConfigOption) []acpclient.SessionConfigOption {
	if all == nil {
		return nil
	}
	out := make([]acpclient.SessionConfigOption, 0, len(all))
	for i := range all {
		if o, err := all[i].toV1(); err == nil {
			out = append(out, o)
		}
	}
	return out
}

// SetConfigOptionRequest sets an option (method session/set_config_option).
type SetConfigOptionRequest struct {
	SessionID acpclient.SessionID   `json:"sessionId" acp:"required"`
	ConfigID  acpclient.ConfigID    `json:"configId" acp:"required"`
	Type      string                `json:"type" acp:"required"`
	Value     acpclient.ConfigValue `json:"value"`
	Meta      Meta                  `json:"_meta,omitempty"`
}

// SetConfigOptionResponse has the complete state of all options.
type SetConfigOptionResponse struct {
	ConfigOptions []ConfigOption `json:"configOptions" acp:"required"`
	Meta          Meta           `json:"_meta,omitempty"`
}
