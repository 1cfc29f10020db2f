package app

import (
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/termtext"
)

// PermissionAnswer is an option of a permission, with texts that are fit to be shown.
type PermissionAnswer struct {
	Option acpclient.PermissionOptionID
	Kind   acpclient.PermissionOptionKind
	// OnlyOfKind means that no other option has the kind.
	OnlyOfKind bool
	Name       string
	// More tells options of the same name apart, or says how far the answer reaches; ""
	// if the name says all. Warns means that it says how far.
	More  string
	Warns bool
}

// Line returns the answer as one line.
func (a PermissionAnswer) Line() string { return withMore(a.Name, a.More) }

// withMore adds an explanation to a name; "" is none.
func withMore(name, more string) string {
	if more != "" {
		return name + " (" + more + ")"
	}
	return name
}

// PermissionAnswers returns all options, in the agent's order.
func PermissionAnswers(options []acpclient.PermissionOption) []PermissionAnswer {
	kinds := map[acpclient.PermissionOptionKind]int{}
	names := map[string]int{}
	for _, o := range options {
		kinds[o.Kind]++
		names[termtext.VisibleLine(o.Name)]++
	}
	list := make([]PermissionAnswer, len(options))
	for i, o := range options {
		a := PermissionAnswer{Option: o.OptionID, Kind: o.Kind, OnlyOfKind: kinds[o.Kind] == 1, Name: termtext.VisibleLine(o.Name)}
		if a.Name == "" || names[a.Name] > 1 {
			a.More = termtext.VisibleLine(string(o.OptionID))
		}
		if a.Name == "" {
			a.Name = "unnamed option"
		}
		if scope := scopeOf(o.Kind, a.Name); scope != "" {
			a.More, a.Warns = strings.TrimSpace(scope+"  "+a.More), true
		}
		list[i] = a
	}
	return list
}

// scopeOf says how far an option reaches, where its name does not say so: agents list the
// options in any order and call them what they like.
func scopeOf(kind acpclient.PermissionOptionKind, name string) string {
	name = strings.ToLower(name)
	says := slices.ContainsFunc([]string{"always", "ask again", "from now on", "session"}, func(words string) bool { return strings.Contains(name, words) })
	switch kind {
	case acpclient.AllowAlways, acpclient.RejectAlways:
		if !says {
			return "always"
		}
	case acpclient.AllowOnce, acpclient.RejectOnce:
		if says {
			return "only this once"
		}
	}
	return ""
}
