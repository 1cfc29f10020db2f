package remote

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"parley/acpclient"
	"parley/internal/test"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what has to come.
const patience = 2 * time.Minute

// echo is an agent that sends back every line.
func echo(_ context.Context, in io.Reader, out io.Writer) {
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadString('\n')
		if _, failed := io.WriteString(out, line); err != nil || failed != nil {
			return
		}
	}
}

// dial connects to what serves, and ends the connection with the test.
func dial(t *testing.T, opt Options) *Connection {
	t.Helper()
	a, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return connectWith(t, a)
}

func connectWith(t *testing.T, a *Agent) *Connection {
	t.Helper()
	c := a.Connect()
	t.Cleanup(func() { c.Stop(context.Background()) })
	return c
}

// serve serves with or without TLS; at is where, with the scheme of WebSocket or HTTP.
func serve(t *testing.T, h http.Handler, secure bool) (ws, plain string, trust *tls.Config) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // it tells of what the tests do on purpose
	if secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	if secure {
		pool := x509.NewCertPool()
		pool.AddCert(s.Certificate())
		trust = &tls.Config{RootCAs: pool}
	}
	return strings.Replace(s.URL, "http", "ws", 1), s.URL, trust
}

// agentServer serves an agent.
func agentServer(t *testing.T, a test.Agent) *test.Server {
	t.Helper()
	s := &test.Server{Agent: a}
	t.Cleanup(s.Close)
	return s
}

// within fails the test if f takes too long.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("%s takes too long", what)
	}
}

func TestASocketCarriesMessagesBothWays(t *testing.T) {
	for _, secure := range []bool{false, true} {
		ws, _, trust := serve(t, agentServer(t, echo), secure)
		c := dial(t, Options{URL: ws, TLS: trust})
		for _, m := range []string{`{"a":1}`, `{"b":"` + strings.Repeat("x", 300_000) + `"}`, `{"c":"é"}`} {
			if err := c.Write([]byte(m)); err != nil {
				t.Fatal(err)
			}
			if got, err := c.Read(); err != nil || string(got) != m {
				t.Fatalf("%d bytes came back, %v", len(got), err)
			}
		}
		within(t, "the end", func() { c.Stop(context.Background()) })
		if err := c.Err(); err != nil {
			t.Errorf("an end of our own is told as a loss: %v", err)
		}
		if _, err := c.Read(); err == nil {
			t.Error("something is read from a connection that has ended")
		}
	}
}

// socketServer serves WebSocket connections by a function.
func socketServer(t *testing.T, f func(r *http.Request, c *websocket.Conn)) string {
	t.Helper()
	ws, _, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		f(r, c)
	}), false)
	return ws
}

func TestASocketIgnoresBinaryAndRefusesWhatIsTooLong(t *testing.T) {
	ctx := context.Background()
	ws := socketServer(t, func(_ *http.Request, c *websocket.Conn) {
		_ = c.Write(ctx, websocket.MessageBinary, []byte(`{"binary":true}`))
		_ = c.Write(ctx, websocket.MessageText, []byte(strings.Repeat("x", 2000)))
		_ = c.Write(ctx, websocket.MessageText, []byte(`{"next":true}`))
		_, _, _ = c.Read(ctx)
	})
	c := dial(t, Options{URL: ws, MaxMessage: 1000})
	if m, err := c.Read(); !errors.Is(err, acpclient.ErrMessageRefused) {
		t.Errorf("read %q, %v", m, err)
	}
	if m, err := c.Read(); string(m) != `{"next":true}` || err != nil {
		t.Errorf("after it, read %q, %v", m, err)
	}
}

