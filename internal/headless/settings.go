package headless

import (
	"fmt"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Setting is an option and the value that it is to have, each by its id or its name.
type Setting struct{ Option, Value string }

// configure makes the settings when the session is open, one after the other.
func (r *run) configure() {
	if r.opt.Mode != "" {
		o := r.conv.OptionByCategory(acpclient.CategoryMode)
		if o == nil {
			r.end(BadUsage, "the agent has no modes: leave out --mode")
			return
		}
		r.settings = append(r.settings, Setting{string(o.ID), r.opt.Mode})
	}
	r.settings = append(r.settings, r.opt.Settings...)
	r.set()
}

// set makes the next setting. When there is none left, the first prompt is sent soon.
func (r *run) set() {
	if len(r.settings) == 0 {
		r.start = time.After(bannerTime)
		return
	}
	s := r.settings[0]
	r.settings = r.settings[1:]
	o := conversation.OptionNamed(r.conv.Options, s.Option)
	if o == nil {
		r.end(BadUsage, fmt.Sprintf("the agent has no option %q; it has %s", s.Option, optionNames(r.conv.Options)))
		return
	}
	v, ok := conversation.ValueNamed(o, s.Value)
	if !ok {
		r.end(BadUsage, fmt.Sprintf("%s cannot be %q; it can be %s", o.Name, s.Value, valueNames(o)))
		return
	}
	r.setting = o.ID
	r.session.SetOption(o.ID, v)
}

// settled takes the agent's answer to a setting.
func (r *run) settled(e conversation.OptionSettled) {
	if e.Option != r.setting {
		return
	}
	r.setting = ""
	if e.Err != nil {
		r.end(AgentFailed, fmt.Sprintf("the agent rejected the value for %s: %s", e.Option, words(e.Err)))
		return
	}
	r.set()
}

func optionNames(options []acpclient.SessionConfigOption) string {
	var names []string
	for _, o := range options {
		names = append(names, string(o.ID))
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func valueNames(o *acpclient.SessionConfigOption) string {
	if o.Type == acpclient.ConfigBoolean {
		return "on, off"
	}
	var names []string
	for _, v := range o.Options.All() {
		names = append(names, string(v.Value))
	}
	return strings.Join(names, ", ")
}
