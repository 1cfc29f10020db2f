package conversation

import (
	"slices"
	"strings"

	"parley/acpclient"
)

// OptionNamed finds an option by its id, or else by its name; nil if there is none.
func OptionNamed(options []acpclient.SessionConfigOption, name string) *acpclient.SessionConfigOption {
	for i := range options {
		if string(options[i].ID) == name {
			return &options[i]
		}
	}
	for i := range options {
		if strings.EqualFold(options[i].Name, name) {
			return &options[i]
		}
	}
	return nil
}

// ValueNamed finds a value of an option by its id, or else by its name; of one that
// is on or off, by such a word.
func ValueNamed(o *acpclient.SessionConfigOption, name string) (acpclient.ConfigValue, bool) {
	if o.Type == acpclient.ConfigBoolean {
		switch strings.ToLower(name) {
		case "true", "on", "yes":
			return acpclient.BoolValue(true), true
		case "false", "off", "no":
			return acpclient.BoolValue(false), true
		}
		return acpclient.ConfigValue{}, false
	}
	all := o.Options.All()
	i := slices.IndexFunc(all, func(v acpclient.ConfigSelectOption) bool { return string(v.Value) == name })
	if i < 0 {
		i = slices.IndexFunc(all, func(v acpclient.ConfigSelectOption) bool { return strings.EqualFold(v.Name, name) })
	}
	if i < 0 {
		return acpclient.ConfigValue{}, false
	}
	return acpclient.SelectValue(all[i].Value), true
}
