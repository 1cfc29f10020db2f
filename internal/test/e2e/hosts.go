//go:build unix

package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"parley/internal/host"
)

// sockets are those of the sessions that run below a home directory.
func sockets(home string) []string {
	found, _ := filepath.Glob(filepath.Join(home, ".run", "parley", "*.sock")) // the pattern is a good one
	return found
}

// askHost asks a host what it does. The connection ends with the host.
func askHost(socket string) (s host.Status, c net.Conn, err error) {
	const patience = 20 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if c, err = host.Connect(ctx, socket); err != nil {
		return s, nil, err
	}
	_ = c.SetDeadline(time.Now().Add(patience))
	var line []byte
	if _, err = io.WriteString(c, `{"jsonrpc":"2.0","id":1,"method":"status","params":{}}`+"\n"); err == nil {
		line, err = bufio.NewReader(c).ReadBytes('\n')
	}
	answer := struct{ Result *host.Status }{&s}
	if err == nil {
		err = json.Unmarshal(line, &answer)
	}
	return s, c, err
}

// greet connects to the socket of parley serve, shows its key and begins.
func greet(path string) (net.Conn, error) {
	key, err := os.ReadFile(path + ".key")
	if err != nil {
		return nil, err
	}
	c, err := net.Dial("unix", path)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(c, `{"jsonrpc":"2.0","method":"prove","params":{"key":%q}}`+"\n"+
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`+"\n", key)
	return c, err
}

// EndHosts ends the sessions that run below a home directory. Make it a cleanup after Start,
// so that it comes before that of the terminal, which wants no process to be left.
func EndHosts(home string) {
	for _, socket := range sockets(home) {
		s, c, err := askHost(socket)
		if err != nil || s.PID == 0 {
			continue
		}
		_ = syscall.Kill(s.PID, syscall.SIGTERM)
		if _, err := io.Copy(io.Discard, c); err != nil { // it closes it at its end
			_ = syscall.Kill(s.PID, syscall.SIGKILL)
		}
		_ = c.Close()
	}
}
