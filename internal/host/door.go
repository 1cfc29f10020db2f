package host

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"parley/acpclient"
)

// First of all, a connection proves that it is the user's by showing the session's key, which
// is beside the socket, where no sandbox lets an agent read. The proof is a line of JSON-RPC
// that is read separately, so that an unproven connection costs next to nothing.
const (
	requestProve = "prove" // proof, and an admission

	// Limits on the lines of the proof and the answer, in bytes.
	mostProof     = 512
	mostAdmission = 4 << 10
	// proofTime is how long a connection may take for its proof.
	proofTime = 5 * time.Second
	// mostUnproven limits the connections that have not proven themselves. One more closes the
	// oldest: a viewer needs only a moment, and nobody can lock others out.
	mostUnproven = 32
)

// proof is the first message of a connection.
type proof struct {
	Key string `json:"key"`
}

// proofLine is the line of a proof or of the answer to it.
type proofLine struct {
	JSONRPC string           `json:"jsonrpc"`
	ID      json.RawMessage  `json:"id"`
	Method  string           `json:"method,omitempty"`
	Params  *proof           `json:"params,omitempty"`
	Result  *struct{}        `json:"result,omitempty"`
	Error   *acpclient.Error `json:"error,omitempty"`
}

// door is a host's listener, which admits only connections that have proven to be the user's.
type door struct {
	net.Listener
	key     string
	version string               // of this parley
	check   func(net.Conn) error // refuses peers that must not even show the key
	log     *slog.Logger
	proven  chan net.Conn
	closed  chan struct{}
	work    sync.WaitGroup

	mu       sync.Mutex
	unproven []net.Conn // oldest first
	refusals int
	shut     bool
}

func newDoor(l net.Listener, key, version string, check func(net.Conn) error, log *slog.Logger) *door {
	d := &door{Listener: l, key: key, version: version, check: check, log: log, proven: make(chan net.Conn), closed: make(chan struct{})}
	d.work.Go(d.watch)
	return d
}

// watch accepts connections until the listener is closed.
func (d *door) watch() {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return
		}
		if !d.enter(c) {
			return
		}
		d.work.Go(func() {
			err := d.admit(c)
			d.leave(c)
			if err != nil {
				_ = c.Close()
				d.refused(err)
				return
			}
			select {
			case d.proven <- c:
			case <-d.closed:
				_ = c.Close()
			}
		})
	}
}

// refused logs the first refused connection, the second, the fourth, the eighth, and so on, so
// that nobody can fill the disk.
func (d *door) refused(err error) {
	d.mu.Lock()
	d.refusals++
	n := d.refusals
	d.mu.Unlock()
	if n&(n-1) == 0 {
		d.log.Warn("connections were refused", "so far", n, "error", err)
	}
}

// enter adds a connection to the unproven ones.
func (d *door) enter(c net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shut {
		_ = c.Close()
		return false
	}
	if len(d.unproven) == mostUnproven {
		_ = d.unproven[0].Close()
		d.unproven = slices.Delete(d.unproven, 0, 1)
	}
	d.unproven = append(d.unproven, c)
	return true
}

// leave removes a connection from the unproven ones.
func (d *door) leave(c net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unproven = slices.DeleteFunc(d.unproven, func(o net.Conn) bool { return o == c })
}

// admit waits for the proof and answers it.
func (d *door) admit(c net.Conn) error {
	_ = c.SetDeadline(time.Now().Add(proofTime)) // fails only if it is closed
	if err := d.check(c); err != nil {
		if errors.Is(err, errOwnChild) {
			answerProof(c, nil, err)
		}
		return err
	}
	line, err := readLine(c, mostProof)
	if err != nil {
		return fmt.Errorf("wait for its proof: %w", err)
	}
	var said proofLine
	err = errNoProof
	if json.Unmarshal(line, &said) != nil || said.Params == nil {
		said.Params = &proof{}
	}
	switch {
	case said.Method != requestProve:
		err = fmt.Errorf("the session runs in parley %s, and asks for a proof that this parley does not know: attach with that version", d.version)
	case subtle.ConstantTimeCompare([]byte(said.Params.Key), []byte(d.key)) == 1:
		err = nil
	}
	answerProof(c, said.ID, err)
	if err == nil {
		err = c.SetDeadline(time.Time{})
	}
	return err
}

