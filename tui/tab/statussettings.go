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

// settingsLine is what is set about a session, what matters most first: the mode,
// modes of the agent's own, the model, how hard it thinks. badge says that the first
// of them is the mode.
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

// ownMode reports an option that an agent has besides its mode, and has given a
// category: one that the protocol does not define, or that of modes once more.
func ownMode(o *acpclient.SessionConfigOption) bool {
	switch o.Category {
	case "", acpclient.CategoryModel, acpclient.CategoryModelConfig, acpclient.CategoryThoughtLevel:
		return false
	}
	return o.Type == acpclient.ConfigSelect || o.Type == acpclient.ConfigBoolean
}

// settingWords is the value of an option, with what it is where the value alone
// does not say it. It is "" if there is nothing to say, as of what is switched off.
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

// settingValue is the name of a value. A model is called by its id if that is
// shorter: names of models can be whole sentences, and ids are what people know them
// by.
func settingValue(o *acpclient.SessionConfigOption, v acpclient.ConfigValue) string {
	name := conversation.ValueName(o, v)
	if o.Category == acpclient.CategoryModel && !v.IsBool && v.ID != "" && len(v.ID) < len(name) {
		name = string(v.ID)
	}
	return termtext.Line(name)
}

// settingLabel is what an option is called in front of its value.
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
		label = strings.ToLower(label) // a word, no name
	}
	return label
}

// vague are values that say nothing unless one knows of what they are the value.
var vague = regexp.MustCompile(`(?i)^(default|auto|automatic|standard|normal|regular|none|on|off|yes|no|enabled|disabled|low|medium|high|max|min|minimal|custom|other)( *\(.*\))?$`)

// saysWhatItIs reports whether a value can stand without a label. Names of modes and
// models can, if there is a word in them; other values only if the label is in them.
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
