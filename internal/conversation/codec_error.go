package conversation

import (
	"encoding/json"
	"errors"
	"fmt"

	"parley/acpclient"
)

// storedError is an error as it stands in a line: its text, and what errors.As finds in
// it. Commands and their environment are left out.
type storedError struct {
	Text json.RawMessage `json:"text"`
	// Answer is an error that the agent answered.
	Answer *acpclient.Error `json:"answer,omitempty"`
	// NotStarted says that the agent could not be started.
	NotStarted bool `json:"notStarted,omitempty"`
	// AgentVersion is the version of the protocol of an agent that does not speak ours.
	AgentVersion *uint16 `json:"agentVersion,omitempty"`

	text string // Text, decoded
}

// Error implements error.
func (e *storedError) Error() string { return e.text }

// Unwrap returns what errors.As found in the error when it was stored.
func (e *storedError) Unwrap() (causes []error) {
	if e.Answer != nil {
		causes = append(causes, e.Answer)
	}
	if e.NotStarted {
		causes = append(causes, &acpclient.StartError{Err: errors.New(e.text)})
	}
	if e.AgentVersion != nil {
		causes = append(causes, &acpclient.VersionError{Agent: *e.AgentVersion})
	}
	return causes
}

func appendError(dst []byte, err error) ([]byte, error) {
	e := storedError{Text: appendText(nil, err.Error())}
	errors.As(err, &e.Answer)
	e.NotStarted = errors.As(err, new(*acpclient.StartError))
	if version := (*acpclient.VersionError)(nil); errors.As(err, &version) {
		e.AgentVersion = &version.Agent
	}
	return appendJSON(dst, e)
}

// decodeError returns an answer of the agent as that if the error is nothing else.
func decodeError(raw json.RawMessage) (stored, err error) {
	e := new(storedError)
	if err := json.Unmarshal(raw, e); err != nil {
		return nil, err
	}
	if e.text, err = decodeText(e.Text); err != nil {
		return nil, fmt.Errorf("an error without text: %w", err)
	}
	if e.Answer != nil && e.Answer.Error() == e.text {
		return e.Answer, nil
	}
	return e, nil
}
