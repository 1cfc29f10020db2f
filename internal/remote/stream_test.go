package remote

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// roundTrip is a server in the form of a function.
type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A session that is closed and opened again at once has a stream of its own, though that
// of the closed one has not ended yet.
func TestASessionThatIsOpenedAgainHasAStreamOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, err := New(Options{URL: "http://localhost"})
		if err != nil {
			t.Fatal(err)
		}
		s := newStreamable(a)
		opened, lasts := 0, make(chan struct{})
		s.client = &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			opened++
			return streamOf(until(lasts)), nil
		})}
		for range 2 {
			if err := s.follow("one"); err != nil {
				t.Fatal(err)
			}
			s.leave("one", true)
			s.unfollow("one")
		}
		if opened != 2 {
			t.Errorf("the session was opened twice, and its stream %d times", opened)
		}
		if err := s.follow("one"); err != nil {
			t.Fatal(err)
		}
		close(lasts) // also the streams of the closed ones end
		synctest.Wait()
		if s.ctx.Err() == nil {
			t.Error("the end of the last stream, which nobody has closed, is no loss")
		}
		s.close(s.ctx)
	})
}

// until is a reader that has nothing, and ends when a channel is closed.
type until <-chan struct{}

// Read implements io.Reader.
func (u until) Read([]byte) (int, error) {
	<-u
	return 0, io.EOF
}

// A session whose closing the server has not taken is still open: the end of its stream is
// a loss.
func TestASessionThatCouldNotBeClosedIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, err := New(Options{URL: "http://localhost"})
		if err != nil {
			t.Fatal(err)
		}
		s, lasts := newStreamable(a), make(chan struct{})
		s.client = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPost {
				return &http.Response{Status: "429 Too Many Requests", StatusCode: http.StatusTooManyRequests, Body: http.NoBody}, nil
			}
			return streamOf(until(lasts)), nil
		})}
		if err := s.write([]byte(`{"id":1,"method":"session/close","params":{"sessionId":"one"}}`)); err != nil {
			t.Fatal(err)
		}
		if m, err := s.read(); err != nil || !strings.Contains(string(m), "429") {
			t.Errorf("answered %s, %v", m, err)
		}
		close(lasts)
		synctest.Wait()
		if s.ctx.Err() == nil {
			t.Error("nobody hears of the session any more")
		}
		s.close(s.ctx)
	})
}

// streamOf is an answer that is a stream of events.
func streamOf(body io.Reader) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(body),
	}
}
