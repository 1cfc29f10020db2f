package v2

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/schema"
)

// methods are all methods of the schema, and what is done with each.
var methods = map[schema.MethodKey]string{
	{Side: "agent", Method: Initialize.Name}:             "Negotiate",
	{Side: "agent", Method: AuthLogin.Name}:              "Client.Request",
	{Side: "agent", Method: AuthLogout.Name}:             "Client.Logout",
	{Side: "agent", Method: SessionNew.Name}:             "Client.Request",
	{Side: "agent", Method: SessionResume.Name}:          "Client.Request",
	{Side: "agent", Method: SessionList.Name}:            "Client.ListSessions",
	{Side: "agent", Method: SessionDelete.Name}:          "Client.DeleteSession",
	{Side: "agent", Method: SessionClose.Name}:           "Client.Request",
	{Side: "agent", Method: SessionPrompt.Name}:          "Client.Request",
	{Side: "agent", Method: SessionCancel.Name}:          "Client.Cancel",
	{Side: "agent", Method: SessionSetConfigOption.Name}: "Client.Request",
	{Side: "agent", Method: ToolCallCancel.Name}:         "Client.CancelToolCall",
	{Side: "agent", Method: TerminalCancel.Name}:         "Client.CancelTerminal",

	{Side: "client", Method: SessionRequestPermission.Name}: "receiver",
	{Side: "client", Method: ElicitationCreate.Name}:        "receiver",
	{Side: "client", Method: SessionUpdate.Name}:            "receiver",
	{Side: "client", Method: ElicitationComplete.Name}:      "receiver",

	{Side: "protocol", Method: acpclient.CancelRequest.Name}: "acpclient.Conn",
}

// proposedMethods are the additions that are used where an agent advertises them.
// All others are not.
var proposedMethods = []string{SessionFork.Name, SessionSetTitle.Name}

func TestEveryMethodIsUsed(t *testing.T) {
	for key := range schema.V2().Methods {
		if methods[key] == "" {
			t.Errorf("nothing is done with %v", key)
		}
	}
	for key := range methods {
		if _, ok := schema.V2().Methods[key]; !ok {
			t.Errorf("the schema has no %v", key)
		}
	}
	for _, method := range proposedMethods {
		if _, ok := schema.V2Unstable().Methods[schema.MethodKey{Side: "agent", Method: method}]; !ok {
			t.Errorf("the schema has no %v", method)
		}
	}
}

// unclaimedUpdates are the proposed updates that are shown as they are.
var unclaimedUpdates = []string{"session_message", "session_message_chunk"}

func TestEveryUpdateIsKnown(t *testing.T) {
	known := map[string]bool{}
	for _, s := range []*schema.Schema{schema.V2(), schema.V2Unstable()} {
		kinds := s.Kinds("SessionUpdate", "sessionUpdate")
		if len(kinds) < 19 {
			t.Errorf("the schema has only the updates %q", kinds)
		}
		for _, kind := range kinds {
			known[kind] = true
			if !updateKinds[kind] && !slices.Contains(unclaimedUpdates, kind) {
				t.Errorf("nothing is done with the update %s", kind)
			}
		}
	}
	for kind := range updateKinds {
		if !known[kind] {
			t.Errorf("the schema has no update %s", kind)
		}
	}
}

