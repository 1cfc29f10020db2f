package command

import (
	"time"

	"parley/config"
	"parley/internal/app"
)

// Choice is what the user can choose from: a list on the screen, numbered lines elsewhere. Its
// texts may be foreign.
type Choice struct {
	Title, About string
	// Ask is the question to numbered lines. Without it they are only listed, for the words that
	// can follow the slash command: the number or name of an item, or one of Keys and an item.
	Ask string
	// Empty is said if there is nothing to choose from.
	Empty string
	Items []Item
	// Now returns the items as they are now, in place of Items: the list follows them. Nil means
	// that they do not change.
	Now func() []Item
	// Loading means that more is to come: see the update of [Front]. Numbered lines wait for it,
	// unless Slow says what it still waits for.
	Loading bool
	Slow    string
	// Heads are the heads of columns: the choice is a table that takes the whole screen.
	Heads []string
	// Keys are what else can be done to an item, or instead of choosing one.
	Keys []Key
	// Filter means that the list always shows its filter, Space that space chooses, too, and
	// Backwards that numbered lines begin with the last item.
	Filter, Space, Backwards bool
	// Headings means that the groups are only headings: a filter neither shows nor searches them.
	Headings bool
	// Numbers bounds how many items are listed in numbered lines; 0 lists all.
	Numbers int
	// Bottom means that nothing is behind it: leaving it leaves parley.
	Bottom bool
	// Leaves names what choosing does if it leaves the session where there is only one at a time.
	Leaves string
	// Search finds more items, Wider lists others, too, or no longer, as WiderHint says. Both may be nil.
	Search    func(words string)
	Wider     func()
	WiderHint string
	// Marked, if not nil, is called when an item is marked, Left instead of closing the list
	// without a choice, and Stop, too, which ends what it waits for: the list stays.
	Marked func(id string)
	Left   func()
	Stop   func()
	// Gone, if not nil, is called once the list is not on the screen any more, however that came.
	Gone func()
	// Choosing, Deleting and Closing are the hints for choosing and deleting an item and for closing
	// the list, "" for "choose", "delete" and "close". Numbered lines have Deleting as a word, too.
	Choosing, Deleting, Closing string
}

// Item is something to choose.
type Item struct {
	// ID identifies the item in its list. It is also found by Title and by Words, which are not
	// shown.
	ID, Title, Words string
	// Used is when it was last used, zero if that is unknown or does not matter.
	Used time.Time
	// Detail and Group are shown beside the title, About while the item is marked.
	Detail, Group, About string
	// Columns stand under [Choice.Heads]. Session is the session that it is then, Under names what that
	// belongs to, "" for nothing.
	Columns []string
	Session *app.Overview
	Under   string
	// Answer asks here what it asks and its agent does not; nil if that is asked only where it is.
	Answer func()
	// Found means that Search has found it, whatever its texts are.
	Found bool
	// Current marks the current value, Pending one that the agent has yet to confirm, and Dim one
	// that cannot be used as it is.
	Current, Pending, Dim bool
	// Why says why it cannot be chosen, "" if it can.
	Why string
	// Key is the key that does the same, where there are keys.
	Key string
	// Do chooses it. Stays means that the list stays, Deletes that this removes the item.
	Do             func()
	Stays, Deletes bool
	// Delete deletes the item, if it can be deleted. The list stays. Deleting is the hint for it, "" for that
	// of the choice.
	Delete   func()
	Deleting string
	// Refused says why a key does nothing to the item of a table.
	Refused map[config.Action]string
	// Open chooses it by another choice, about the item. If it has Do, too, the screen does that.
	Open func()
	// Also are the functions of [Choice.Keys], nil where there is none.
	Also []func()
}

// Key is something that can be done to an item beside choosing it.
type Key struct {
	ID config.Action
	// Hint says what it does, and Word names it where there are no keys.
	Hint, Word string
	// Closes means that it closes the list.
	Closes bool
	// Do does it, in place of the function of an item.
	Do func()
}
