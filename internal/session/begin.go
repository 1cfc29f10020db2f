package session

import (
	"fmt"
	"maps"
	"slices"

	"parley/acpclient"
	"parley/internal/conversation"
)

// beginWith sets the initial mode and options of a new session, before anything else is
// sent. What the agent does not offer causes a notice. s.mu must be held.
func (s *Session) beginWith(state acpclient.SessionState) {
	if s.opt.Mode == "" && len(s.opt.Values) == 0 {
		return
	}
	c := conversation.New() // handles modes and models as options, too
	c.Apply(conversation.SessionOpened{ID: s.id, Cwd: s.opt.Cwd, State: state})
	if s.opt.Mode != "" {
		s.begin(c, c.OptionByCategory(acpclient.CategoryMode), "mode", s.opt.Mode)
	}
	for _, id := range slices.Sorted(maps.Keys(s.opt.Values)) {
		s.begin(c, conversation.OptionNamed(c.Options, id), id, s.opt.Values[id])
	}
}

func (s *Session) begin(c *conversation.Conversation, o *acpclient.SessionConfigOption, name, value string) {
	if o == nil {
		s.AddNotice(acpclient.NoticeWarning, fmt.Sprintf("The agent has no option %q", name), "The configuration asks for it.")
		return
	}
	v, ok := conversation.ValueNamed(o, value)
	if !ok {
		s.AddNotice(acpclient.NoticeWarning, fmt.Sprintf("%s cannot be %q", o.Name, value), "The configuration asks for it.")
		return
	}
	if now, _ := c.OptionValue(o); now != v {
		s.setOption(o.ID, v)
	}
}
