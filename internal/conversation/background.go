package conversation

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"parley/acpclient"
)

// Background is work that can continue after a turn: a subagent, a task of the agent, or a
// command. Exactly one of Call, Task and Terminal is set.
type Background struct {
	Call     *ToolCall // a subagent, or a call that the agent names
	Task     *AsyncTask
	Terminal *Terminal
}

// AsyncTask is work that the agent does outside its turns, such as a command of its own. It is
// an extension of claude-agent-acp: the updates "async_task_spawned" and
// "async_task_state_update".
type AsyncTask struct {
	ID          string `json:"asyncTaskId"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Type        string `json:"taskType"` // such as "shell"
	CanStop     bool   `json:"canStop"`  // see session.StopTask
}

// Background returns the running background work that the agent has reported, the oldest of
// each kind first.
func (c *Conversation) Background() (all []Background) {
	for _, t := range c.RunningSubagents() {
		all = append(all, Background{Call: t})
	}
	for _, t := range c.Tasks {
		all = append(all, Background{Task: t})
	}
	for _, w := range c.Work.Background {
		if t := c.tools[w.ToolCallID]; t != nil && w.Type == acpclient.BackgroundToolCall && !t.ended() {
			all = append(all, Background{Call: t})
		}
		if t := c.Terminals[w.TerminalID]; t != nil && w.Type == acpclient.BackgroundTerminal && t.Own {
			all = append(all, Background{Terminal: t})
		}
	}
	for _, t := range c.running {
		all = append(all, Background{Terminal: t})
	}
	return all
}

// taskEffect is what an update has changed about the agent's tasks.
type taskEffect struct {
	isTask bool       // the update was about a task
	ended  *AsyncTask // the task that has ended, nil if none has
	how    string     // the final state
}

// applyTask handles an update outside the protocol if it is about a task.
func (s *State) applyTask(u *acpclient.UnknownUpdate) {
	var about struct {
		AsyncTask
		State   string `json:"state"`
		Summary string `json:"summary"`
	}
	if !strings.HasPrefix(u.Name, "async_task_") || json.Unmarshal(u.Raw, &about) != nil || about.ID == "" {
		return
	}
	s.effect.task.isTask = true
	known := slices.IndexFunc(s.Tasks, func(t *AsyncTask) bool { return t.ID == about.ID })
	switch {
	case u.Name == "async_task_spawned" && known < 0:
		s.Tasks = append(slices.Clip(s.Tasks), &about.AsyncTask)
	case u.Name == "async_task_state_update" && known >= 0 && slices.Contains([]string{"completed", "failed", "stopped"}, about.State):
		s.effect.task.ended, s.effect.task.how = s.Tasks[known], about.State
		if about.Summary != "" {
			s.effect.task.how += ": " + about.Summary
		}
		s.Tasks = slices.Delete(slices.Clone(s.Tasks), known, known+1)
	}
}

// showTask adds a line for a task that has ended, and shows any other unknown update as
// received.
func (c *Conversation) showTask(u *acpclient.UnknownUpdate) {
	switch t := c.effect.task; {
	case t.ended != nil:
		c.addNote(acpclient.NoticeInfo, "Background task "+t.how, cmp.Or(t.ended.Name, t.ended.Description, t.ended.ID))
	case !t.isTask:
		c.addItem(&Unknown{Kind: u.Name, Raw: u.Raw})
	}
}
