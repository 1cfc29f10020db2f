package sessiontest

import (
	"fmt"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/store"
	"parley/internal/test"
)

// Sessions stores a session of a directory for each prompt, with an answer, and returns
// their ids. The agent's own ids are agents-0, agents-1 and so on.
func Sessions(t *testing.T, lib *store.Library, cwd string, prompts ...string) []store.ID {
	t.Helper()
	var ids []store.ID
	for i, prompt := range prompts {
		l, err := lib.Create(store.Meta{Cwd: cwd})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Append([]conversation.Event{
			conversation.SessionOpened{ID: acpclient.SessionID(fmt.Sprint("agents-", i))},
			test.Sent(prompt),
			conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "An answer to " + prompt},
		}); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, l.ID())
	}
	return ids
}
