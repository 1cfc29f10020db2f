package linemode

import (
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

func TestOutcomesOfCommands(t *testing.T) {
	zero, three := 0, 3
	call := func(status acpclient.ToolCallStatus, code *int, text string) *conversation.ToolCall {
		return &conversation.ToolCall{
			ID: "t", Kind: acpclient.ToolExecute, Title: "make", Status: status, ExitCode: code,
			Content: []acpclient.ToolCallContent{acpclient.TextContent(text)},
		}
	}
	for want, call := range map[string]*conversation.ToolCall{
		"done":                      call(acpclient.ToolCompleted, &zero, "ok"),
		"done (no output)":          call(acpclient.ToolCompleted, &zero, ""),
		"failed, exit code 3: oops": call(acpclient.ToolCompleted, &three, "oops\nand more"),
		"failed, exit code 3":       call(acpclient.ToolFailed, &three, ""),
		"failed: cannot run it":     call(acpclient.ToolFailed, nil, "cannot run it"),
		"no end was reported":       call(acpclient.ToolPending, nil, ""),
	} {
		if got := outcome(call); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
