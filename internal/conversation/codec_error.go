package conversation

import (
	"encoding/json"
	"errors"
	"fmt"

	"parley/acpclient"
)

// errorLine is an error as it stands in a line: its text, and what errors.As
// finds in it. Commands and their environment are left out.
type errorLine struct {
	Text json.RawMessage `json:"text"`
	// Answer is an error that the agent answered.
	Answer *acpclient.Error `json:"answer,omitempty"`
	// NotStarted says that the agent could not be started.
	NotStarted bool `json:"notStarted,omitempty"`
	// AgentVersion is the version of the protocol that an agent speaks which does
	// not speak ours.
	AgentVersion *uint16 `json:"agentVersion,omitempty"`
}

// recordedError is an error that was decoded.
type recordedError struct {
	text   string
	causes []error
}

// Error returns the text that the error had when it was encoded.
func (e *recordedError) Error() string { return e.text }

// Unwrap returns what errors.As found in it then.
func (e *recordedError) Unwrap() []error { return e.causes }

func appendError(dst []byte, err error) ([]byte, error) {
	l := errorLine{Text: appendText(nil, err.Error())}
	if answer := (*acpclient.Error)(nil); errors.As(err, &answer) {
		l.Answer = answer
	}
	if start := (*acpclient.StartError)(nil); errors.As(err, &start) {
		l.NotStarted = true
	}
	if version := (*acpclient.VersionError)(nil); errors.As(err, &version) {
		l.AgentVersion = &version.Agent
	}
	return appendJSON(dst, l)
}

// decodeError makes the error of a line, nil of null. An error that is nothing
// but an answer of the agent comes back as that.
func decodeError(raw json.RawMessage) (decoded, err error) {
	var l *errorLine
	if err := json.Unmarshal(raw, &l); err != nil || l == nil {
		return nil, err
	}
	text, err := decodeText(l.Text)
	if err != nil {
		return nil, fmt.Errorf("an error without text: %w", err)
	}
	e := &recordedError{text: text}
	if l.Answer != nil {
		if l.Answer.Error() == text {
			return l.Answer, nil
		}
		e.causes = append(e.causes, l.Answer)
	}
	if l.NotStarted {
		e.causes = append(e.causes, &acpclient.StartError{Err: errors.New(text)})
	}
	if l.AgentVersion != nil {
		e.causes = append(e.causes, &acpclient.VersionError{Agent: *l.AgentVersion})
	}
	return e, nil
}
