package serve

import (
	"context"
	"sync/atomic"

	"parley/acpclient"
	"parley/internal/app"
)

// offerFiles has a session that is made by spec ask the client for unsaved text, if it may, once it is
// opened.
func (s *server) offerFiles(spec *app.Spec) (opened func(*served)) {
	var one atomic.Pointer[served]
	if s.opt.EditorFiles && !s.opt.ReadOnly && s.client.ClientCapabilities.FS.ReadTextFile {
		spec.ReadFile = func(ctx context.Context, path string) (string, error) {
			if now := one.Load(); now != nil {
				return now.readFile(ctx, path)
			}
			return "", errLeft
		}
	}
	return one.Store
}

// readFile asks the client for the text of a file, once it knows the session.
func (s *served) readFile(ctx context.Context, path string) (string, error) {
	s.mu.Lock()
	open := s.view.open
	s.mu.Unlock()
	if !open {
		return "", errLeft
	}
	r, err := acpclient.Call(ctx, s.conn, acpclient.FSReadTextFile, &acpclient.ReadTextFileRequest{SessionID: s.id, Path: path})
	if err != nil {
		return "", err
	}
	return r.Content, nil
}
