package app

import (
	"testing"

	"parley/acpclient"
)

// How far an option reaches is said unless its name says it, wherever it is listed.
func TestHowFarAnOptionReachesIsSaid(t *testing.T) {
	for _, tt := range []struct {
		kind acpclient.PermissionOptionKind
		name string
		want string
	}{
		{acpclient.AllowOnce, "Yes", ""},
		{acpclient.AllowAlways, "Yes", "always"},
		{acpclient.AllowAlways, "Always allow", ""},
		{acpclient.AllowAlways, "Yes, and don't ask again", ""},
		{acpclient.AllowAlways, "Allow for this session", ""},
		{acpclient.RejectAlways, "No", "always"},
		{acpclient.RejectOnce, "No, as always", "only this once"},
		{acpclient.AllowOnce, "Always allow", "only this once"},
		{acpclient.AllowOnce, "Reject", "allows"},
		{acpclient.RejectOnce, "Allow", "rejects"},
		{acpclient.RejectOnce, "Don't allow", ""},
		{"ask_lawyer", "Always", ""},
	} {
		if got := scopeOf(tt.kind, tt.name); got != tt.want {
			t.Errorf("%s %q: %q", tt.kind, tt.name, got)
		}
	}
}
