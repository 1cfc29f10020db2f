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

// otherMethods are the methods that are no rows of requests.
var otherMethods = []schema.MethodKey{
	{Side: "agent", Method: acpclient.Initialize.Name},
	{Side: "agent", Method: acpclient.SessionPrompt.Name},
	{Side: "agent", Method: acpclient.SessionCancel.Name},
	{Side: "agent", Method: ToolCallCancel},
	{Side: "agent", Method: TerminalCancel},
	{Side: "client", Method: acpclient.SessionRequestPermission.Name},
	{Side: "client", Method: acpclient.ElicitationCreate.Name},
	{Side: "client", Method: acpclient.SessionUpdateNotification.Name},
	{Side: "client", Method: acpclient.ElicitationComplete.Name},
	{Side: "protocol", Method: acpclient.CancelRequest.Name},
}

// proposedMethods are the additions that are used where an agent advertises them.
// All others are not.
var proposedMethods = []string{"session/fork", "session/set_title"}

func TestEveryMethodIsUsed(t *testing.T) {
	used := map[schema.MethodKey]bool{}
	for _, key := range otherMethods {
		used[key] = true
	}
	for _, r := range requests {
		used[schema.MethodKey{Side: "agent", Method: r.method}] = true
	}
	for key := range schema.V2().Methods {
		if !used[key] {
			t.Errorf("nothing is done with %v", key)
		}
	}
	for key := range used {
		from := schema.V2()
		if slices.Contains(proposedMethods, key.Method) {
			from = schema.V2Unstable()
		}
		if _, ok := from.Methods[key]; !ok {
			t.Errorf("the schema has no %v", key)
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
			if _, ok := updates[kind]; !ok && !slices.Contains(unclaimedUpdates, kind) {
				t.Errorf("nothing is done with the update %s", kind)
			}
		}
	}
	for kind := range updates {
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

// types are the Go types of the schema's objects, by the name in the schema: most of them
// acpclient's, for what rename.go makes of the objects.
var types = map[string]any{
	"InitializeRequest": initializeRequest{}, "InitializeResponse": acpclient.InitializeResponse{},
	"ClientCapabilities": ClientCapabilities{}, "ClientAuthCapabilities": acpclient.AuthCapabilities{},
	"AgentCapabilities": acpclient.AgentCapabilities{}, "SessionCapabilities": acpclient.SessionCapabilities{},
	"PromptCapabilities": acpclient.PromptCapabilities{}, "McpCapabilities": acpclient.MCPCapabilities{},
	"AuthMethodTerminal": acpclient.AuthMethod{}, "AuthMethodAgent": acpclient.AuthMethod{}, "Implementation": acpclient.Implementation{},
	"LoginAuthRequest": acpclient.AuthenticateRequest{}, "LogoutAuthRequest": acpclient.LogoutRequest{},
	"NewSessionRequest": acpclient.NewSessionRequest{}, "NewSessionResponse": acpclient.NewSessionResponse{},
	"ResumeSessionRequest": acpclient.ResumeSessionRequest{}, "ResumeSessionResponse": acpclient.ResumeSessionResponse{},
	"ListSessionsRequest": acpclient.ListSessionsRequest{}, "ListSessionsResponse": acpclient.ListSessionsResponse{}, "SessionInfo": acpclient.SessionInfo{},
	"DeleteSessionRequest": acpclient.DeleteSessionRequest{}, "CloseSessionRequest": acpclient.CloseSessionRequest{},
	"PromptRequest": acpclient.PromptRequest{}, "PromptResponse": promptResponse{}, "CancelSessionNotification": acpclient.CancelNotification{},
	"SetSessionConfigOptionRequest": acpclient.SetSessionConfigOptionRequest{}, "SetSessionConfigOptionResponse": acpclient.SetSessionConfigOptionResponse{},
	"SessionConfigOption": acpclient.SessionConfigOption{}, "SessionConfigSelect": acpclient.SessionConfigOption{}, "SessionConfigBoolean": acpclient.SessionConfigOption{},
	"SessionConfigSelectOption": acpclient.ConfigSelectOption{}, "Command": acpclient.AvailableCommand{}, "TextCommandInput": acpclient.AvailableCommandInput{},
	"McpServerHttp": acpclient.MCPServer{}, "McpServerStdio": acpclient.MCPServer{}, "EnvVariable": acpclient.EnvVariable{}, "HttpHeader": acpclient.HTTPHeader{},
	"ContentChunk": acpclient.ContentChunk{},
	"UserMessage":  acpclient.MessageUpdate{}, "AgentMessage": acpclient.MessageUpdate{}, "AgentThought": acpclient.MessageUpdate{},
	"RunningStateUpdate": acpclient.StateUpdate{}, "IdleStateUpdate": acpclient.StateUpdate{}, "RequiresActionStateUpdate": acpclient.StateUpdate{},
	"ErrorStopReason": acpclient.StateUpdate{}, "BackgroundTerminal": acpclient.BackgroundWork{}, "BackgroundToolCall": acpclient.BackgroundWork{},
	"ToolCallUpdate": acpclient.ToolCallUpdate{}, "ToolCallContentChunk": acpclient.ToolCallContentChunk{}, "ToolCallCapabilities": acpclient.CancelCapabilities{},
	"ToolCallLocation": acpclient.ToolCallLocation{}, "Content": acpclient.ToolCallContent{}, "Terminal": acpclient.ToolCallContent{},
	"Diff": diff{}, "DiffPatch": diff{}.Patch, "DiffChange": fileChange{}, "DiffPathChange": fileChange{}, "DiffPathPairChange": fileChange{},
	"TerminalUpdate": acpclient.TerminalUpdate{}, "TerminalOutputChunk": acpclient.TerminalOutputChunk{}, "TerminalOutput": acpclient.TerminalSnapshot{},
	"TerminalSize": acpclient.TerminalSize{}, "TerminalExitStatus": acpclient.TerminalExitStatus{}, "TerminalCapabilities": acpclient.CancelCapabilities{},
	"PlanUpdate": acpclient.PlanUpdate{}, "PlanItems": acpclient.PlanUpdateContent{}, "PlanEntry": acpclient.PlanEntry{},
	"AvailableCommandsUpdate": acpclient.AvailableCommandsUpdate{}, "ConfigOptionUpdate": acpclient.ConfigOptionUpdate{},
	"SessionInfoUpdate": acpclient.SessionInfoUpdate{}, "UsageUpdate": acpclient.UsageUpdate{}, "Cost": acpclient.Cost{}, "Notice": acpclient.Notice{},
	"CompactionUpdate": acpclient.CompactionUpdate{}, "CompactionSummaryChunk": acpclient.CompactionSummaryChunk{},
	"RequestPermissionRequest": acpclient.RequestPermissionRequest{}, "RequestPermissionResponse": acpclient.RequestPermissionResponse{},
	"PermissionOption":         acpclient.PermissionOption{},
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
	"Icon": "nothing draws icons; they stay in what is stored", "SessionConfigSelectGroup": "see renameOptions",
	"UpdateSessionNotification": "acpclient.SessionNotification, which decodes itself", "ReplayFromStart": "see requests",
	"CancelToolCallRequest": "see ToolCallCancel", "CancelTerminalRequest": "see TerminalCancel",
	"ToolCallPermissionSubject": "see renamePermission", "CommandPermissionSubject": "see renamePermission",
	"UnsupportedProtocolVersionErrorData": "the error is shown with its data", "SessionNotFoundErrorData": "the error is shown with its data",
	"CancelledPermissionOutcome": "acpclient.RequestPermissionOutcome", "SelectedPermissionOutcome": "acpclient.RequestPermissionOutcome",
}

// ignored are fields that nothing is done with, and why.
var ignored = map[string]string{
	"ResourceLink.icons": "nothing draws icons; they stay in what is stored",
}

// renames are fields that have another name in acpclient, or another place.
var renames = []string{
	"AgentCapabilities.session", "AuthMethodAgent.methodId", "AuthMethodTerminal.methodId", "McpCapabilities.stdio",
	"SessionCapabilities.prompt", "SessionCapabilities.mcp", "InitializeResponse.capabilities", "InitializeResponse.info",
	"NewSessionResponse.availableCommands", "ResumeSessionRequest.replayFrom", "ResumeSessionResponse.availableCommands",
	"SessionConfigOption.configId", "SetSessionConfigOptionRequest.type",
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
			if _, known := ignored[def+"."+name]; !have[name] && !known && !slices.Contains(renames, def+"."+name) {
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
			embedded := f.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			maps.Copy(all, fieldsOf(embedded))
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		all[name] = true
	}
	return all
}