func TestHeadersAndCookiesReachTheServerOfEveryConnection(t *testing.T) {
	var mu sync.Mutex
	var got []string
	ws, _, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "node", Value: "seven"})
		mu.Lock()
		got = append(got, r.Header.Get("Authorization")+" "+r.Header.Get("Cookie"))
		mu.Unlock()
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		_ = c.Close(websocket.StatusNormalClosure, "")
	}), false)
	a, err := New(Options{URL: ws, Headers: map[string]string{"Authorization": "Bearer hunter2"}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		c := connectWith(t, a)
		_, _ = c.Read()
		c.Stop(context.Background())
	}
	mu.Lock()
	defer mu.Unlock()
	if len(got) != 2 || got[0] != "Bearer hunter2 " || got[1] != "Bearer hunter2 node=seven" {
		t.Errorf("the server got %q", got)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	reached := make(chan string, 1)
	_, other, _ := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		reached <- r.Header.Get("X-Token")
	}), false)
	ws, _, _ := serve(t, http.RedirectHandler(other+"/elsewhere?token=hunter3", http.StatusTemporaryRedirect), false)
	c := dial(t, Options{URL: ws + "/acp?key=hunter4", Headers: map[string]string{"X-Token": "hunter2"}})
	_, err := c.Read()
	if err == nil || !strings.Contains(err.Error(), "/elsewhere") || strings.Contains(err.Error(), "hunter") {
		t.Errorf("%v", err)
	}
	select {
	case token := <-reached:
		t.Errorf("the other server was asked, with %q", token)
	default:
	}
}

func TestWhatIsWrongWithAServerIsSaid(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"no WebSocket", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }, "the server answered 200 OK (hello)"},
		{"refused", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "who are you?", http.StatusUnauthorized) }, "401 Unauthorized (who are you?): it may want headers"},
		{"endless headers", func(w http.ResponseWriter, _ *http.Request) {
			for range 100 {
				w.Header().Add("X-Long", strings.Repeat("y", 10_000))
			}
		}, "cannot connect to"},
	} {
		ws, _, _ := serve(t, tt.answer, false)
		c := dial(t, Options{URL: ws})
		within(t, tt.name, func() {
			if _, err := c.Read(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v", tt.name, err)
			}
		})
		var lost *Error
		if err := c.Err(); !errors.As(err, &lost) || lost.Connected {
			t.Errorf("%s: it is taken for connected: %v", tt.name, err)
		}
	}
}

