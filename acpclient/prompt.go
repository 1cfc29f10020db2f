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
	// Usage counts tokens (unstable); nil if the agent does not say.
	Usage *Usage `json:"usage,omitempty"`
	Meta  Meta   `json:"_meta,omitempty"`
}

// Usage counts tokens, of the turn or of the session so far: agents differ
// (unstable schema type Usage). What an agent does not count is nil.
type Usage struct {
	TotalTokens       uint64  `json:"totalTokens"`
	InputTokens       uint64  `json:"inputTokens"`
	OutputTokens      uint64  `json:"outputTokens"`
	ThoughtTokens     *uint64 `json:"thoughtTokens,omitempty"`
	CachedReadTokens  *uint64 `json:"cachedReadTokens,omitempty"`
	CachedWriteTokens *uint64 `json:"cachedWriteTokens,omitempty"`
	Meta              Meta    `json:"_meta,omitempty"`
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
	// StopError comes with an error that says more. An agent of the first version
	// answers the prompt with that error instead.
	StopError StopReason = "error"
)
