package command

import (
	"context"
	"slices"
	"strconv"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/docs"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/rules"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/termtext"
)

// Front is a front end, as the commands that all of them have use it: it says, asks and lets
// the user choose in its own way.
type Front interface {
	// Live is the session; nil if there is none.
	Live() *app.Live
	// Say says what has happened, in a few words.
	Say(words string)
	// SayWhile is Say for what is soon no longer so.
	SayWhile(words string, holds func() bool)
	// KeyOf says how the user does a command here, in a word or two; "" if they cannot.
	KeyOf(config.Action) string
	// Tell tells more than Say, until the user has read it.
	Tell(title, text string)
	// Ask asks a question of parley's own.
	Ask(app.Question)
	// Copy gives the user a text to use elsewhere, OpenFile a file in the desktop's program.
	Copy(what, text string)
	OpenFile(path string)
	// Choose lists what the user can choose from. Update lists it as it is now, or closes the list
	// if the choice has no title, and reports whether the list is still open.
	Choose(Choice) (update func(Choice) bool)
	// Path shortens a path, as seen from a directory.
	Path(from, path string) string
	// Cwd is the directory whose sessions are listed, and StoredID what the one shown is stored under,
	// or "".
	Cwd() string
	StoredID() store.ID
	// Backend is what the front end works with.
	Backend() *app.Backend
	// SaveUnsent returns what saves the prompts that the session has not confirmed, as [app.SaveUnsent] does.
	SaveUnsent() func()
	// After calls do after a time.
	After(time.Duration, func())
	// InBackground calls do in the background, and then in the front end what it returns.
	InBackground(do func(context.Context) func())

	// What follows are the commands that each front end does in its own way.
	Help()
	// Read shows a document in Markdown.
	Read(title, text string)
	// ShowCall shows a tool call in full, StepIn gives the keys to a running command or shows it.
	ShowCall(*conversation.ToolCall)
	StepIn(*conversation.Terminal)
	// Rename names the session, or asks for the name if it is empty. Called returns the user's name for
	// it, or "", and its title.
	Rename(name string)
	Called() (name, title string)
	// Worktree is the worktree of the session, nil without one. Drop ends the session and drops it.
	Worktree() *git.Worktree
	Drop(*git.Worktree)
	// Closed says why the session takes nothing here, or returns "": it is read-only, or is being
	// opened again.
	Closed() string
	// ShowAside shows the answer to a question that was asked aside, as it comes.
	ShowAside(*app.Aside)
	// Changes reviews changed files.
	Changes()
	// Replace goes on in the session of a Spec, which create makes, in place of this one; nil makes
	// it as usual. failed says why there is none, nil in the usual way.
	Replace(s app.Spec, create func(context.Context) (*app.Opened, error), failed func(error))
	// Fork opens a fork of the session from before a prompt. End ends the session.
	Fork(prompt int)
	End(app.Session)
	// Held are the prompts for the session that is being opened.
	Held() *app.HeldPrompts
	// EditQueued takes a prompt of the queue back into the draft. Sending it restores its position.
	// NoEdit says why that cannot be done now, or returns "".
	EditQueued(id int)
	NoEdit() string
	// Seats are the sessions that it shows, in order.
	Seats() []Seat
	// Open opens a session, a new one with an agent beside this one. OpenRemembered opens one of the
	// agent's.
	Open(app.Spec)
	OpenRemembered(acpclient.SessionInfo)
	NewSession()
	StartAgain()
	SignIn()
	Detach()
	Quit()
}

// Common is what a command of all front ends does, and when.
type Common struct {
	// Session means that it needs a session; line mode does without one if Begins, as it begins
	// one then. Prompt means that it needs one for which a prompt can be written, Replay that it can be
	// done in a replay, too.
	Session, Begins, Prompt, Replay bool
	// AtQuestion means that it can be done while a question is open, Waits that it is done once the
	// session is open, while that is being opened.
	AtQuestion, Waits bool
	// Plain is what line mode's help says of it, "" for Help, and Names are its names there before
	// those of Slash, separated by spaces.
	Plain, Names string
	// Why says why it cannot be done now, or returns "". There is a session if it needs one. Nil means
	// that it always can.
	Why func(Front) string
	Do  func(Front)
	// With does it with the words after its name. Without it they are for the choice of Do.
	With func(Front, string)
}

