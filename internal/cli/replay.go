package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/headless"
	"parley/internal/record"
	"parley/internal/store"
	"parley/internal/termtext"
	"parley/tui"
)

// replayOptions are the flags of replay.
type replayOptions struct {
	streams *streams
	// screen runs the program on the screen. Tests replace it.
	screen   func(context.Context, tui.Options) (tui.Left, error)
	speed    record.Speed
	maxPause time.Duration
	output   string
}

// replayCommand returns the command that plays a recording or a stored session.
func replayCommand(s *streams) *cobra.Command {
	o := &replayOptions{streams: s, screen: tui.Run}
	var speed string
	cmd := leaf("replay [flags] FILE|SESSION", `Play a recording or a stored session
replay plays a session: a FILE written by --record, or a stored session named by
its ID or the beginning of it. A replay starts no program and touches no file.

On the screen, space pauses, [ and ] move by turn, + and - change the speed. If
the output is not a terminal, or with --output, replay prints the agent's answers
as 'parley run' does.`, func(cmd *cobra.Command, args []string) error { return o.check(cmd, args, speed) }, func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) })
	cmd.Example = `  parley --record session.jsonl -a claude    record a session
  parley replay session.jsonl                play it
  parley replay --speed 4 --max-pause 500ms session.jsonl
  parley replay 20261121                     play a stored session
  parley replay --output json session.jsonl  print the result, for programs`
	f := cmd.Flags()
	f.StringVar(&speed, "speed", "1", "`SPEED` of the replay: a factor such as 2 or 0.5, or max")
	f.DurationVar(&o.maxPause, "max-pause", 2*time.Second, "shorten pauses to this `TIME`; 0 skips them")
	f.StringVar(&o.output, "output", "", "print in this `FORMAT`: text, json (one object at the end) or stream-json (one event per line)")
	return cmd
}

// check checks the command line.
func (o *replayOptions) check(cmd *cobra.Command, args []string, speed string) (err error) {
	switch {
	case len(args) != 1:
		return misused(cmd, "Name a recording, or a session by its ID ('parley sessions list --all').",
			"replay takes a file or a session ID, got %d arguments", len(args))
	case o.maxPause < 0:
		return misused(cmd, "", "--max-pause cannot be negative")
	case o.output != "" && !slices.Contains(outputs, o.output):
		return misused(cmd, "", "--output must be text, json or stream-json, not %q", o.output)
	}
	if o.speed, err = record.ParseSpeed(speed); err != nil {
		return misused(cmd, "", "--speed: %w", err)
	}
	return nil
}

// run plays a file or a stored session.
func (o *replayOptions) run(ctx context.Context, what string) error {
	cfg, err := loadConfig()
	if err != nil {
		return err
	}
	script, err := scriptOf(what)
	if err != nil {
		return err
	}
	for _, fault := range script.Faults {
		fmt.Fprintln(o.streams.Err, "parley: "+termtext.Line(fault))
	}
	if o.output != "" || !o.streams.OutTerminal {
		return o.print(script, cfg)
	}
	if !o.streams.Keyboard {
		return app.WithHint("To print it instead: parley replay --output text", "no terminal to read keys from")
	}
	_, err = o.screen(ctx, tui.Options{
		Config: cfg, Cwd: script.Cwd, Version: currentVersion(),
		Replay: record.NewPlayer(script, record.PlayerOptions{Speed: o.speed, MaxPause: o.maxPause}),
	})
	return err
}

// print prints the result as a run does.
func (o *replayOptions) print(script *record.Script, cfg *config.Config) error {
	r := runOptions{startOptions: startOptions{streams: o.streams}, output: o.output}
	var opt headless.Options
	finish := r.write(&opt, cfg)
	opt.Tell, opt.Progress = nil, nil // they report on a running session
	result := headless.Replay(script.Events(), opt)
	if result.Status == headless.Failed {
		return errors.New(result.Message)
	}
	return finish(result)
}

// scriptOf reads the file or the stored session that an argument names.
func scriptOf(what string) (*record.Script, error) {
	f, err := os.Open(what)
	switch {
	case err == nil:
		defer f.Close()
		return recordedScript(what, f)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	s := store.New(app.StoreDir())
	id, err := s.Resolve(what)
	if errors.Is(err, store.ErrNotStored) {
		return nil, app.WithHint("Name a recording, or a session: 'parley sessions list --all' lists them.",
			"%q is neither a file nor a stored session", what)
	}
	if err != nil {
		return nil, explained(err)
	}
	return storedScript(s, id)
}

// recordedScript reads a recording.
func recordedScript(name string, f *os.File) (*record.Script, error) {
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, app.WithHint("Name a recording.", "%s is a directory", name)
	}
	rec, err := record.Read(f)
	switch {
	case errors.Is(err, record.ErrNewer):
		return nil, app.WithHint("Play it with that version of parley or a later one.", "%s: %w", name, err)
	case errors.Is(err, record.ErrNoRecording):
		return nil, app.WithHint("'parley --record FILE' makes one. Name a stored session by its ID.", "%s: %w", name, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s := &record.Script{Started: rec.Header.Started, Cwd: rec.Header.Cwd}
	for _, e := range rec.Entries {
		if e.Event != nil {
			s.Steps = append(s.Steps, record.Step{At: e.At, Event: e.Event})
		}
	}
	for _, l := range rec.Lost {
		s.Faults = append(s.Faults, fmt.Sprintf("line %d of %s is left out: %v", l.Line, name, l.Why))
	}
	if len(s.Steps) == 0 {
		return nil, fmt.Errorf("%s has nothing to play", name)
	}
	return s, nil
}

// storedScript reads a stored session.
func storedScript(s *store.Store, id store.ID) (*record.Script, error) {
	var events []conversation.Event
	var meta store.Meta
	title := ""
	for r, err := range s.Records(id) {
		switch {
		case err != nil:
			return nil, err
		case r.Meta != nil:
			meta = *r.Meta
		case r.Title != nil:
			title = *r.Title
		case r.Event != nil:
			events = append(events, r.Event)
		}
	}
	if len(events) == 0 {
		return nil, fmt.Errorf("the stored session %s has nothing to play", id)
	}
	script := record.ScriptOf(events)
	script.Title, script.Cwd = title, meta.Cwd
	return script, nil
}
