package tab

import (
	"strings"
	"unicode"

	"charm.land/lipgloss/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/theme"
)

// statusPart is a part of the status line. Where room is short, the parts with the lowest
// rank go first, and of those the last one. Those about usage, model and mode take their
// short form first.
type statusPart struct {
	text, short string
	rank        int
}

// The ranks of the parts of the status line.
const (
	rankAgent = iota
	rankOption
	rankChanged
	rankBounds
	rankUsage
	rankModel
	rankMode // says what the agent may do without asking
)

// settingsParts draws the options in the agent's order. Those about the model follow the
// model. fresh, which may be nil, reports whether the agent has just changed an option by itself. badge means
// that the first part is a badge.
func settingsParts(c *conversation.Conversation, fresh func(acpclient.ConfigID) bool, th *theme.Theme) (parts []statusPart, badge bool) {
	mode, model := c.OptionByCategory(acpclient.CategoryMode), c.OptionByCategory(acpclient.CategoryModel)
	add := func(o *acpclient.SessionConfigOption) {
		style, rank := th.Text, rankOption
		switch {
		case o == mode:
			style, rank = modeStyle(o, th), rankMode
			badge = badge || len(parts) == 0
		case o == model:
			rank = rankModel
		case o.Category == acpclient.CategoryThoughtLevel:
			style = th.Muted
		}
		fresh := fresh != nil && fresh(o.ID)
		if text := drawSetting(c, o, style, longestValue, fresh, th); text != "" {
			short := ""
			if o == model {
				short = drawSetting(c, o, style, shortModel, fresh, th)
			}
			parts = append(parts, statusPart{text, short, rank})
		}
	}
	for i := range c.Options {
		o := &c.Options[i]
		if model != nil && o.Category == acpclient.CategoryModelConfig {
			continue
		}
		add(o)
		for j := range c.Options {
			if o == model && c.Options[j].Category == acpclient.CategoryModelConfig {
				add(&c.Options[j])
			}
		}
	}
	return parts, badge
}

// drawSetting draws an option's value in at most so many cells, and a pending one behind it. The
// first mode is a badge. It returns "" if there is nothing to show.
func drawSetting(c *conversation.Conversation, o *acpclient.SessionConfigOption, style lipgloss.Style, most int, fresh bool, th *theme.Theme) string {
	text := settingWords(o)
	if most < longestValue {
		text = termtext.Truncate(text, most, "…")
	}
	if text == "" {
		return ""
	}
	if o == c.OptionByCategory(acpclient.CategoryMode) {
		text = " " + text + " "
	}
	if fresh {
		style = style.Bold(true).Reverse(true)
	}
	text = style.Render(text)
	if to, pending := c.Pending(o); pending {
		text += th.Muted.Render(" → " + settingValue(o, to.Value) + "…")
	}
	return text
}

// settingWords returns an option's value, with a label if the value alone is unclear; ""
// if it has none.
func settingWords(o *acpclient.SessionConfigOption) string {
	label, value := settingLabel(o), settingValue(o, o.CurrentValue)
	switch {
	case value == "":
		return ""
	case o.CurrentValue.IsBool && o.CurrentValue.Bool:
		return label
	case !saysWhatItIs(o.Category, label, value):
		return label + " " + value
	}
	return value
}

// longestValue bounds the name of a value, in cells: names can be whole sentences.
const longestValue = 32

// shortModel bounds the model's name where room is short.
const shortModel = 16

// settingValue returns the name of a value.
func settingValue(o *acpclient.SessionConfigOption, v acpclient.ConfigValue) string {
	return termtext.Truncate(termtext.Line(conversation.ValueName(o, v)), longestValue, "…")
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

// vague reports whether a value means nothing without a label.
func vague(value string) bool {
	word, _, _ := strings.Cut(value, "(")
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "default", "auto", "automatic", "standard", "normal", "regular", "none", "on", "off", "yes", "no", "enabled",
		"disabled", "low", "medium", "high", "max", "min", "minimal", "custom", "other":
		return true
	}
	return false
}

// saysWhatItIs reports whether a value needs no label. Modes and models need none if they
// contain a specific word; other values must contain the label.
func saysWhatItIs(category acpclient.ConfigCategory, label, value string) bool {
	if strings.Contains(strings.ToLower(value), strings.ToLower(label)) {
		return true
	}
	switch category {
	case acpclient.CategoryMode, acpclient.CategoryModel:
		return !vague(value) && strings.ContainsFunc(value, unicode.IsLetter)
	}
	return false
}
