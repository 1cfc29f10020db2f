package v2

import (
	"context"
	"encoding/json"

	"parley/acpclient"
)

// receiver hands what the agent sends to the handler of its client.
type receiver struct{ c *Client }

func (r *receiver) HandleNotification(ctx context.Context, method string, params json.RawMessage) {
	switch method {
	case SessionUpdate.Name:
		var n UpdateNotification
		if err := acpclient.Unmarshal(params, &n); err != nil {
			r.ignored(method, err)
			return
		}
		r.c.update(ctx, n.ToV1())
	case ElicitationComplete.Name:
		var n acpclient.CompleteElicitationNotification
		if err := acpclient.Unmarshal(params, &n); err != nil {
			r.ignored(method, err)
			return
		}
		r.c.handler.CompleteElicitation(ctx, &n)
	}
}

func (r *receiver) ignored(method string, err error) {
	r.c.log.Warn("ignored a notification", "method", method, "error", err)
}

// HandleRequest implements acpclient.Receiver. Files and terminals of the client are
// not in this version of the protocol.
func (r *receiver) HandleRequest(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch method {
	case SessionRequestPermission.Name:
		var p RequestPermissionRequest
		if err := acpclient.Unmarshal(params, &p); err != nil {
			return nil, invalid(err)
		}
		answer, err := r.c.handler.RequestPermission(ctx, p.toV1())
		if err != nil && ctx.Err() != nil {
			// The agent has taken the question back, which this version has an answer for.
			return &acpclient.RequestPermissionResponse{Outcome: acpclient.PermissionCancelled}, nil
		}
		return answer, err
	case ElicitationCreate.Name:
		if r.c.offered.Elicitation == nil {
			if x, ok := r.c.handler.(acpclient.UnofferedHandler); ok {
				x.Unoffered(method)
			}
			break
		}
		var p acpclient.CreateElicitationRequest
		if err := acpclient.Unmarshal(params, &p); err != nil {
			return nil, invalid(err)
		}
		return r.c.handler.CreateElicitation(ctx, &p)
	case SessionUpdate.Name, ElicitationComplete.Name:
		r.HandleNotification(ctx, method, params) // it has an id, such as null
		return nil, nil
	}
	return nil, acpclient.MethodNotFoundError(method)
}

func invalid(err error) *acpclient.Error {
	return &acpclient.Error{Code: acpclient.CodeInvalidParams, Message: "Invalid params: " + err.Error()}
}

// update hands an update to the handler, and ends the turn whose end it is.
func (c *Client) update(ctx context.Context, n *acpclient.SessionNotification) {
	c.handler.SessionUpdate(ctx, n)
	if end := c.follow(n); end != nil {
		end()
	}
}
