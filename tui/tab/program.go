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

// Program is what a tab needs of the program that it is a part of.
type Program struct {
	app.Backend
	// Context ends with the program.
	Context context.Context
	Theme   *theme.Theme
	Keys    config.Keys
	// Vim is whether prompts are edited by the keys of vim.
	Vim bool
	// Guard watches over the dialog that is on the screen, whichever tab's it is.
	Guard   *dialog.Guard
	History *composer.History
	// Tabs is the row of tabs; nil is one of a single tab.
	Tabs Tabs
	// ThemeSwitcher draws everything in a theme; nil has only one.
	ThemeSwitcher themeSwitcher
	// ReducedMotion lets nothing move by itself.
	ReducedMotion bool
	Version       string
	// Changes says what has changed from version to version, in Markdown.
	Changes string
	// Clipboard puts text on the system's clipboard and returns the name of the
	// program that took it; see [clipboard.System.Copy]. nil is a system that has
	// none.
	Clipboard func(ctx context.Context, text string) (way string, err error)
	// ClipboardImage is the image on the system's clipboard; see [clipboard.System.Image].
	// nil is a system that has none.
	ClipboardImage func(ctx context.Context, most int64) ([]byte, error)
	// Now is the clock.
	Now func() time.Time
}

// ID names a tab. No two tabs of a program ever have the same.
type ID int

// Msg is a message for one tab, whether or not it is on the screen.
type Msg struct {
	To  ID
	Msg tea.Msg
}

// Request is a message of a tab to the program: what only the program can do. It is
// one of the types below.
type Request interface{ request() }

// Quit is the wish to leave the program.
type Quit struct {
	// Despite is the tab of which the person knows that its turn is ended by it,
	// 0 if there is none.
	Despite ID
	// Sure says that they know it of all tabs.
	Sure bool
}

// Leave is the wish of a tab to be closed: there is nothing in it.
type Leave struct{ Tab ID }

// End is the wish to let go of what was started and is not needed any more, beside
// the screen. The end of the program waits for it.
type End struct{ Do func(context.Context) }

// Copy is the wish to put text on the terminal's clipboard.
type Copy struct{ Text string }

// Suspend is the wish to stop the program, as a shell does, until it is continued.
type Suspend struct{}

// Exec is the wish to run a program on the terminal, which is the program's until
// it has ended. Done then makes a message of how it ended; the message says by
// itself which tab it is for.
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

// send is the command that sends a wish.
func send(w Request) tea.Cmd { return func() tea.Msg { return w } }

// exec is the command that runs a program on the terminal. The message of done is
// for this tab.
func (t *Tab) exec(c *exec.Cmd, done tea.ExecCallback) tea.Cmd {
	id := t.id
	return send(Exec{c, func(err error) tea.Msg { return addressed(id, done(err)) }})
}

// address makes every message that a command brings one for this tab; wishes go
// to the program as they are. All commands of a tab leave it through here.
//
// The commands of Bubble Tea itself, other than [tea.Batch], must not: what they
// bring is for the event loop. What a tab wants of that, it wishes for.
func (t *Tab) address(cmd tea.Cmd) tea.Cmd { return addressedCmd(t.id, cmd) }

func addressedCmd(to ID, cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg { return addressed(to, cmd()) }
}

func addressed(to ID, msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case nil, Request, Msg: // one of another tab that was opened from this one
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
