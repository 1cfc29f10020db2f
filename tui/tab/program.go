package tab

import (
	"context"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/theme"
)

// Program is what a tab needs from the program.
type Program struct {
	app.Backend
	// Context ends when the program does.
	Context context.Context
	Theme   *theme.Theme
	Keys    config.Keys
	// Vim enables vim keys in prompts.
	Vim bool
	// Guard protects the visible dialog, whichever tab owns it.
	Guard   *dialog.Guard
	History *composer.History
	// Tabs is the row of tabs; nil is one of a single tab.
	Tabs Tabs
	// ThemeSwitcher draws everything in a theme; nil has only one.
	ThemeSwitcher themeSwitcher
	// ReducedMotion disables animations.
	ReducedMotion bool
	Version       string
	// Changes is the changelog, in Markdown.
	Changes string
	// Clipboard puts text on the system's clipboard and returns the name of the program that took it. It is nil if the system has none.
	Clipboard func(ctx context.Context, text string) (way string, err error)
	// ClipboardImage reads the image on the system's clipboard. It is nil if the system has none.
	ClipboardImage func(ctx context.Context, most int64) ([]byte, error)
	// Now is the clock.
	Now func() time.Time
}

// ID identifies a tab. It is unique within a program.
type ID int

// Msg is a message for one tab, visible or not.
type Msg struct {
	To  ID
	Msg tea.Msg
}

// Request is a message from a tab to the program, for what only the program can do. It is
// one of the types below.
type Request interface{ request() }

// Quit asks to leave the program.
type Quit struct {
	// Despite is the tab whose running turn the person knows about, or 0.
	Despite ID
	// Sure means that they know about all tabs.
	Sure bool
}

// Leave asks to close an empty tab.
type Leave struct{ Tab ID }

// End asks to run Do in the background. The program waits for it before it exits.
type End struct{ Do func(context.Context) }

// Copy asks to put text on the terminal's clipboard.
type Copy struct{ Text string }

// Suspend asks to stop the program, as a shell does, until it is continued.
type Suspend struct{}

// Exec asks to run a program on the terminal. Done turns its result into a message, which
// must name its tab.
type Exec struct {
	Cmd  *exec.Cmd
	Done tea.ExecCallback
}

func (Quit) request()    {}
func (Leave) request()   {}
func (End) request()     {}
func (Copy) request()    {}
func (Exec) request()    {}
func (Suspend) request() {}

// send returns a command that sends a request.
func send(w Request) tea.Cmd { return func() tea.Msg { return w } }

// exec runs a program on the terminal. The message of done goes to this tab.
func (t *Tab) exec(c *exec.Cmd, done tea.ExecCallback) tea.Cmd {
	id := t.id
	return send(Exec{c, func(err error) tea.Msg { return addressed(id, done(err)) }})
}

// address addresses all messages of a command to this tab, except requests, which go to
// the program. All commands of a tab pass through here.
//
// Bubble Tea's own commands other than [tea.Batch] must not: their messages are for the
// event loop. A tab sends a Request instead.
func (t *Tab) address(cmd tea.Cmd) tea.Cmd { return addressedCmd(t.id, cmd) }

func addressedCmd(to ID, cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg { return addressed(to, cmd()) }
}

func addressed(to ID, msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case nil, Request, Msg: // of another tab
		return msg
	case tea.BatchMsg:
		cmds := make(tea.BatchMsg, len(msg))
		for i, cmd := range msg {
			cmds[i] = addressedCmd(to, cmd)
		}
		return cmds
	}
	return Msg{to, msg}
}
