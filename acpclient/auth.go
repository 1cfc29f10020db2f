package acpclient

// AuthMethodID identifies a way to sign in.
type AuthMethodID string

// AuthMethodType tells the ways to sign in apart.
type AuthMethodType string

// The types of authentication that the protocol defines. No type is
// AuthMethodAgent.
const (
	// AuthMethodAgent means that the agent does it itself when Authenticate is
	// called.
	AuthMethodAgent AuthMethodType = "agent"
	// AuthMethodTerminal means that the agent's program is run in the person's
	// terminal, with the method's Args and Env.
	AuthMethodTerminal AuthMethodType = "terminal"
)

// AuthMethod is a way to sign in (schema type AuthMethod).
type AuthMethod struct {
	ID          AuthMethodID   `json:"id" acp:"required"`
	Name        string         `json:"name" acp:"required"`
	Description string         `json:"description,omitempty"`
	Type        AuthMethodType `json:"type,omitempty"`
	// Args and Env are added to the agent's own command, for AuthMethodTerminal.
	Args []string          `json:"args,omitempty"`
	Env  map[string]string `json:"env,omitempty"`
	Meta Meta              `json:"_meta,omitempty"`
}

// AuthenticateRequest signs in (method authenticate).
type AuthenticateRequest struct {
	MethodID AuthMethodID `json:"methodId" acp:"required"`
	Meta     Meta         `json:"_meta,omitempty"`
}

// AuthenticateResponse is empty.
type AuthenticateResponse struct {
	Meta Meta `json:"_meta,omitempty"`
}

// LogoutRequest signs out (method logout). It needs the auth.logout capability.
type LogoutRequest struct {
	Meta Meta `json:"_meta,omitempty"`
}

// LogoutResponse is empty.
type LogoutResponse struct {
	Meta Meta `json:"_meta,omitempty"`
}
