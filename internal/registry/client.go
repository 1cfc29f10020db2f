package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// defaultURL is where the public registry is published.
const defaultURL = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json"

// ErrOffline means that a server could not be reached.
var ErrOffline = errors.New("cannot reach it; is this machine offline?")

// maxRedirects limits the redirects of a request.
const maxRedirects = 10

// stalled is how long a download may send no data.
const stalled = time.Minute

// newClient returns a client that never leaves https. Downloads may take any time as
// long as data arrives.
func newClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = stalled
	return &http.Client{Transport: transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if r.URL.Scheme != "https" {
			return fmt.Errorf("it redirects to %.20q: only https is allowed", r.URL.Scheme+":")
		}
		if len(via) >= maxRedirects {
			return fmt.Errorf("it redirects more than %d times", maxRedirects)
		}
		return nil
	}}
}

// get requests a URL with additional headers; a nil client means newClient. The caller
// closes the body, which fails if no data arrives for too long.
func get(ctx context.Context, c *http.Client, address string, header http.Header) (*http.Response, error) {
	if c == nil {
		c = newClient()
	}
	if err := checkAddress(address); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	for name, values := range header {
		r.Header[name] = values
	}
	r.Header.Set("User-Agent", "parley")
	resp, err := c.Do(r)
	if err != nil {
		cancel(nil)
		return nil, unreachable(err)
	}
	resp.Body = &watched{resp.Body, ctx, cancel, time.AfterFunc(stalled, func() { cancel(errStalled) })}
	return resp, nil
}

var errStalled = fmt.Errorf("no data for %s", stalled)

// unreachable marks network errors with ErrOffline. Others, such as those of certificates or
// redirects, explain themselves.
func unreachable(err error) error {
	if errors.Is(err, context.Canceled) {
		return context.Canceled
	}
	var name *net.DNSError
	var op *net.OpError
	var timeout interface{ Timeout() bool }
	// A server that breaks off the TLS handshake has been reached.
	if errors.As(err, &name) || errors.As(err, &op) && op.Op == "dial" || errors.As(err, &timeout) && timeout.Timeout() {
		return fmt.Errorf("%w (%w)", ErrOffline, err)
	}
	return err
}

// watched is a body whose reading fails when no data arrives.
type watched struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if n > 0 {
		w.timer.Reset(stalled)
	}
	if err != nil && err != io.EOF {
		if cause := context.Cause(w.ctx); cause != nil {
			err = cause
		}
	}
	return n, err
}

func (w *watched) Close() error {
	w.timer.Stop()
	w.cancel(nil)
	return w.ReadCloser.Close()
}