// Commands are the commands that all front ends have.
func Commands() Rows[Common] {
	category := func(names, plain, none string, of ...acpclient.ConfigCategory) Common {
		return Common{
			Session: true, AtQuestion: true, Waits: true, Plain: plain, Names: names,
			Why: func(f Front) string { return Offers(f.Live(), none, of...) },
			Do:  func(f Front) { chooseCategories(f, of...) },
		}
	}
	return Rows[Common]{
		{ID: "mode", Keys: "f2", Help: "Choose the mode", Words: "mode switch select permission plan auto yolo approval", Slash: "mode modes", Do: category(
			"", "choose the mode, or name it: /mode NAME", "this agent has no modes", acpclient.CategoryMode)},
		{ID: Model, Keys: "f3", Help: "Choose the model", Words: "llm switch select change", Slash: "model models", Do: category(
			"", "choose the model, or name it: /model NAME", "this agent offers no models", acpclient.CategoryModel, acpclient.CategoryModelConfig)},
		{ID: "thought_level", Keys: "f4", Help: "Choose the thought level", Words: "thinking reasoning effort switch select", Do: category(
			"thought", "choose the thought level, or name it: /thought LEVEL", "this agent offers no thought levels", acpclient.CategoryThoughtLevel)},
		{ID: Options, Keys: "ctrl+o", Help: "Show all options", Words: "options agent switch", Slash: "options settings", Do: Common{
			Session: true, AtQuestion: true, Waits: true, Plain: "choose an option of the agent and its value, or name them: /options NAME VALUE",
			Why: func(f Front) string {
				return Unless(f.Live().Conversation.Phase == conversation.PhaseReady, "the session is not open")
			},
			Do: chooseOption,
		}},
		{ID: Changes, Keys: "f5", Help: "Review and undo changes", Words: "diff undo redo revert files edits git", Slash: "changes diff undo", Do: Common{
			Session: true, Plain: "list changed files; /changes N shows one, keep N, revert N, undo (the last turn), redo",
			Why: noChanges, Do: Front.Changes,
		}},
		{ID: Rewind, Keys: "alt+z", Help: "Rewind to an earlier prompt", Words: "back checkpoint restore undo branch fork revert", Slash: "rewind", Do: Common{
			Session: true, Plain: "list your prompts; /rewind N rewinds to before one, /rewind undo undoes that",
			Why: noRewind, Do: choosePrompt,
		}},
		{ID: Quit, Keys: "ctrl+d", Help: "Quit", Words: "exit leave close bye", Slash: "quit exit q", Do: Common{Replay: true, Plain: "quit parley", Do: Front.Quit}},
		{ID: Detach, Help: "Detach; the session keeps running", Words: "background leave disconnect tmux", Slash: "detach", Do: Common{
			Session: true, AtQuestion: true, Plain: "detach from a session that keeps running", Why: notKept, Do: Front.Detach,
		}},
		{ID: Keep, Help: "Keep this session running", Words: "background host daemon survive detach close terminal", Do: Common{
			Session: true, Plain: "move the session to a process that keeps running", Names: "keep", Why: cannotKeep, Do: keep,
		}},
		{ID: EndSession, Help: "End this session", Words: "stop kill close", Do: Common{
			Session: true, Plain: "end a session that keeps running", Names: "end-session", Why: notKept, Do: askToEnd,
		}},
		{ID: Fork, Keys: "alt+o", Help: "Fork this session", Words: "branch copy duplicate", Do: Common{
			Session: true, Plain: "go on in a fork of the session; this one stays", Names: "fork",
			Why: func(f Front) string {
				return Unless(f.Live().Conversation.Agent.Capabilities.SessionCapabilities.Fork != nil, "this agent cannot fork sessions")
			},
			Do: forkSession,
		}},
		{ID: "ask_aside", Help: "Ask aside", Words: "btw question side fork", Slash: "btw", Do: Common{
			Session: true, AtQuestion: true, Waits: true, Plain: "ask a question that leaves no trace in the session: /btw QUESTION",
			Why: noAside, Do: askAside, With: askAsideNow,
		}},
		{ID: Queue, Keys: "alt+q", Help: "Manage the queue", Words: "waiting pending prompts", Slash: "queue", Do: Common{
			Plain: "list queued prompts; /queue drop N removes one",
			Why: func(f Front) string {
				return Unless(len(*f.Held()) > 0 || f.Live() != nil && len(f.Live().Conversation.Queue) > 0, "the queue is empty")
			},
			Do: manageQueue,
		}},
		{ID: Sessions, Keys: "ctrl+s", Help: "Show the sessions", Words: "resume continue history load reopen conversation", Slash: "sessions resume continue history", Do: Common{
			Plain: "resume a session of this directory; /sessions all: of any, /sessions delete N deletes one", Do: ChooseSession,
		}},
		{ID: Board, Keys: "alt+a", Help: "Show the board", Words: "all sessions questions waiting running tabs overview", Slash: "board", Do: Common{
			Plain: "list all sessions that run; /board N goes to one, /board send N PROMPT, end N", Do: ShowBoard,
		}},
		{ID: NewSession, Keys: "ctrl+n", Help: "New session in a new tab", Words: "new chat clear reset start over fresh empty", Slash: "new clear reset", Do: Common{
			Session: true, Begins: true, Plain: "new session with the same agent", Do: Front.NewSession,
		}},
		{ID: NewAgent, Help: "New tab with another agent", Words: "agent switch change", Slash: "agent agents", Do: Common{
			Session: true, Begins: true, Plain: "new session with another agent", Do: ChooseAgent,
		}},
		{ID: HandOver, Help: "Continue with another agent", Words: "hand over switch agent change model move continue", Slash: "handover", Do: Common{
			Session: true, Plain: "hand the conversation over to another agent: /handover AGENT", Why: NoHandOver, Do: chooseSuccessor, With: handOverTo,
		}},
		{ID: StartAgain, Keys: "alt+r", Help: "Restart the agent", Words: "reload reconnect retry", Do: Common{
			Session: true, Begins: true, AtQuestion: true, Plain: "restart the agent, or reconnect", Names: "start", Do: Front.StartAgain,
		}},
		{ID: Export, Help: "Export the session to a file", Words: "save share markdown html", Slash: "export share", Do: Common{
			Session: true, Plain: "export the session: /export FILE, whose name ends in .md, .json or .html",
			Why: func(f Front) string { return Unless(len(f.Live().Conversation.Items) > 0, "the transcript is empty") },
			Do:  chooseExport, With: exportNamed,
		}},
		{ID: Help, Keys: "f1 ?", Bare: true, Help: "Show the help", Words: "keys shortcuts bindings keybindings hotkeys commands", Slash: "help commands", Do: Common{
			Replay: true, AtQuestion: true, Plain: "list the commands", Do: Front.Help,
		}},
		{ID: Background, Keys: "f6", Help: "Show what works in the background", Words: "subagents tasks jobs stop processes", Slash: "tasks background", Do: Common{
			Session: true, AtQuestion: true, Plain: "list what works in the background; /tasks N shows one, /tasks stop N stops it",
			Why: func(f Front) string {
				return Unless(len(f.Live().Conversation.Background()) > 0, "nothing works in the background")
			},
			Do: chooseBackground,
		}},
		{ID: RenameTab, Help: "Rename tab", Words: "name title", Slash: "rename title", Do: Common{
			Plain: "name the session: /rename NAME", Do: func(f Front) { f.Rename("") }, With: Front.Rename,
		}},
		{ID: "worktree", Help: "Manage the worktree", Words: "git branch diff merge drop", Slash: "worktree", Do: Common{
			Session: true, Plain: "show, merge or drop the worktree of the session: /worktree diff, merge, keep or drop",
			Why: func(f Front) string { return Unless(f.Worktree() != nil, "this session works in no worktree") },
			Do:  chooseWorktree,
		}},
		{ID: Guide, Help: "Read the guide", Words: "manual documentation docs", Slash: "guide docs", Do: Common{
			Replay: true, AtQuestion: true, Plain: "list the sections of the guide; /guide N shows one", Do: func(f Front) { f.Read("Guide", docs.Guide()) },
		}},
		{ID: "news", Help: "Show the news", Words: "changelog release version", Slash: "news changelog release-notes", Do: Common{
			Plain: "list what is new; /news N shows a part", Do: func(f Front) { f.Read("What is new", f.Backend().News) },
		}},
		{ID: "rules", Help: "Show and remove rules", Words: "permissions approve approval allow deny trust", Slash: "rules permissions approvals", Do: Common{
			Session: true,
			Why:     func(f Front) string { return Unless(f.Live().Session.About().Ruled, "start an agent first") },
			Do:      showRules,
		}},
		{ID: "usage", Help: "Show usage and cost", Words: "spend usage context limit tokens money price budget", Slash: "usage cost context stats", Do: Common{
			Session: true,
			Why: func(f Front) string {
				return Unless(app.UsedText(f.Live().Conversation, time.Now()) != "", "the agent has reported no usage")
			},
			Do: func(f Front) { f.Say(app.UsedText(f.Live().Conversation, time.Now())) },
		}},
		{ID: "sign_in", Help: "Sign in to the agent", Words: "login log in account auth authenticate", Slash: "login signin auth", Do: Common{
			Session: true,
			Why: func(f Front) string {
				return Unless(len(f.Live().Conversation.Agent.AuthMethods) > 0, "the agent offers no sign-in method")
			},
			Do: Front.SignIn,
		}},
		{ID: "sign_out", Help: "Sign out of the agent", Words: "logout log out account auth", Slash: "logout signout", Do: Common{
			Session: true,
			Why: func(f Front) string {
				return Unless(f.Live().Conversation.Agent.Capabilities.Auth.Logout != nil, "the agent offers no sign-out")
			},
			Do: signOut,
		}},
	}
}

