package config

import (
	"fmt"
	"strings"
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
	// ContextAside is the answer to a question that was asked aside. Keys that it does not
	// use fall through to ContextTranscript.
	ContextAside Context = "aside"
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

// Actions are all actions that keys can have. They do not change, and are safe for concurrent
// use. nil has none: a configuration read with it has no keys, and [keys] is not checked.
type Actions struct {
	groups []Group
	group  map[Action]*Group
}

// NewActions returns the actions of some groups, which are in the order of the help.
func NewActions(groups ...Group) *Actions {
	all := &Actions{groups, map[Action]*Group{}}
	for i, g := range groups {
		for _, a := range g.Actions {
			all.group[a.Action] = &groups[i]
		}
	}
	return all
}

// context returns the context of an action, "" if there is no such action.
func (a *Actions) context(of Action) Context {
	if a == nil || a.group[of] == nil {
		return ""
	}
	return a.group[of].Context
}

// Groups returns the actions by context, in the order of the help. Do not change them.
func (a *Actions) Groups() []Group {
	if a == nil {
		return nil
	}
	return a.groups
}

// List returns all actions in the order of the help.
func (a *Actions) List() (list []ActionInfo) {
	for _, g := range a.Groups() {
		list = append(list, g.Actions...)
	}
	return list
}

// writeKeys appends all actions with their default keys to the example.
func writeKeys(b *strings.Builder, actions *Actions) {
	b.WriteString("#[keys]\n")
	for _, g := range actions.Groups() {
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
