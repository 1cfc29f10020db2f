package conversation_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

const schema = `{"mode":"form","sessionId":"s","message":"About the release","requestedSchema":{"type":"object","properties":{
	"name":{"type":"string","title":"Name"},"colour":{"type":"string","oneOf":[{"const":"r","title":"Red"}]},"parts":{"type":"array","title":"Parts","items":{"enum":["ci","docs"]}},
	"count":{"type":"integer","title":"Count"},"loud":{"type":"boolean","title":"Loud"},"note":{"type":"string"},
	"pw":{"type":"string","title":"Your password"},"apiKey":{"type":"string","title":"For the API"},"code":{"type":"string","format":"password"}}}}`

// What a person answers stays, but no secret of theirs.
func TestAnsweredElicitationsStay(t *testing.T) {
	r := new(acpclient.CreateElicitationRequest)
	if err := acpclient.Unmarshal([]byte(schema), r); err != nil {
		t.Fatal(err)
	}
	answers := conversation.AnswersTo(r, map[string]any{
		"name": "parley", "colour": "r", "parts": []string{"ci", "docs"}, "count": int64(3), "loud": false,
		"pw": "hunter2", "apiKey": "hunter2", "code": "hunter2",
	})
	want := []conversation.FieldAnswer{
		{Field: "Name", Value: "parley"},
		{Field: "colour", Value: "Red"},
		{Field: "Parts", Value: "ci, docs"},
		{Field: "Count", Value: "3"},
		{Field: "Loud", Value: "no"},
		{Field: "Your password", Secret: true},
		{Field: "For the API", Secret: true},
		{Field: "code", Secret: true},
	}
	if d := cmp.Diff(want, answers); d != "" {
		t.Error(d)
	}
	c := fold(t, test.AgentSays("a", ""), conversation.ElicitationOpened{ID: 1, Request: r}, test.AgentSays("b", ""),
		conversation.ElicitationClosed{ID: 1, Action: acpclient.ElicitAccept, Answers: answers}, test.AgentSays("c", ""),
		conversation.ElicitationOpened{ID: 2, Request: r}, conversation.ElicitationClosed{ID: 2, Action: acpclient.ElicitCancel})
	test.WantTranscript(t, c, "agent: ab", "question: About the release: accept", "agent: c")
	q, _ := c.Items[1].(*conversation.Elicitation)
	if len(c.Elicitations) != 0 || q == nil || !slices.Equal(q.Answers, answers) {
		t.Errorf("%+v", q)
	}
	if got := conversation.AnswersTo(&acpclient.CreateElicitationRequest{Mode: acpclient.ElicitURL}, nil); got != nil {
		t.Errorf("without a form: %+v", got)
	}
}
