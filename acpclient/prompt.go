package acpclient

// PromptRequest starts a turn (method session/prompt).
type PromptRequest struct {
	SessionID SessionID          `json:"sessionId" acp:"required"`
	Prompt    List[ContentBlock] `json:"prompt"`
	Meta      Meta               `json:"_meta,omitempty"`
}

// PromptResponse ends a turn.
type PromptResponse struct {
	StopReason StopReason `json:"stopReason"`
	Meta       Meta       `json:"_meta,omitempty"`
}

// StopReason says why a turn ended (schema type StopReason). Agents may send
// others; an absent one is taken as StopEndTurn.
type StopReason string

// The stop reasons that the protocol defines.
const (
	StopEndTurn         StopReason = "end_turn"
	StopMaxTokens       StopReason = "max_tokens"
	StopMaxTurnRequests StopReason = "max_turn_requests"
	StopRefusal         StopReason = "refusal"
	StopCancelled       StopReason = "cancelled"
)
