package tab

import (
	"slices"
	"strings"
	"testing"

	"parley/config"
	"parley/internal/command"
	"parley/tui/composer"
)

// shared does a command of all front ends, whether or not it can be done now.
func (b *bench) shared(id config.Action) {
	f := b.acting
	b.Do(f.do(func() { command.Commands().Named(id).Do.Do(f) }))
}

// A command that all front ends have is in the palette, among the keys that help and
// configuration list, and completed by all its names.
func TestACommandOfAllFrontEndsIsEverywhere(t *testing.T) {
	b := newBench(t, t.TempDir())
	items, offered := b.commandItems(), composerCommands()
	for _, r := range command.Commands() {
		if !slices.ContainsFunc(items, func(i command.Item) bool { return i.ID == string(r.ID) && i.Title == r.Help }) {
			t.Errorf("the palette does not have %s", r.ID)
		}
		at := slices.IndexFunc(Actions().List(), func(a config.ActionInfo) bool { return a.Action == r.ID && a.Help == r.Help })
		if at < 0 || !slices.Equal(Actions().List()[at].Keys, strings.Fields(r.Keys)) {
			t.Errorf("[keys] does not have %s", r.ID)
		}
		for _, name := range strings.Fields(r.Slash) {
			if !slices.ContainsFunc(offered, func(c composer.OwnCommand) bool { return c.Name == name && c.About == r.Help }) {
				t.Errorf("/%s is not completed", name)
			}
		}
	}
	named := map[string]bool{}
	for _, c := range offered {
		if named[c.Name] {
			t.Errorf("two commands are called /%s", c.Name)
		}
		named[c.Name] = true
	}
}
