package terminal

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/conpty"
	"golang.org/x/sys/windows"

	"parley/internal/process"
)

// child is a command on a pseudo console (ConPTY).
type child struct {
	console *conpty.ConPty
	handle  windows.Handle
	tree    *process.Tree

	chunks chan []byte   // output of the command, until hangUp
	rest   []byte        // the unread rest of the last chunk
	hung   chan struct{} // closed by hangUp
	hang   sync.Once

	mu       sync.Mutex
	deadline time.Time
	moved    chan struct{} // closed and replaced when the deadline changes
}

// start runs c on a new pseudo console. Without input nothing can be typed into it, but
// the command reads no end of file either: Windows has no console for output only.
func start(c command, cols, rows int, _ bool) (*child, error) {
	console, err := conpty.New(cols, rows, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot open a console for %q: %w", c.argv[0], err)
	}
	pid, handle, err := console.Spawn(c.path, c.argv, &syscall.ProcAttr{Dir: c.dir, Env: c.env})
	if err != nil {
		_ = console.Close()
		return nil, fmt.Errorf("cannot run %q: %w", c.argv[0], err)
	}
	p := &child{
		console: console, handle: windows.Handle(handle), tree: process.NewTree(pid),
		chunks: make(chan []byte), hung: make(chan struct{}), moved: make(chan struct{}),
	}
	go p.pump()
	return p, nil
}

// pump reads the console, whose reads have no deadline. It keeps reading after hangUp,
// because Windows may not close the console until its output has been read.
func (p *child) pump() {
	defer close(p.chunks)
	for {
		buf := make([]byte, readSize)
		n, err := p.console.Read(buf)
		if n > 0 {
			select {
			case p.chunks <- buf[:n]:
			case <-p.hung:
			}
		}
		if err != nil {
			return
		}
	}
}

// read waits for output, for the deadline or for the end of the console.
func (p *child) read(buf []byte) (int, error) {
	for len(p.rest) == 0 {
		p.mu.Lock()
		deadline, moved := p.deadline, p.moved
		p.mu.Unlock()
		var late <-chan time.Time
		if !deadline.IsZero() {
			late = time.After(time.Until(deadline))
		}
		select {
		case chunk, open := <-p.chunks:
			if !open {
				return 0, io.EOF
			}
			p.rest = chunk
		case <-late:
			return 0, os.ErrDeadlineExceeded
		case <-moved:
		case <-p.hung:
			return 0, io.EOF
		}
	}
	n := copy(buf, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func (p *child) write(data []byte) error {
	for len(data) > 0 {
		n, err := p.console.Write(data)
		if err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// resize notifies the programs on the console of a new size.
func (p *child) resize(cols, rows int) error { return p.console.Resize(cols, rows) }

// hidesInput reports false: a console does not tell.
func (p *child) hidesInput() bool { return false }

// stopReadingIn makes pending and later reads fail with os.ErrDeadlineExceeded after d;
// zero removes the deadline.
func (p *child) stopReadingIn(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deadline = time.Time{}
	if d > 0 {
		p.deadline = time.Now().Add(d)
	}
	close(p.moved)
	p.moved = make(chan struct{})
}

// hangUp closes the console: pending reads end, and the system ends the processes that
// are still on it.
func (p *child) hangUp() {
	p.hang.Do(func() {
		close(p.hung)
		_ = p.console.Close()
	})
}

// wait returns when the command itself has ended. Call it once.
func (p *child) wait() ExitStatus {
	_, _ = windows.WaitForSingleObject(p.handle, windows.INFINITE)
	var code uint32
	_ = windows.GetExitCodeProcess(p.handle, &code) // the handle is ours and has the right to query
	p.tree.Reaped()
	_ = windows.CloseHandle(p.handle)
	return ExitStatus{ExitCode: &code}
}

func executable(string, fs.FileInfo) bool { return true }

// spellings returns the files that a program name may mean, with the endings that
// Windows lets users omit.
func spellings(file string) []string {
	if filepath.Ext(file) != "" {
		return []string{file}
	}
	endings := os.Getenv("PATHEXT")
	if endings == "" {
		endings = ".com;.exe;.bat;.cmd"
	}
	var files []string
	for _, ending := range strings.Split(strings.ToLower(endings), ";") {
		if ending != "" {
			files = append(files, file+ending)
		}
	}
	return append(files, file)
}

func shell(line string) []string { return []string{"cmd", "/C", line} }
