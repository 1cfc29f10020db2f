package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// dialogue is what the script needs of a request, in any protocol.
type dialogue struct {
	prompt  string // the last text of the user's
	results int    // tool results that came after it
	failed  bool   // the last of them is an error, or was refused
	tools   []tool
}

// tool is one that the request offers.
type tool struct {
	Name   string
	Schema toolSchema
}

// toolSchema is as much of JSON schema as the arguments of tools need.
type toolSchema struct {
	Type       schemaType            `json:"type"`
	Enum       []any                 `json:"enum"`
	Properties map[string]toolSchema `json:"properties"`
	Required   []string              `json:"required"`
	Items      *toolSchema           `json:"items"`
}

// schemaType is the type of a value: of several, the first.
type schemaType string

func (s *schemaType) UnmarshalJSON(raw []byte) error {
	several := []string{""}
	if json.Unmarshal(raw, &several[0]) != nil {
		if err := json.Unmarshal(raw, &several); err != nil || len(several) == 0 {
			return err
		}
	}
	*s = schemaType(several[0])
	return nil
}

// reply is what the model says: text, or a tool call, or text without end, or why
// it says nothing.
type reply struct {
	text string
	fail string
	code int // the HTTP status of fail
	tool string
	args map[string]any
	slow int // chunks
}

// sideAnswer is a title as well as a summary.
const sideAnswer = "A fake title"

// modelCommand finds the script in a prompt: agents put reminders and context
// around what the user has typed.
var modelCommand = regexp.MustCompile(`(?m)^\s*(SAY|WRITE|RUN|PLAN|CALL|SLOW|FAIL)\b[ \t]*(.*)$`)

// answer does what the prompt says.
func (c dialogue) answer() reply {
	if len(c.tools) == 0 {
		// A side request: its text quotes the prompt, but is not it.
		return reply{text: sideAnswer}
	}
	all := modelCommand.FindAllStringSubmatch(c.prompt, -1)
	if len(all) == 0 {
		return reply{text: "There is no script in the prompt"}
	}
	line := all[min(c.results, len(all)-1)]
	verb, rest := line[1], strings.TrimSpace(line[2])
	switch {
	case verb == "SAY":
		return reply{text: rest}
	case verb == "FAIL":
		return failure(rest)
	case verb == "SLOW":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 {
			return reply{text: "SLOW wants a number of chunks"}
		}
		return reply{slow: n}
	case c.results > 0 && c.failed:
		return reply{text: "DONE with an error"}
	case c.results >= len(all):
		return reply{text: "DONE " + strings.ToLower(verb)}
	}
	return c.call(verb, rest)
}

// toolNames are the names by which agents call their tools for a verb, best
// first.
var toolNames = map[string][]string{
	"WRITE": {"write", "write_file", "create_file", "str_replace_based_edit_tool"},
	"RUN":   {"bash", "shell", "run_shell_command", "execute_command", "terminal", "shell_command", "exec_command"},
	"PLAN":  {"todowrite", "todo_write", "update_plan", "write_todos", "taskcreate", "todo"},
}

func (c dialogue) call(verb, rest string) reply {
	if verb == "CALL" {
		return c.callNamed(rest)
	}
	for _, name := range toolNames[verb] {
		i := slices.IndexFunc(c.tools, func(t tool) bool { return strings.EqualFold(t.Name, name) })
		if i < 0 {
			continue
		}
		given := map[string]any{}
		switch verb {
		case "WRITE":
			path, text, _ := strings.Cut(rest, " ")
			for _, key := range []string{"file_path", "filePath", "path", "filename"} {
				given[key] = path
			}
			for _, key := range []string{"content", "file_text", "text"} {
				given[key] = text + "\n"
			}
		case "RUN":
			given["command"], given["cmd"] = rest, rest
			given["description"] = "Run " + rest
		case "PLAN":
			for _, key := range []string{"todos", "plan", "items", "tasks"} {
				given[key] = planSteps
			}
			given["subject"], given["description"] = "Look around", "Look around first"
		}
		args, _ := c.tools[i].Schema.fill(given).(map[string]any)
		return reply{tool: c.tools[i].Name, args: args}
	}
	return reply{text: fmt.Sprintf("No tool for %s among %s", verb, strings.Join(c.toolNames(), ", "))}
}

// callNamed calls a tool by its name, with the arguments as they are.
func (c dialogue) callNamed(rest string) reply {
	name, text, _ := strings.Cut(rest, " ")
	args := map[string]any{}
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		return reply{text: fmt.Sprintf("CALL wants a tool and a JSON object: %v", err)}
	}
	if !slices.Contains(c.toolNames(), name) {
		return reply{text: fmt.Sprintf("No tool %s among %s", name, strings.Join(c.toolNames(), ", "))}
	}
	return reply{tool: name, args: args}
}

// failure is an error of the status that the text begins with, or 400.
func failure(text string) reply {
	status, why, _ := strings.Cut(text, " ")
	if code, err := strconv.Atoi(status); err == nil && code >= 400 && code < 600 {
		return reply{fail: why, code: code}
	}
	return reply{fail: text, code: http.StatusBadRequest}
}

func (c dialogue) toolNames() (names []string) {
	for _, t := range c.tools {
		names = append(names, t.Name)
	}
	return names
}

// planSteps are the to-do list of PLAN, with every key that agents use.
var planSteps = []any{
	step("Look around", "Looking around", "completed", 1),
	step("Build it", "Building it", "in_progress", 2),
	step("Test it", "Testing it", "pending", 3),
}

func step(content, activeForm, status string, id int) map[string]any {
	return map[string]any{
		"content": content, "step": content, "title": content, "activeForm": activeForm,
		"status": status, "priority": "medium", "id": strconv.Itoa(id),
	}
}

// fill makes a value that fits the schema: what is given where it is wanted,
// and the simplest thing for what is required besides.
func (s toolSchema) fill(given any) any {
	switch {
	case s.Type == "object" || s.Properties != nil:
		from, _ := given.(map[string]any)
		object := map[string]any{}
		for key, want := range s.Properties {
			if value, ok := from[key]; ok {
				object[key] = want.fill(value)
			} else if slices.Contains(s.Required, key) {
				object[key] = want.fill(nil)
			}
		}
		return object
	case s.Type == "array":
		from, _ := given.([]any)
		array := []any{}
		for _, item := range from {
			if s.Items != nil {
				item = s.Items.fill(item)
			}
			array = append(array, item)
		}
		return array
	case len(s.Enum) > 0 && !slices.Contains(s.Enum, given):
		return s.Enum[0]
	case given != nil:
		return given
	}
	return map[string]any{"string": "fake", "boolean": false, "number": 1, "integer": 1}[strings.ToLower(string(s.Type))]
}

// chunks cuts a text into the pieces that it is streamed in.
func (r reply) chunks() []string {
	if r.tool != "" {
		args, _ := json.Marshal(r.args) // made of maps, strings and numbers
		half := len(args) / 2
		return []string{string(args[:half]), string(args[half:])}
	}
	return strings.SplitAfter(r.text, " ")
}

func slowChunk(i int) string { return fmt.Sprintf("chunk %d ", i) }
