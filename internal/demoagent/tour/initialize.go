package tour

import (
	"context"

	"parley/acpclient"
)

// The ways to sign in, where it is required.
const (
	authPretend  acpclient.AuthMethodID = "pretend"
	authTerminal acpclient.AuthMethodID = "pretend-in-terminal"
)

// SignInFlag is the argument with which the agent's program signs in.
const SignInFlag = "--sign-in"

func (a *agent) initialize(_ context.Context, r *acpclient.InitializeRequest) (*acpclient.InitializeResponse, error) {
	a.mu.Lock()
	a.client = &r.ClientCapabilities
	a.mu.Unlock()

	yes := &acpclient.Supported{}
	res := &acpclient.InitializeResponse{
		ProtocolVersion: acpclient.ProtocolVersion,
		AgentInfo:       &acpclient.Implementation{Name: "parley-tour", Title: "Tour of parley", Version: "1.0"},
		AgentCapabilities: acpclient.AgentCapabilities{
			LoadSession:        true,
			PromptCapabilities: acpclient.PromptCapabilities{Image: true, Audio: true, EmbeddedContext: true},
			SessionCapabilities: acpclient.SessionCapabilities{
				List: yes, Delete: yes, Resume: yes, Close: yes, AdditionalDirectories: yes,
			},
		},
	}
	if a.opt.RequireAuth {
		res.AgentCapabilities.Auth.Logout = yes
		res.AuthMethods = append(res.AuthMethods, acpclient.AuthMethod{
			ID: authPretend, Name: "Pretend to sign in", Description: "Needs no account and no network",
		})
		if r.ClientCapabilities.Auth.Terminal {
			res.AuthMethods = append(res.AuthMethods, acpclient.AuthMethod{
				ID: authTerminal, Name: "Pretend to sign in, in a terminal", Type: acpclient.AuthMethodTerminal,
				Description: "Runs a small program that signs you in", Args: []string{SignInFlag},
			})
		}
	}
	return res, nil
}

func (a *agent) authenticate(_ context.Context, r *acpclient.AuthenticateRequest) (*acpclient.AuthenticateResponse, error) {
	if r.MethodID != authPretend { // the other one is done by the program
		return nil, invalid("there is nothing to authenticate with called %q", r.MethodID)
	}
	if err := a.store.signIn(); err != nil {
		return nil, err
	}
	return &acpclient.AuthenticateResponse{}, nil
}

func (a *agent) logout(context.Context, *acpclient.LogoutRequest) (*acpclient.LogoutResponse, error) {
	if err := a.store.signOut(); err != nil {
		return nil, err
	}
	return &acpclient.LogoutResponse{}, nil
}

// signedIn is the protocol's error if the person must sign in first.
func (a *agent) signedIn() error {
	if a.opt.RequireAuth && !a.store.signedIn() {
		return &acpclient.Error{Code: acpclient.CodeAuthRequired, Message: "Authentication required"}
	}
	return nil
}
