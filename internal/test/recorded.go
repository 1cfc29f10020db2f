package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Recorded returns the recorded conversations with real agents in a directory, as the
// events of a session, by file name.
func Recorded(t testing.TB, dir string) map[string][]conversation.Event {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no recorded conversations in %s: %v", dir, err)
	}
	all := map[string][]conversation.Event{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		r := recording{t: t, asked: map[string]wireMessage{}, now: time.Unix(1_790_000_000, 0)}
		for dec := json.NewDecoder(f); dec.More(); {
			var line struct {
				From    string      `json:"from"`
				Message wireMessage `json:"message"`
			}
			if err := dec.Decode(&line); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			r.message(line.From, line.Message)
		}
		_ = f.Close()
		all[strings.TrimSuffix(filepath.Base(name), ".jsonl")] = r.events
	}
	return all
}

// wireMessage is any JSON-RPC message.
type wireMessage struct {
	ID     json.RawMessage  `json:"id"`
	Method string           `json:"method"`
	Params json.RawMessage  `json:"params"`
	Result json.RawMessage  `json:"result"`
	Error  *acpclient.Error `json:"error"`
}

// recording converts messages to events, as far as the recordings need it.
type recording struct {
	t      testing.TB
	events []conversation.Event
	asked  map[string]wireMessage // pending requests of both sides, by side and id
	now    time.Time
	seq    int
}

func (r *recording) message(from string, m wireMessage) {
	r.now = r.now.Add(123_456_789)
	switch {
	case m.Method == "": // an answer
		side := map[string]string{"client": "agent", "agent": "client"}[from]
		r.answered(r.asked[side+string(m.ID)], m)
	case from == "client":
		r.asked[from+string(m.ID)] = m
		r.sent(m)
	default:
		r.asked[from+string(m.ID)] = m
		r.received(m)
	}
}

func (r *recording) add(e conversation.Event) { r.events = append(r.events, At(e, r.now)) }

// sent handles a message of the client.
func (r *recording) sent(m wireMessage) {
	switch m.Method {
	case "initialize":
		r.add(conversation.AgentStarting{Command: "agent --acp", At: r.now})
	case "session/new":
		r.add(conversation.SessionOpening{How: conversation.OpenNew})
	case "session/prompt":
		r.add(conversation.PromptSent{Prompt: decode[acpclient.PromptRequest](r.t, m.Params).Prompt, At: r.now})
	case "session/cancel":
		r.add(conversation.CancelRequested{At: r.now})
	case "session/set_config_option":
		set := decode[acpclient.SetSessionConfigOptionRequest](r.t, m.Params)
		r.seq++
		r.add(conversation.OptionChosen{Seq: r.seq, Option: set.ConfigID, Value: set.Value})
	default:
		r.t.Fatalf("the client sends %s: that is no event yet", m.Method)
	}
}

// received handles a message of the agent.
func (r *recording) received(m wireMessage) {
	switch m.Method {
	case "session/update":
		r.add(conversation.FromNotification(decode[acpclient.SessionNotification](r.t, m.Params)))
	case "session/request_permission":
		r.add(conversation.PermissionOpened{ID: len(r.events), Request: decode[acpclient.RequestPermissionRequest](r.t, m.Params)})
	case "elicitation/create":
		r.add(conversation.ElicitationOpened{ID: len(r.events), Request: decode[acpclient.CreateElicitationRequest](r.t, m.Params)})
	case "fs/write_text_file":
		write := decode[acpclient.WriteTextFileRequest](r.t, m.Params)
		r.add(conversation.FileWritten{Path: write.Path, After: write.Content})
	case "fs/read_text_file", "_auth/status_update": // nothing to remember
	default:
		r.t.Fatalf("the agent sends %s: that is no event yet", m.Method)
	}
}

// answered handles the answer to a request of either side.
func (r *recording) answered(asked, answer wireMessage) {
	var err error
	if answer.Error != nil {
		err = answer.Error
	}
	switch asked.Method {
	case "initialize":
		r.add(conversation.AgentReady{Info: decode[acpclient.InitializeResponse](r.t, answer.Result)})
	case "session/new":
		opened := decode[acpclient.NewSessionResponse](r.t, answer.Result)
		cwd := decode[acpclient.NewSessionRequest](r.t, asked.Params).Cwd
		r.add(conversation.SessionOpened{ID: opened.SessionID, Cwd: cwd, State: opened.SessionState})
	case "session/prompt":
		e := conversation.TurnEnded{Err: err, At: r.now}
		if err == nil {
			e.Reason = decode[acpclient.PromptResponse](r.t, answer.Result).StopReason
		}
		r.add(e)
	case "session/set_config_option":
		set := decode[acpclient.SetSessionConfigOptionRequest](r.t, asked.Params)
		e := conversation.OptionSettled{Seq: r.seq, Option: set.ConfigID, Value: set.Value, Err: err}
		if err == nil {
			e.Options = decode[acpclient.SetSessionConfigOptionResponse](r.t, answer.Result).ConfigOptions
		}
		r.add(e)
	case "session/request_permission":
		id := last(r.events, func(e conversation.PermissionOpened) int { return e.ID })
		r.add(conversation.PermissionClosed{ID: id, Outcome: decode[acpclient.RequestPermissionResponse](r.t, answer.Result).Outcome})
	case "elicitation/create":
		id := last(r.events, func(e conversation.ElicitationOpened) int { return e.ID })
		r.add(conversation.ElicitationClosed{ID: id, Action: decode[acpclient.CreateElicitationResponse](r.t, answer.Result).Action})
	}
}

// last returns a value of the last event of a type.
func last[E conversation.Event, V any](all []conversation.Event, of func(E) V) (v V) {
	for _, e := range all {
		if e, ok := e.(E); ok {
			v = of(e)
		}
	}
	return v
}

func decode[T any](t testing.TB, raw json.RawMessage) *T {
	v := new(T)
	if err := acpclient.Unmarshal(raw, v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}
