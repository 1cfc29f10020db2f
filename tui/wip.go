package tui

import (
	"parley/acpclient"
	"parley/config"
	"parley/internal/session"
	"parley/tui/dialog"
)

type question struct {
	Title, Text, More string
	Choices           []dialog.Item
}

func (m *Model) confirm(q question) dialog.Dialog {
	q.Choices[0].Detail = q.Text + " " + q.More
	return dialog.NewSelector(m.env(), dialog.List{Name: "confirm", Title: q.Title, Items: q.Choices})
}

func (m *Model) staysOpen() bool { return false }

func (m *Model) help() dialog.Dialog {
	var items []dialog.Item
	for _, a := range config.Actions() {
		items = append(items, dialog.Item{ID: string(a.Action), Title: a.Help, Do: dialog.Close{}})
	}
	return dialog.NewSelector(m.env(), dialog.List{Name: "help", Title: "Help", Items: items})
}

func (m *Model) option(id acpclient.ConfigID) dialog.Dialog {
	o := m.conv.Option(id)
	var items []dialog.Item
	now, _ := m.conv.OptionValue(o)
	for _, g := range o.Options {
		for _, v := range g.Options {
			items = append(items, dialog.Item{ID: string(v.Value), Title: v.Name, Detail: v.Description, Group: g.Name, Current: v.Value == now.ID, Do: dialog.SetOption{Option: id, Value: acpclient.SelectValue(v.Value)}})
		}
	}
	return dialog.NewSelector(m.env(), dialog.List{Name: "option", Title: o.Name, Items: items})
}

func (m *Model) options() dialog.Dialog { return m.option(m.conv.Options[0].ID) }

func (m *Model) elicitation(q *session.Elicitation) dialog.Dialog {
	return dialog.NewSelector(m.env(), dialog.List{Name: "elicitation", Title: q.Request.Message})
}
