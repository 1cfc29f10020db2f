package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"parley/config"
)

// clientSocket is the name of the socket for clients of the protocol. No host has it: their IDs have no
// dot, and their sockets another extension.
const clientSocket = "serve.acp"

// Clients is the socket at which clients of the protocol reach the sessions of this machine. They show
// the key beside it, as viewers of a host do, and none descends from this process or from a host.
type Clients struct {
	*socket
	lock *os.File // held while it listens
}

// ListenForClients creates the socket for clients, and its key, in the directory of the hosts' sockets. It
// fails if another process listens there. refused is called with some of the connections that were
// refused, and how many there were so far.
func ListenForClients(refused func(soFar int64, err error)) (*Clients, error) {
	dir, err := socketDir()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, clientSocket)
	if _, err := ours(path+".lock", 0); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, config.FileMode)
	if err != nil {
		return nil, err
	}
	free, err := config.TryLock(lock)
	if free && listens(path) { // the lock's file may have been removed meanwhile
		free = false
	}
	if err == nil && !free {
		err = fmt.Errorf("'parley serve --socket' runs already: it listens at %s", path)
	}
	var s *socket
	if err == nil {
		var n refusals
		s, err = listenIn(dir, clientSocket, "", startedElsewhere, func(err error) { n.note(func(soFar int64) { refused(soFar, err) }) })
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return &Clients{s, lock}, nil
}

// listens reports whether a process listens at a path, as far as can be told.
func listens(path string) bool {
	c, err := net.Dial("unix", path)
	if err == nil {
		_ = c.Close()
	}
	return err == nil || !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, fs.ErrNotExist)
}

// startedElsewhere refuses descendants of this process.
func startedElsewhere(p Process) error {
	child, err := p.child()
	if err == nil && child != 0 {
		err = errOwnChild
	}
	return err
}

// Path returns the path of the socket. Its key is in the file of that name with ".key" behind it.
func (c *Clients) Path() string { return c.path }

// Close stops listening.
func (c *Clients) Close() error {
	err := c.socket.Close()
	config.Unlock(c.lock)
	return errors.Join(err, c.lock.Close())
}

// Serve calls serve for each client that is admitted, with its process, until ctx ends, and closes c. It
// waits for the calls.
func (c *Clients) Serve(ctx context.Context, serve func(context.Context, net.Conn, *Process)) error {
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(ctx, func() { _ = c.Listener.Close() })
	var clients sync.WaitGroup
	defer clients.Wait()
	defer cancel()
	defer c.Close()
	for {
		conn, err := c.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		clients.Go(func() {
			stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
			defer stop()
			defer conn.Close()
			if p, err := admit(ctx, conn.(*guest)); err == nil {
				serve(ctx, conn, p)
			} else {
				tellClient(conn, err)
			}
		})
	}
}

// admit reads the first line of a connection, which has to show the key, and returns who has connected.
// Each host is asked whether it has started that.
func admit(ctx context.Context, g *guest) (*Process, error) {
	var line []byte
	for one := make([]byte, 1); len(line) == 0 || line[len(line)-1] != '\n'; line = append(line, one[0]) {
		if _, err := g.Read(one); err != nil {
			return nil, errNoProof
		}
	}
	var m struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal(line, &m) == nil && m.Method == notifyProve {
		g.prove(m.Params)
	}
	if g.refusal != nil {
		return nil, g.refusal
	}
	p, err := processAt(g.Conn)
	if err == nil {
		err = askHosts(ctx, p)
	}
	if err != nil {
		g.socket.refused(err)
		return nil, err
	}
	return &p, nil
}

// askHosts asks each host that runs whether it admits a process. One that does not answer could have
// started it.
func askHosts(ctx context.Context, p Process) error {
	dir, err := Dir()
	if err != nil {
		return err
	}
	ids, err := hostsIn(dir)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	answers := make(chan error, len(ids))
	for _, id := range ids {
		go func() {
			err := requestFor(ctx, id, &p, requestStatus, nil)
			if err != nil && !errors.As(err, new(refusedError)) { // it may just have ended
				err = requestFor(ctx, id, &p, requestStatus, nil)
			}
			switch {
			case errors.Is(err, ErrGone):
				err = nil
			case err != nil && !errors.As(err, new(refusedError)):
				err = fmt.Errorf("the session %s does not say whether it has started this client: %w", id, err)
			}
			answers <- err
		}()
	}
	for range ids {
		err = errors.Join(err, <-answers)
	}
	return err
}

// tellClient tells a client why it is refused.
func tellClient(c net.Conn, why error) {
	text, err := json.Marshal(why.Error())
	if err == nil {
		_ = c.SetWriteDeadline(time.Now().Add(proofTime))
		_, _ = fmt.Fprintf(c, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%s}}`+"\n", notAdmitted, text)
	}
}
