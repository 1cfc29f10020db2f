package conversation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/internal/test"
)

// A task list in the input of a tool is a plan, unless the agent sends plans.
func TestTaskLists(t *testing.T) {
	call := func(input string) string {
		return `{"sessionUpdate":"tool_call","toolCallId":"t","title":"todowrite","kind":"other","rawInput":` + input + `}`
	}
	todos := call(`{"todos":[{"content":"Look","status":"completed","priority":"high"},{"description":"Build","status":"in-progress"},{"task":"Test"},{"status":"pending"}]}`)
	want := []acpclient.PlanEntry{
		{Content: "Look", Status: acpclient.PlanCompleted, Priority: acpclient.PlanHigh},
		{Content: "Build", Status: acpclient.PlanInProgress},
		{Content: "Test", Status: acpclient.PlanPending},
	}
	c := fold(t, test.Sent("x"), todos)
	if d := cmp.Diff(want, onlyTool(t, c).Tasks); d != "" {
		t.Error(d)
	}
	if done, all := c.Plan.Progress(); done != 1 || all != 3 {
		t.Errorf("the plan is %d of %d", done, all)
	}
	test.WantTranscript(t, c, "user: x", "tool t: todowrite")
	asked := fold(t, test.Permission(1, `{"toolCallId":"t","title":"todowrite","rawInput":{"todos":[{"content":"Look","status":"pending"}]}}`))
	if got := asked.Permissions[0].Asked.Tasks; len(got) != 1 {
		t.Errorf("the question has the tasks %+v", got)
	}
	c = fold(t, test.Sent("x"), test.Plan("pending"), todos)
	if _, all := c.Plan.Progress(); all != 1 {
		t.Error("the task list has taken the place of the plan")
	}
	for _, input := range []string{`{"todos":"x"}`, `{"todos":[]}`, `{"todos":[1]}`, `{"content":"\"todos\""}`, `"todos"`} {
		if c := fold(t, call(input)); onlyTool(t, c).Tasks != nil || c.Plan != nil {
			t.Errorf("%s is a task list", input)
		}
	}
}
