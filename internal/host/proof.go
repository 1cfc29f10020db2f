package host

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"parley/acpclient"
	files "parley/fs"
)

// A connection proves that it is the user's by its first message, which shows the session's key.
// The key is beside the socket, where no sandbox lets an agent read.
const (
	notifyProve = "prove" // proof

	// mostProof limits what is read of an unproven connection, in bytes, and proofTime how long
	// it may take for its proof.
	mostProof = 512
	proofTime = 5 * time.Second
	// mostUnproven limits the connections that have not proven themselves. One more closes the
	// oldest: a viewer needs only a moment, and no user can lock others out.
	mostUnproven = 32
	// acceptPause is how long after a failure for want of file descriptors the next attempt is.
	acceptPause = 100 * time.Millisecond
	// notAdmitted is the code of the error for all that an unproven connection asks for.
	notAdmitted acpclient.ErrorCode = -32051
)

type proof struct {
	Key string `json:"key"`
	// For is the process that the connection acts for; nil if that is the one that has connected.
	For *Process `json:"for,omitempty"`
}

// Process is a process that lives: no two have the same id and began at the same time.
type Process struct {
	PID     int    `json:"pid"`
	Started uint64 `json:"started"` // see [process.Started]
}

var (
	errNoProof  = errors.New("the key is missing or wrong: it is in the file beside the socket")
	errOwnChild = errors.New("what a session has started cannot steer that session")
)

// refusedError is why a host does not admit a viewer. Trying again is pointless.
type refusedError string

func (e refusedError) Error() string { return string(e) }

// prove shows a host the session's key. A host that refuses it says so at the first request.
func prove(c io.Writer, p proof) error {
	params, err := json.Marshal(p)
	if err == nil {
		_, err = fmt.Fprintf(c, `{"jsonrpc":"2.0","method":"%s","params":%s}`+"\n", notifyProve, params)
	}
	return err
}

// socket is the listener of a host, or of clients. It removes its file and its key when closed.
type socket struct {
	net.Listener
	path, keyPath string
	file          fs.FileInfo // what it has made at path
	key           string
	check         func(net.Conn) error // refuses peers that must not even show the key: checkPeer
	admits        func(Process) error  // refuses processes, as peers or behind one
	refused       func(error)

	mu       sync.Mutex
	unproven []*guest // oldest first
	closed   bool
}

// checkPeer refuses connections of other users, since file modes do not keep them out on every
// system, and of processes that are not admitted.
func (s *socket) checkPeer(c net.Conn) error {
	if err := ownPeer(c); err != nil {
		return err
	}
	p, err := processAt(c)
	if err != nil {
		return err
	}
	return s.admits(p)
}

// Accept implements [net.Listener].
func (s *socket) Accept() (net.Conn, error) {
	for {
		c, err := s.Listener.Accept()
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			time.Sleep(acceptPause) // until something is closed
			continue
		}
		if err != nil {
			return nil, err
		}
		g := &guest{Conn: c, socket: s, refusal: errNoProof, left: mostProof}
		if err := s.check(c); errors.Is(err, errOwnChild) {
			g.refusal = err
		} else if err != nil {
			_ = c.Close()
			s.refused(err)
			continue
		}
		_ = c.SetReadDeadline(time.Now().Add(proofTime)) // fails only if it is closed
		s.enter(g)
		return g, nil
	}
}

// enter adds a connection to the unproven ones.
func (s *socket) enter(g *guest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.unproven) == mostUnproven {
		_ = s.unproven[0].Conn.Close()
		s.unproven = slices.Delete(s.unproven, 0, 1)
		s.refused(errNoProof)
	}
	if s.unproven = append(s.unproven, g); s.closed {
		_ = g.Conn.Close()
	}
}

// leave removes a connection from the unproven ones, and reports whether it was one.
func (s *socket) leave(g *guest) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.unproven, g)
	if i >= 0 {
		s.unproven = slices.Delete(s.unproven, i, i+1)
	}
	return i >= 0
}

// Close implements [net.Listener]. It also closes unproven connections.
func (s *socket) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, g := range s.unproven {
		_ = g.Conn.Close()
	}
	var err error
	if now, gone := os.Lstat(s.path); gone == nil && os.SameFile(now, s.file) { // another may listen there meanwhile
		err = remove(s.path, os.ModeSocket)
	}
	if key, gone := files.ReadHead(s.keyPath, mostKey); gone == nil && string(key) == s.key {
		err = errors.Join(err, remove(s.keyPath, 0))
	}
	return errors.Join(err, s.Listener.Close())
}

// guest is a connection from the socket. Its fields are its reader's.
type guest struct {
	net.Conn
	socket  *socket
	refusal error // why it is not admitted; nil once it has proven itself
	left    int   // how many bytes of it are read before that
}

// Read implements [io.Reader].
func (g *guest) Read(b []byte) (int, error) {
	if g.refusal == nil {
		return g.Conn.Read(b)
	}
	if g.left == 0 {
		return 0, g.refusal
	}
	n, err := g.Conn.Read(b[:min(len(b), g.left)])
	g.left -= n
	return n, err
}

// Close implements [io.Closer].
func (g *guest) Close() error {
	if g.socket.leave(g) {
		g.socket.refused(g.refusal)
	}
	return g.Conn.Close()
}

// prove admits the connection if it shows the key.
func (g *guest) prove(params json.RawMessage) {
	var p proof
	shows := json.Unmarshal(params, &p) == nil && subtle.ConstantTimeCompare([]byte(p.Key), []byte(g.socket.key)) == 1
	if !shows || !errors.Is(g.refusal, errNoProof) || !g.socket.leave(g) {
		return
	}
	if p.For != nil {
		if err := g.socket.admits(*p.For); err != nil {
			g.socket.refused(err)
			g.refusal = err
			return
		}
	}
	g.refusal = nil
	_ = g.SetReadDeadline(time.Time{})
}

// refusals counts the refused connections.
type refusals struct{ atomic.Int64 }

// note logs the first, the second, the fourth, the eighth, and so on, so that no one can fill the disk.
func (r *refusals) note(log func(soFar int64)) {
	if n := r.Add(1); n&(n-1) == 0 {
		log(n)
	}
}

func (h *Host) refused(err error) {
	h.refusals.note(func(n int64) { h.opt.Log.Warn("connections were refused", "so far", n, "error", err) })
}

// admits refuses the host's own descendants, except for the user's own commands.
func (h *Host) admits(p Process) error {
	child, err := p.child()
	if err != nil {
		return fmt.Errorf("who connects: %w", err)
	}
	if _, users := h.own.Load(child); child != 0 && !users {
		return errOwnChild
	}
	return nil
}
