package acpclient

import (
	"encoding/json"
	"errors"
)

// SessionModeID identifies a mode.
type SessionModeID string

// SessionModeState has the modes of a session and the current one (schema type
// SessionModeState; "Session Modes" in the protocol's pages).
type SessionModeState struct {
	CurrentModeID  SessionModeID     `json:"currentModeId" acp:"required"`
	AvailableModes List[SessionMode] `json:"availableModes"`
	Meta           Meta              `json:"_meta,omitempty"`
}

// SessionMode is a mode of the agent.
type SessionMode struct {
	ID          SessionModeID `json:"id" acp:"required"`
	Name        string        `json:"name" acp:"required"`
	Description string        `json:"description,omitempty"`
	Meta        Meta          `json:"_meta,omitempty"`
}

// SetSessionModeRequest switches the mode (method session/set_mode).
type SetSessionModeRequest struct {
	SessionID SessionID     `json:"sessionId" acp:"required"`
	ModeID    SessionModeID `json:"modeId" acp:"required"`
	Meta      Meta          `json:"_meta,omitempty"`
}

// CurrentModeUpdate sets the current mode (the update "current_mode_update"). The
// protocol's page calls the field modeId and the schema currentModeId; both are
// accepted.
type CurrentModeUpdate struct {
	CurrentModeID SessionModeID `json:"currentModeId"`
	Meta          Meta          `json:"_meta,omitempty"`
}

func (u *CurrentModeUpdate) decodeVariant(raw json.RawMessage) error {
	var other struct {
		ModeID SessionModeID `json:"modeId"`
	}
	if err := decodePlain(raw, u); err != nil {
		return err
	}
	if u.CurrentModeID == "" {
		_ = decode(raw, &other)
		u.CurrentModeID = other.ModeID
	}
	if u.CurrentModeID == "" {
		return errors.New("current_mode_update names no mode")
	}
	return nil
}

// SessionModelState has the models of a session and the current one: an older, unstable
// form of a config option of the category "model".
type SessionModelState struct {
	CurrentModelID  string          `json:"currentModelId" acp:"required"`
	AvailableModels List[ModelInfo] `json:"availableModels"`
	Meta            Meta            `json:"_meta,omitempty"`
}

// ModelInfo is one model of a SessionModelState.
type ModelInfo struct {
	ModelID     string `json:"modelId" acp:"required"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Meta        Meta   `json:"_meta,omitempty"`
}

// SetSessionModelRequest switches the model (the older, unstable method
// session/set_model).
type SetSessionModelRequest struct {
	SessionID SessionID `json:"sessionId" acp:"required"`
	ModelID   string    `json:"modelId" acp:"required"`
	Meta      Meta      `json:"_meta,omitempty"`
}