// A server that says which token it does not like does not have it written into the logs of
// whoever reaches it.
func TestASecretThatAServerRepeatsIsNotSaid(t *testing.T) {
	ws, _, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		http.Error(w, strings.Repeat("x", 190)+" "+token+" and "+r.URL.RawQuery+" are not known", http.StatusUnauthorized)
	}), false)
	for _, url := range []string{ws, strings.Replace(ws, "ws", "http", 1)} {
		c := dial(t, Options{URL: url + "/acp?key=hunter-key&v=1", Headers: map[string]string{"Authorization": "Bearer hunter-token"}})
		within(t, url, func() {
			err := c.Write([]byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`))
			if err == nil || strings.Contains(err.Error(), "hunt") || !strings.Contains(err.Error(), "401 Unauthorized (xxx") {
				t.Errorf("%s: %v", url, err)
			}
		})
	}
}

func TestACertificateIsChecked(t *testing.T) {
	ws, _, _ := serve(t, agentServer(t, echo), true)
	c := dial(t, Options{URL: ws})
	if err := c.Write([]byte("{}")); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%v", err)
	}
}

func TestAnAddressWithoutTLSIsThisMachine(t *testing.T) {
	for _, tt := range []struct {
		url      string
		insecure bool
		want     string // of the error; "" is none
	}{
		{"ws://localhost:1", false, ""},
		{"http://127.0.0.2:1/acp", false, ""},
		{"ws://[::1]:1", false, ""},
		{"wss://agents.example.com", false, ""},
		{"ws://agents.example.com", true, ""},
		{"ws://agents.example.com", false, "insecure = true"},
		{"http://localhost.example.com", false, "insecure = true"},
		{"http://127.0.0.1.example.com", false, "insecure = true"},
		{"ftp://localhost", true, "needs a host and https://"},
		{"localhost:80", true, "needs a host and https://"},
		{"https://", true, "needs a host"},
		{"https://me:hunter2@example.com", true, "headers"},
		{"https://exa mple.com/hunter2", true, "invalid agent URL"},
	} {
		_, err := New(Options{URL: tt.url, Insecure: tt.insecure})
		switch {
		case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v", tt.url, err)
		case err != nil && strings.Contains(err.Error(), "hunter2"):
			t.Errorf("a secret is shown: %v", err)
		}
	}
}

func TestALostConnectionIsTold(t *testing.T) {
	ws := socketServer(t, func(_ *http.Request, c *websocket.Conn) {
		_ = c.Close(websocket.StatusGoingAway, "we close at six")
	})
	c := dial(t, Options{URL: ws})
	_, err := c.Read()
	var lost *Error
	if !errors.As(err, &lost) || !lost.Connected || !strings.Contains(err.Error(), "we close at six") {
		t.Errorf("%v", err)
	}
	within(t, "the end", func() { c.Close(); <-c.Done() })
	if c.Err() != err {
		t.Errorf("%v is told, and later %v", err, c.Err())
	}
}

func TestASilentServerIsGivenUp(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	ws := socketServer(t, func(*http.Request, *websocket.Conn) { <-hang }) // it reads nothing, so that no ping is answered
	a, err := New(Options{URL: ws})
	if err != nil {
		t.Fatal(err)
	}
	a.pingEvery, a.pingPatience = time.Millisecond, 10*time.Millisecond
	c := connectWith(t, a)
	within(t, "giving up", func() {
		if _, err := c.Read(); err == nil || !strings.Contains(err.Error(), errSilent.Error()) {
			t.Errorf("%v", err)
		}
	})
}

// A server that answers pings is never given up, nor is one while nobody reads.
func TestAServerThatIsThereIsKept(t *testing.T) {
	pinged := make(chan struct{}, 100)
	ws, _, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, &websocket.AcceptOptions{OnPingReceived: func(context.Context, []byte) bool {
			select {
			case pinged <- struct{}{}:
			default:
			}
			return true
		}})
		if err != nil {
			return
		}
		defer c.CloseNow()
		for {
			kind, m, err := c.Read(context.Background())
			if err != nil || c.Write(context.Background(), kind, m) != nil {
				return
			}
		}
	}), false)
	a, err := New(Options{URL: ws})
	if err != nil {
		t.Fatal(err)
	}
	a.pingEvery = time.Millisecond
	c := connectWith(t, a)
	read := make(chan string)
	go func() {
		defer close(read)
		for {
			m, err := c.Read()
			if err != nil {
				return
			}
			read <- string(m)
		}
	}()
	for range 5 {
		<-pinged
	}
	if err := c.Write([]byte("still there")); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "still there" {
		t.Errorf("read %q", got)
	}
	c.Stop(context.Background())
	<-read
}

// While nobody reads, the server cannot send for ever.
func TestASlowReaderHoldsUpTheServer(t *testing.T) {
	taken, sent := make(chan struct{}), make(chan int, 1)
	ws := socketServer(t, func(_ *http.Request, c *websocket.Conn) {
		m := []byte(strings.Repeat("x", 1<<20))
		_ = c.Write(context.Background(), websocket.MessageText, m)
		<-taken
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		n := 1
		for c.Write(ctx, websocket.MessageText, m) == nil && n < 1000 {
			n++
		}
		sent <- n
	})
	c := dial(t, Options{URL: ws})
	_, err := c.Read()
	close(taken) // from here on nobody reads
	if err != nil {
		t.Fatal(err)
	}
	if n := <-sent; n > 100 {
		t.Errorf("%d MiB were taken while nobody read", n)
	}
}

func TestAConnectionThatIsBeingMadeCanBeEnded(t *testing.T) {
	hang := make(chan struct{})
	asked := make(chan struct{})
	ws, _, _ := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(asked)
		<-hang
	}), false)
	defer close(hang)
	c := dial(t, Options{URL: ws})
	<-asked
	within(t, "the end", func() { c.Stop(context.Background()) })
	if _, err := c.Read(); err == nil {
		t.Error("something is read")
	}
}
