package conversation

import (
	"bytes"
	"encoding/json"
	"strings"

	"parley/acpclient"
)

// tasksOf finds a task list in the raw input of a tool call: agents that send no
// plans have a tool that sets one. It is nil if there is none.
func tasksOf(rawInput []byte) []acpclient.PlanEntry {
	if !bytes.Contains(rawInput, []byte(`"todos"`)) {
		return nil // most inputs: they need not be decoded
	}
	var in struct{ Todos []map[string]json.RawMessage }
	if json.Unmarshal(rawInput, &in) != nil {
		return nil
	}
	var tasks []acpclient.PlanEntry
	for _, todo := range in.Todos {
		task := acpclient.PlanEntry{
			Content: taskText(todo, "content", "description", "title", "text", "task"),
			Status:  taskStatus(taskText(todo, "status", "state")), Priority: acpclient.PlanEntryPriority(taskText(todo, "priority")),
		}
		if task.Content != "" {
			tasks = append(tasks, task)
		}
	}
	return tasks
}

// taskText is the first of some fields that has text.
func taskText(fields map[string]json.RawMessage, names ...string) string {
	for _, name := range names {
		var s string
		if json.Unmarshal(fields[name], &s) == nil && strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// taskStatus is the status of a plan's step that an agent's own word stands for.
func taskStatus(word string) acpclient.PlanEntryStatus {
	switch word {
	case "done", "complete":
		return acpclient.PlanCompleted
	case "in-progress", "active", "doing":
		return acpclient.PlanInProgress
	case "", "todo", "open":
		return acpclient.PlanPending
	}
	return acpclient.PlanEntryStatus(word)
}
