package config

import (
	"fmt"
	"strings"
	"sync"
)

// Action names what a key does, as [keys] has it.
type Action string

// Context is where a key applies. One key may have different actions in different
// contexts.
type Context string

const (
	// ContextPrompt is the composer, and everything that works everywhere. While there
	// is a draft, keys that type text only type.
	ContextPrompt Context = "prompt"
	// ContextTranscript is the focused transcript, and what all pages have in common:
	// moving, finding, copying. Keys that it does not use fall through to ContextPrompt.
	ContextTranscript Context = "transcript"
	// ContextPager is the full-screen view of one item. Keys that it does not use fall
	// through to ContextTranscript.
	ContextPager Context = "pager"
	// ContextTerminal is a command that the user has stepped into. All other keys go to
	// the command.
	ContextTerminal Context = "terminal"
	// ContextChanges is the full-screen list of changed files, and the changes of one
	// of them. Keys that it does not use fall through to ContextTranscript.
	ContextChanges Context = "changes"
	// ContextCompare is the full-screen comparison of agents, and of what they have
	// changed. Keys that it does not use fall through to ContextTranscript.
	ContextCompare Context = "compare"
	// ContextInspector is the full-screen protocol inspector. Keys that it does not use
	// fall through to ContextTranscript.
	ContextInspector Context = "inspector"
	// ContextReplay is the replay of a recording. Keys that it does not use fall
	// through to ContextPrompt, where they apply.
	ContextReplay Context = "replay"
	// ContextDialog is any dialog. Nothing falls through.
	ContextDialog Context = "dialog"
)

// ActionInfo describes an action.
type ActionInfo struct {
	Action  Action
	Context Context
	// Help describes the action in a few words.
	Help string
	// Keys are the default keys. An action of the prompt without any is in the palette.
	Keys []string
	// Words are further words to find the action with, separated by spaces. Typing the
	// whole first one finds the action before all others.
	Words string
	// Bare means that its keys may type text: they count only while nothing else was typed.
	Bare bool
}

// Group are the actions of a context.
type Group struct {
	Context Context
	// Title heads them in the help; About explains the context in the example, in lines of at
	// most 88 characters.
	Title, About string
	// Typed is what keys that type text are for in this context, as in "the prompt"; "" if they
	// can have actions.
	Typed   string
	Actions []ActionInfo
}

// actions are all actions that keys can have, in groups in the order of the help.
type actions struct {
	groups []Group
	list   []ActionInfo
	group  map[Action]*Group
	help   map[Action]string
}

// known returns the actions; there are none before Register.
var known = func() *actions { return &actions{} }

// Register says which actions there are. It is called once, when the program is
// initialised, and calls the function when the actions are needed.
func Register(groups func() []Group) {
	known = sync.OnceValue(func() *actions {
		all := &actions{groups: groups(), group: map[Action]*Group{}, help: map[Action]string{}}
		for i, g := range all.groups {
			for _, a := range g.Actions {
				all.list = append(all.list, a)
				all.group[a.Action], all.help[a.Action] = &all.groups[i], a.Help
			}
		}
		return all
	})
}

// context returns the context of an action, "" if there is no such action.
func (a *actions) context(of Action) Context {
	if g := a.group[of]; g != nil {
		return g.Context
	}
	return ""
}

// Groups returns the actions by context, in the order of the help. Do not change them.
func Groups() []Group { return known().groups }

// Actions returns all actions in the order of the help. Do not change them.
func Actions() []ActionInfo { return known().list }

// writeKeys appends all actions with their default keys to the example.
func writeKeys(b *strings.Builder) {
	b.WriteString("#[keys]\n")
	for _, g := range Groups() {
		b.WriteByte('\n')
		writeAbout(b, g.About)
		for _, a := range g.Actions {
			value := written(anyList(a.Keys))
			if len(a.Keys) == 1 {
				value = written(a.Keys[0])
			}
			fmt.Fprintf(b, "#%-43s # %s\n", string(a.Action)+" = "+value, a.Help)
		}
	}
}
