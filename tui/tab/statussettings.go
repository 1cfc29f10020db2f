package tab

import (
	"regexp"
	"strings"
	"unicode"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/theme"
)

// settingsLine draws the session's settings, the most important first: mode, other modes
// of the agent, model, thought level. badge means that the first is the mode.
func settingsLine(c *conversation.Conversation, th *theme.Theme) (line []string, badge bool) {
	if mode := modeBadge(c, th); mode != "" {
		line, badge = append(line, mode), true
	}
	mode := c.OptionByCategory(acpclient.CategoryMode)
	for i := range c.Options {
		if o := &c.Options[i]; o != mode && ownMode(o) {
			if words := settingWords(c, o); words != "" {
				line = append(line, th.Text.Render(words))
			}
		}
	}
	if o := c.OptionByCategory(acpclient.CategoryModel); o != nil {
		if words := settingWords(c, o); words != "" {
			line = append(line, th.Text.Render(words))
		}
	}
	if o := c.OptionByCategory(acpclient.CategoryThoughtLevel); o != nil {
		if words := settingWords(c, o); words != "" {
			line = append(line, th.Muted.Render(words))
		}
	}
	return line, badge
}

// ownMode reports whether an option is an additional mode of the agent: its category is
// not in the protocol, or is mode again.
func ownMode(o *acpclient.SessionConfigOption) bool {
	switch o.Category {
	case "", acpclient.CategoryModel, acpclient.CategoryModelConfig, acpclient.CategoryThoughtLevel:
		return false
	}
	return o.Type == acpclient.ConfigSelect || o.Type == acpclient.ConfigBoolean
}

// settingWords returns an option's value, with a label if the value alone is unclear. It
// is "" if there is nothing to show, as for a switch that is off.
func settingWords(c *conversation.Conversation, o *acpclient.SessionConfigOption) string {
	v, pending := c.OptionValue(o)
	label, value := settingLabel(o), settingValue(o, v)
	switch {
	case v.IsBool && !v.Bool && !pending, value == "":
		return ""
	case v.IsBool && v.Bool:
		value = label
	case !saysWhatItIs(o.Category, label, value):
		value = label + " " + value
	}
	if pending {
		value += "…"
	}
	return value
}

// settingValue returns the name of a value. For a model it is the id if that is shorter,
// because names can be whole sentences.
func settingValue(o *acpclient.SessionConfigOption, v acpclient.ConfigValue) string {
	name := conversation.ValueName(o, v)
	if o.Category == acpclient.CategoryModel && !v.IsBool && v.ID != "" && len(v.ID) < len(name) {
		name = string(v.ID)
	}
	return termtext.Line(name)
}

// settingLabel returns an option's label in front of its value.
func settingLabel(o *acpclient.SessionConfigOption) string {
	switch o.Category {
	case acpclient.CategoryMode:
		if o.Name == "" {
			return "mode"
		}
	case acpclient.CategoryModel:
		return "model"
	}
	label := termtext.Line(o.Name)
	if first, rest, _ := strings.Cut(label, " "); rest == strings.ToLower(rest) && len(first) > 1 && first[1:] == strings.ToLower(first[1:]) {
		label = strings.ToLower(label) // a word, not a proper name
	}
	return label
}

// vague matches values that mean nothing without a label.
var vague = regexp.MustCompile(`(?i)^(default|auto|automatic|standard|normal|regular|none|on|off|yes|no|enabled|disabled|low|medium|high|max|min|minimal|custom|other)( *\(.*\))?$`)

// saysWhatItIs reports whether a value needs no label. Modes and models need none if they
// contain a specific word; other values must contain the label.
func saysWhatItIs(category acpclient.ConfigCategory, label, value string) bool {
	if strings.Contains(strings.ToLower(value), strings.ToLower(label)) {
		return true
	}
	switch category {
	case acpclient.CategoryMode, acpclient.CategoryModel:
		return !vague.MatchString(value) && strings.ContainsFunc(value, unicode.IsLetter)
	}
	return false
}