// Offers returns none if the agent has no option of some categories.
func Offers(l *app.Live, none string, of ...acpclient.ConfigCategory) string {
	has := func(c acpclient.ConfigCategory) bool { return l.Conversation.OptionByCategory(c) != nil }
	return Unless(slices.ContainsFunc(of, has), none)
}

// noChanges says why the session has no review of changes, or returns "".
func noChanges(f Front) string {
	switch closed := f.Closed(); {
	case f.Live().Session.Journal() != nil:
		return ""
	case closed != "":
		return "no review: " + closed
	}
	return "Undo is off: journal = false in the configuration"
}

// noRewind says why the session cannot be rewound now, or returns "".
func noRewind(f Front) string {
	switch c := f.Live().Conversation; {
	case c.Turn.Running && f.Closed() == "":
		return "the agent is working: wait, or cancel with " + f.KeyOf(Cancel)
	case len(c.Prompts()) == 0 && f.Closed() == "":
		return "no prompt was sent in this session"
	}
	return f.Closed()
}

// Unless returns why if not ok.
func Unless(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}

// showRules lists the rules. Only those that parley saved can be removed; the others are in
// files of the user or project.
func showRules(f Front) {
	s := f.Live().Session
	Get(f, "", does(s, rules.ListRules{}), func(all []rules.Rule) {
		c := Choice{Title: "Rules", Ask: "Remove a rule?", Empty: "No rules: parley asks you every time."}
		for i, r := range all {
			item := Item{ID: strconv.Itoa(i), Title: termtext.VisibleLine(r.Rule.String()), Group: termtext.Capital(r.Scope.String()), Deletes: true}
			switch {
			case r.Scope == rules.SavedEverywhere, r.Scope == rules.SavedForProject:
				item.Do = func() { askToRemove(f, s, r) }
			case !r.Counts:
				item.Why = "ignored: the project is not trusted"
			default:
				item.Why = r.Source
			}
			c.Items = append(c.Items, item)
		}
		f.Choose(c)
	})
}

// askToRemove asks whether to remove a rule.
func askToRemove(f Front, s app.Session, r rules.Rule) {
	line := r.Rule.String()
	remove := rules.RemoveRule{Everywhere: r.Scope == rules.SavedEverywhere, Rule: line}
	f.Ask(app.Question{
		Title: "Remove the rule", Text: "The rule is " + r.Scope.String() + ". It will no longer apply:", Lines: []string{line},
		Choices: []app.Choice{
			{Name: "Remove it", Here: func() {
				Get(f, "", does(s, remove), func(session.None) { f.Say("removed: " + line) })
			}},
			{Name: "Keep it"},
		},
	})
}

func signOut(f Front) {
	Get(f, "signing out failed: ", does(f.Live().Session, session.Logout{}), func(session.None) { f.Say("signed out") })
}