var (
	errNoProof  = errors.New("this is not the key of the session: only parleys of the user who runs it get in")
	errOwnChild = errors.New("what a session has started cannot steer that session")
)

// answerProof answers a proof; err is nil for a valid one.
func answerProof(c io.Writer, id json.RawMessage, err error) {
	a := proofLine{JSONRPC: "2.0", ID: id}
	if err == nil {
		a.Result = &struct{}{}
	} else {
		a.Error = &acpclient.Error{Code: notAdmitted, Message: err.Error()}
	}
	line, err := json.Marshal(a)
	if err == nil {
		_, _ = c.Write(append(line, '\n')) // on an error it is gone
	}
}

// notAdmitted is the error code for a connection that has not proven to be the user's.
const notAdmitted acpclient.ErrorCode = -32051

// Accept implements [net.Listener].
func (d *door) Accept() (net.Conn, error) {
	select {
	case c := <-d.proven:
		return c, nil
	case <-d.closed:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener]. It also closes unproven connections.
func (d *door) Close() error {
	d.mu.Lock()
	again := d.shut
	d.shut = true
	for _, c := range d.unproven {
		_ = c.Close()
	}
	d.mu.Unlock()
	if again {
		return nil
	}
	close(d.closed)
	err := d.Listener.Close()
	d.work.Wait()
	return err
}

// refusedError is why a host does not admit a viewer. Trying again is pointless.
type refusedError string

func (e refusedError) Error() string { return string(e) }

// prove shows a host the session's key, and waits to be admitted.
func prove(ctx context.Context, c net.Conn, key string) error {
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	line, err := json.Marshal(proofLine{JSONRPC: "2.0", ID: json.RawMessage("0"), Method: requestProve, Params: &proof{key}})
	if err != nil {
		return err
	}
	// A host may refuse without waiting for the proof: read its answer anyway.
	_, sent := c.Write(append(line, '\n'))
	line, err = readLine(c, mostAdmission)
	if !stop() {
		return ctx.Err()
	}
	if err != nil {
		return errors.Join(sent, err)
	}
	var a proofLine
	switch err := json.Unmarshal(line, &a); {
	case err != nil || a.JSONRPC == "":
		return refusedError("the other end is no parley")
	case a.Error == nil:
		return nil
	case a.Error.Code == acpclient.CodeMethodNotFound:
		return refusedError("the session runs in an older parley, which this one cannot attach to: attach with that version, or end its process")
	default:
		return refusedError(a.Error.Message)
	}
}

// errLong means that the other end has exceeded a limit.
var errLong = errors.New("it sends too much")

// readLine reads one line, of at most most bytes, and nothing after it.
func readLine(c io.Reader, most int) ([]byte, error) {
	buf := make([]byte, 0, most)
	for {
		n, err := c.Read(buf[len(buf):most])
		buf = buf[:len(buf)+n]
		switch end := bytes.IndexByte(buf, '\n'); {
		case end >= 0 && end == len(buf)-1:
			return buf[:end], nil
		case end >= 0 || len(buf) == most:
			return nil, errLong
		case err != nil:
			return nil, err
		}
	}
}

// ownPeer refuses connections of other users, since file modes do not keep them out on every
// system, and of the host's own descendants, except for the user's own commands.
func (h *Host) ownPeer(c net.Conn) error {
	if err := ownPeer(c); err != nil {
		return err
	}
	child, err := peerChild(c)
	if err != nil {
		return fmt.Errorf("who connects: %w", err)
	}
	if _, users := h.own.Load(child); child != 0 && !users {
		return errOwnChild
	}
	return nil
}
