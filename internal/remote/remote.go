// Package remote connects to agents that listen on the network, over WebSocket and over
// streamable HTTP.
//
// An Agent is where one listens; it keeps the cookies, so that a later connection
// reaches the same server behind a load balancer. A Connection is an
// acpclient.Transport that can also be ended and reports its end.
//
// For the user's safety, remote checks certificates, sends nothing to another machine
// without TLS unless that was requested, and follows no redirects, so that headers and
// messages reach only the named server. To bound memory, it limits messages, answers
// and their headers, and reads from the network only as fast as its caller reads.
//
// Nothing is sent twice, and no stream is reopened after it breaks off, because nothing
// tells what was missed. The session is then reopened, not the connection.
package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
)

// The headers of the protocol's transports.
const (
	headerConnection = "Acp-Connection-Id"
	headerSession    = "Acp-Session-Id"
)

const (
	// connectPatience is how long a server has to accept a connection.
	connectPatience = 30 * time.Second
	// pingEvery is how long a connection may be silent before a ping, and pingPatience
	// how long the answer may take.
	pingEvery    = 30 * time.Second
	pingPatience = 60 * time.Second
	// maxHeaders limits the headers of an answer, in bytes.
	maxHeaders = 64 << 10
)

// Options say where an agent listens, and how to reach it.
type Options struct {
	// URL begins with http://, https://, ws:// or wss://.
	URL string
	// Headers are sent with every request, by name.
	Headers map[string]string
	// Insecure allows a URL without TLS whose host is not this machine.
	Insecure bool
	// MaxMessage limits a message in bytes; only a longer message is refused, not the
	// connection. 0 means acpclient.DefaultMaxLine.
	MaxMessage int
	// TLS may be nil for the system's certificates.
	TLS *tls.Config
}

// Agent is an agent that listens on the network. It is safe for concurrent use.
type Agent struct {
	opt     Options
	url     *url.URL
	headers http.Header
	secrets *strings.Replacer // removes the secrets of URL and headers from a text
	cookies http.CookieJar

	pingEvery, pingPatience time.Duration
	dial                    func(ctx context.Context, network, address string) (net.Conn, error)
}

// New checks the options. It does not connect.
func New(opt Options) (*Agent, error) {
	u, err := parse(opt.URL)
	if err != nil {
		return nil, err
	}
	if !secure(u) && !Loopback(u.Hostname()) && !opt.Insecure {
		return nil, fmt.Errorf("%s is not encrypted, and %s is another machine: use %ss://, or set insecure = true for this agent",
			shown(u), u.Hostname(), u.Scheme)
	}
	if opt.MaxMessage <= 0 {
		opt.MaxMessage = acpclient.DefaultMaxLine
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, fmt.Errorf("keep cookies: %w", err)
	}
	dialer := &net.Dialer{Timeout: connectPatience, KeepAlive: pingEvery}
	a := &Agent{
		opt: opt, url: u, headers: http.Header{}, cookies: jar,
		pingEvery: pingEvery, pingPatience: pingPatience, dial: dialer.DialContext,
		secrets: withoutSecrets(u, opt.Headers),
	}
	for name, value := range opt.Headers {
		a.headers.Set(name, value)
	}
	return a, nil
}

// leastSecret is the shortest secret, in bytes, that is removed from texts. Shorter
// ones would match by accident.
const leastSecret = 6

// withoutSecrets removes the values of a query and of headers from a text.
func withoutSecrets(u *url.URL, headers map[string]string) *strings.Replacer {
	values := []string{u.RawQuery}
	for _, all := range u.Query() {
		values = append(values, all...)
	}
	for _, value := range headers {
		_, token, _ := strings.Cut(value, " ") // as in "Bearer TOKEN"
		values = append(values, value, token)
	}
	values = slices.DeleteFunc(values, func(v string) bool { return len(v) < leastSecret })
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) }) // the whole before its parts
	var pairs []string
	for _, v := range values {
		pairs = append(pairs, v, "[secret]")
	}
	return strings.NewReplacer(pairs...)
}

// IsURL reports whether s is the URL of an agent rather than a program.
func IsURL(s string) bool {
	_, err := parse(s)
	return err == nil
}

func parse(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return nil, errors.New("invalid agent URL")
	case u.Host == "" || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "ws" && u.Scheme != "wss":
		return nil, errors.New("an agent's URL needs a host and https://, wss://, http:// or ws://")
	case u.User != nil:
		return nil, errors.New("an agent's URL takes no user name or password: put them into headers = { Authorization = \"…\" }")
	}
	return u, nil
}

func secure(u *url.URL) bool { return u.Scheme == "https" || u.Scheme == "wss" }

// Loopback reports whether a host is this machine, without asking a name server.
func Loopback(host string) bool {
	if host = strings.TrimSuffix(strings.ToLower(host), "."); host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// shown returns a URL for display, without its query, which may hold a secret.
func shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// String returns where the agent listens, for display.
func (a *Agent) String() string { return shown(a.url) }

// Ordered reports whether the agent's messages arrive in the order in which it sent
// them. Over streamable HTTP this holds only within each stream.
func (a *Agent) Ordered() bool { return a.url.Scheme == "ws" || a.url.Scheme == "wss" }

// Connect begins to connect, and returns at once. Read and Write of the connection
// return the error.
func (a *Agent) Connect() *Connection {
	if a.Ordered() {
		return newConnection(a.String(), newSocket(a))
	}
	return newConnection(a.String(), newStreamable(a))
}

// transport returns a transport that uses the proxy of the environment and bounds
// headers.
func (a *Agent) transport() *http.Transport {
	t := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            a.dial,
		TLSHandshakeTimeout:    connectPatience,
		MaxResponseHeaderBytes: maxHeaders,
	}
	if a.opt.TLS != nil {
		t.TLSClientConfig = a.opt.TLS.Clone()
	}
	return t
}

// client returns a client that keeps the agent's cookies and follows no redirect.
func (a *Agent) client(t http.RoundTripper) *http.Client {
	return &http.Client{
		Transport: t, Jar: a.cookies,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