// definitions are the `$defs` of a schema.
func definitions(t *testing.T, s *schema.Schema) map[string]map[string]any {
	t.Helper()
	var doc struct {
		Defs map[string]map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(s.Raw, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Defs
}

// types are the Go types of the schema's objects, by the name in the schema: of this
// package where the versions differ, else acpclient's.
var types = map[string]any{
	"InitializeRequest": InitializeRequest{}, "InitializeResponse": InitializeResponse{},
	"ClientCapabilities": ClientCapabilities{}, "ClientAuthCapabilities": ClientAuthCapabilities{},
	"AgentCapabilities": AgentCapabilities{}, "SessionCapabilities": SessionCapabilities{},
	"PromptCapabilities": PromptCapabilities{}, "McpCapabilities": MCPCapabilities{},
	"AuthMethodTerminal": AuthMethod{}, "AuthMethodAgent": AuthMethod{}, "Implementation": acpclient.Implementation{},
	"LoginAuthRequest": acpclient.AuthenticateRequest{}, "LogoutAuthRequest": acpclient.LogoutRequest{},
	"NewSessionRequest": NewSessionRequest{}, "NewSessionResponse": NewSessionResponse{},
	"ResumeSessionRequest": ResumeSessionRequest{}, "ResumeSessionResponse": ResumeSessionResponse{}, "ReplayFromStart": ReplayFrom{},
	"ListSessionsRequest": acpclient.ListSessionsRequest{}, "ListSessionsResponse": acpclient.ListSessionsResponse{}, "SessionInfo": acpclient.SessionInfo{},
	"DeleteSessionRequest": acpclient.DeleteSessionRequest{}, "CloseSessionRequest": acpclient.CloseSessionRequest{},
	"PromptRequest": acpclient.PromptRequest{}, "PromptResponse": PromptResponse{}, "CancelSessionNotification": acpclient.CancelNotification{},
	"CancelToolCallRequest": CancelToolCallRequest{}, "CancelTerminalRequest": CancelTerminalRequest{},
	"SetSessionConfigOptionRequest": SetConfigOptionRequest{}, "SetSessionConfigOptionResponse": SetConfigOptionResponse{},
	"SessionConfigOption": ConfigOption{}, "SessionConfigSelect": ConfigOption{}, "SessionConfigBoolean": ConfigOption{},
	"SessionConfigSelectOption": acpclient.ConfigSelectOption{}, "Command": AvailableCommand{}, "TextCommandInput": acpclient.AvailableCommandInput{},
	"McpServerHttp": MCPServer{}, "McpServerStdio": MCPServer{}, "EnvVariable": acpclient.EnvVariable{}, "HttpHeader": acpclient.HTTPHeader{},
	"UpdateSessionNotification": UpdateNotification{}, "ContentChunk": acpclient.ContentChunk{},
	"UserMessage": acpclient.MessageUpdate{}, "AgentMessage": acpclient.MessageUpdate{}, "AgentThought": acpclient.MessageUpdate{},
	"RunningStateUpdate": acpclient.StateUpdate{}, "IdleStateUpdate": acpclient.StateUpdate{}, "RequiresActionStateUpdate": acpclient.StateUpdate{},
	"ErrorStopReason": acpclient.StateUpdate{}, "BackgroundTerminal": acpclient.BackgroundWork{}, "BackgroundToolCall": acpclient.BackgroundWork{},
	"ToolCallUpdate": ToolCallUpdate{}, "ToolCallContentChunk": ToolCallContentChunk{}, "ToolCallCapabilities": acpclient.CancelCapabilities{},
	"ToolCallLocation": acpclient.ToolCallLocation{}, "Content": acpclient.ToolCallContent{}, "Terminal": acpclient.ToolCallContent{},
	"Diff": Diff{}, "DiffPatch": DiffPatch{}, "DiffChange": DiffChange{}, "DiffPathChange": DiffChange{}, "DiffPathPairChange": DiffChange{},
	"TerminalUpdate": acpclient.TerminalUpdate{}, "TerminalOutputChunk": acpclient.TerminalOutputChunk{}, "TerminalOutput": acpclient.TerminalSnapshot{},
	"TerminalSize": acpclient.TerminalSize{}, "TerminalExitStatus": acpclient.TerminalExitStatus{}, "TerminalCapabilities": acpclient.CancelCapabilities{},
	"PlanUpdate": acpclient.PlanUpdate{}, "PlanItems": acpclient.PlanUpdateContent{}, "PlanEntry": acpclient.PlanEntry{},
	"AvailableCommandsUpdate": acpclient.AvailableCommandsUpdate{}, "ConfigOptionUpdate": ConfigOptionUpdate{},
	"SessionInfoUpdate": acpclient.SessionInfoUpdate{}, "UsageUpdate": acpclient.UsageUpdate{}, "Cost": acpclient.Cost{}, "Notice": acpclient.Notice{},
	"CompactionUpdate": acpclient.CompactionUpdate{}, "CompactionSummaryChunk": acpclient.CompactionSummaryChunk{},
	"RequestPermissionRequest": RequestPermissionRequest{}, "RequestPermissionResponse": acpclient.RequestPermissionResponse{},
	"ToolCallPermissionSubject": ToolCallSubject{}, "CommandPermissionSubject": CommandSubject{}, "PermissionOption": acpclient.PermissionOption{},
	"CreateElicitationRequest": acpclient.CreateElicitationRequest{}, "CreateElicitationResponse": acpclient.CreateElicitationResponse{},
	"ElicitationSessionScope": acpclient.CreateElicitationRequest{}, "ElicitationRequestScope": acpclient.CreateElicitationRequest{},
	"ElicitationFormMode": acpclient.CreateElicitationRequest{}, "ElicitationUrlMode": acpclient.CreateElicitationRequest{},
	"ElicitationAcceptAction": acpclient.CreateElicitationResponse{}, "CompleteElicitationNotification": acpclient.CompleteElicitationNotification{},
	"ElicitationSchema": acpclient.ElicitationSchema{}, "EnumOption": acpclient.EnumOption{}, "ElicitationCapabilities": acpclient.ElicitationCapabilities{},
	"StringPropertySchema": acpclient.ElicitationPropertySchema{}, "NumberPropertySchema": acpclient.ElicitationPropertySchema{},
	"IntegerPropertySchema": acpclient.ElicitationPropertySchema{}, "BooleanPropertySchema": acpclient.ElicitationPropertySchema{},
	"MultiSelectPropertySchema": acpclient.ElicitationPropertySchema{}, "StringMultiSelectItems": acpclient.MultiSelectItems{}, "TitledMultiSelectItems": acpclient.MultiSelectItems{},
	"TextContent": acpclient.ContentBlock{}, "ImageContent": acpclient.ContentBlock{}, "AudioContent": acpclient.ContentBlock{},
	"ResourceLink": acpclient.ContentBlock{}, "EmbeddedResource": acpclient.ContentBlock{}, "Annotations": acpclient.Annotations{},
	"TextResourceContents": acpclient.ResourceContents{}, "BlobResourceContents": acpclient.ResourceContents{},
	"Error": acpclient.Error{}, "CancelRequestNotification": acpclient.CancelRequestNotification{},
}

// untyped are objects without a type of their own, and why.
var untyped = map[string]string{
	"AgentRequest": "an envelope", "AgentResponse": "an envelope", "AgentNotification": "an envelope",
	"ClientRequest": "an envelope", "ClientResponse": "an envelope", "ClientNotification": "an envelope",
	"Icon": "nothing draws icons; they stay in what is stored", "SessionConfigSelectGroup": "renamed in place, see houseGroups",
	"UnsupportedProtocolVersionErrorData": "the error is shown with its data", "SessionNotFoundErrorData": "the error is shown with its data",
	"CancelledPermissionOutcome": "acpclient.RequestPermissionOutcome", "SelectedPermissionOutcome": "acpclient.RequestPermissionOutcome",
}

// ignored are fields that nothing is done with, and why.
var ignored = map[string]string{
	"ResourceLink.icons": "nothing draws icons; they stay in what is stored",
}

// Each field of each object in the schema has a place, or a reason why it has none.
func TestEveryFieldHasAPlace(t *testing.T) {
	defs := definitions(t, schema.V2())
	for _, def := range slices.Sorted(maps.Keys(defs)) {
		properties, _ := defs[def]["properties"].(map[string]any)
		delete(properties, "_meta")
		if len(properties) == 0 || untyped[def] != "" {
			continue
		}
		v, ok := types[def]
		if !ok {
			t.Errorf("nothing is done with the type %s: %v", def, slices.Sorted(maps.Keys(properties)))
			continue
		}
		have := fieldsOf(reflect.TypeOf(v))
		for name := range properties {
			if _, known := ignored[def+"."+name]; !have[name] && !known {
				t.Errorf("%s.%s has no place in %T", def, name, v)
			}
		}
	}
	for def := range types {
		if defs[def] == nil {
			t.Errorf("the schema has no type %s", def)
		}
	}
}

// fieldsOf are the names of a struct's fields on the wire, and of those embedded in it.
func fieldsOf(t reflect.Type) map[string]bool {
	all := map[string]bool{}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			maps.Copy(all, fieldsOf(f.Type))
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		all[name] = true
	}
	return all
}
