package dialog

import (
	"fmt"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// ProposeRules asks for the step in which a rule can be saved that answers what the
// permission with this ID is about.
type ProposeRules struct{ ID int }

// SaveRules saves rules that the person has seen whole, and then answers the
// permission with this ID, if it is still about the same call.
type SaveRules struct {
	ID     int
	Call   *conversation.ToolCall
	Option acpclient.PermissionOptionID
	Rules  []string
	// Everywhere says that they are for all projects.
	Everywhere bool
}

func (ProposeRules) action() {}
func (SaveRules) action()    {}

// ruleReplies are what a permission can be answered with besides the agent's options:
// a rule of parley's own, where one may answer at all. It has a sign and a key that no
// option has.
func ruleReplies(env Env, p *conversation.Permission) []reply {
	if len(p.Proposals) == 0 {
		return nil
	}
	return []reply{{
		icon: "§", name: "Always allow (parley rule)…", more: "not the agent's",
		keys: shortcuts(env.Keys.For(config.ActionAllowByRule)), action: ProposeRules{p.ID},
	}}
}

// withoutStaleRule takes away the reply with a rule when the agent has changed what it
// asks: the rules that were proposed are about something else.
func (d *Permission) withoutStaleRule() {
	if len(d.asked.Proposals) > 0 {
		return
	}
	kept := slices.DeleteFunc(slices.Clone(d.replies.list), func(r reply) bool { _, rule := r.action.(ProposeRules); return rule })
	if len(kept) < len(d.replies.list) {
		d.replies = newReplies(kept)
	}
}

// RuleStep shows the rules that would answer a permission from now on, whole, and
// where they would be saved. Each takes two keys: it reaches further than the question.
type RuleStep struct {
	question
	asked *conversation.Permission
	about column
}

// NewRuleStep proposes rules for a permission that waits. It is nil if there are none
// to propose, or nothing to answer with for just this once.
func NewRuleStep(env Env, p *conversation.Permission) *RuleStep {
	once := slices.IndexFunc(p.Options, func(o acpclient.PermissionOption) bool { return o.Kind == acpclient.AllowOnce })
	if len(p.Proposals) == 0 || once < 0 {
		return nil
	}
	d := &RuleStep{question: newQuestion(env), asked: p}
	project := toolview.PathsIn("").Path(env.Cwd)
	for i, rules := range p.Proposals {
		d.about = append(d.about, quoted(proposalLabel(i, len(p.Proposals)), strings.Join(rules, "\n")), gap{})
	}
	d.about = append(d.about, newBlock(func(p renderContext) []string {
		return styled(prose("Allows this now and adds a rule for next time: everywhere, or in "+project+".", p.width), p.th.Text)
	}))
	for _, everywhere := range []bool{false, true} {
		for i, rules := range p.Proposals {
			d.replies.list = append(d.replies.list, reply{
				icon: "§", tone: good, grave: true, name: proposalName(i, rules) + placeWords(everywhere),
				action: SaveRules{ID: p.ID, Call: p.Asked, Option: p.Options[once].OptionID, Rules: rules, Everywhere: everywhere},
			})
		}
	}
	return d
}

func proposalLabel(i, of int) string {
	if of == 1 {
		return "the rule"
	}
	return fmt.Sprintf("rule %c", 'A'+i)
}

// proposalName is a proposal in a line. Several rules are named by their letter: they
// stand above.
func proposalName(i int, rules []string) string {
	if len(rules) == 1 {
		return termtext.VisibleLine(rules[0])
	}
	return fmt.Sprintf("the %d rules of %c", len(rules), 'A'+i)
}

func placeWords(everywhere bool) string {
	if everywhere {
		return " – everywhere"
	}
	return " – in this project"
}

// Follow implements [AgentQuestion]: the step is over with its permission, and when the
// agent has changed what that is about.
func (d *RuleStep) Follow(c *conversation.Conversation) State {
	if slices.Contains(c.Permissions, d.asked) && len(d.asked.Proposals) > 0 {
		return Open
	}
	return Over
}

// View implements [Dialog].
func (d *RuleStep) View(width, maxHeight int) View {
	return d.view(panel{title: "Always allow by a rule", body: d.about}, atMost(width), maxHeight)
}

// Hints implements [Dialog].
func (d *RuleStep) Hints() []Hint { return d.hints("back") }
