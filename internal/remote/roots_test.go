package remote

import (
	"strings"
	"testing"
)

func TestPathsAreTurnedAboutBothWays(t *testing.T) {
	r := Roots{Local: "/home/me/project", Remote: "/srv/project/"}
	for _, tt := range []struct{ name, local, remote string }{
		{"session", `{"id":1,"method":"session/new","params":{"cwd":"/home/me/project","mcpServers":[]}}`, `{"id":1,"method":"session/new","params":{"cwd":"/srv/project","mcpServers":[]}}`},
		{"directories", `{"additionalDirectories": ["/home/me/project/a", "/tmp"]}`, `{"additionalDirectories": ["/srv/project/a", "/tmp"]}`},
		{"file", `{"method":"fs/read_text_file","params":{"path":"/home/me/project/a b/é.go","line":3}}`, `{"method":"fs/read_text_file","params":{"path":"/srv/project/a b/é.go","line":3}}`},
		{"mention", `{"prompt":[{"type":"text","text":"/home/me/project/x"},{"type":"resource_link","name":"x","uri":"file:///home/me/project/a%20b"}]}`, `{"prompt":[{"type":"text","text":"/home/me/project/x"},{"type":"resource_link","name":"x","uri":"file:///srv/project/a%20b"}]}`},
		{"call", `{"update":{"locations":[{"path":"/home/me/project/m.go"}],"content":[{"type":"diff","path":"/home/me/project/m.go","oldText":"path","newText":"/home/me/project"}],"rawInput":{"path":"raw"}}}`, `{"update":{"locations":[{"path":"/srv/project/m.go"}],"content":[{"type":"diff","path":"/srv/project/m.go","oldText":"path","newText":"/home/me/project"}],"rawInput":{"path":"raw"}}}`},
	} {
		if got := string(turned([]byte(tt.local), r.toRemote)); got != tt.remote {
			t.Errorf("%s, sent: %s", tt.name, got)
		}
		if got := string(turned([]byte(tt.remote), r.toLocal)); got != tt.local {
			t.Errorf("%s, read: %s", tt.name, got)
		}
	}
}

func TestWhatIsNoPathOfTheRootStays(t *testing.T) {
	r := Roots{Local: "/home/me/project", Remote: "/srv/project"}
	deep := `{"path":"/srv/project/x","a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`
	for _, message := range []string{
		deep,
		`{"path":"/srv/projects/x"}`, `{"path":"/etc/passwd"}`, `{"path":"srv/project/x"}`, `{"path":""}`, `{"path":null}`,
		`{"uri":"https://example.com/srv/project/x"}`, `{"uri":"file://other/srv/project/x"}`, `{"uri":"%"}`,
		`{"text":"/srv/project/x","title":"/srv/project"}`, `{"_meta":{"path":"/srv/project/x"}}`, `{"rawInput":{"path":"/srv/project/x"}}`,
		`{"path":"/srv/project/../secret"}`, `not {"path":"/srv/project/x"}`, `{"path":"/srv/project/x"`, `{"path":{"path":1}}`, `"path"`,
	} {
		if got := string(turned([]byte(message), r.toLocal)); got != message {
			t.Errorf("%s became %s", message, got)
		}
	}
	// A path that climbs within the root, or is written with escapes, is turned about as what it is.
	for message, want := range map[string]string{
		`{"path":"/srv/project/a/../b"}`:     `{"path":"/home/me/project/b"}`,
		`{"path":"\/srv\/project\/b"}`:       `{"path":"/home/me/project/b"}`,
		`{ "path" : "/srv/project" , "x":1}`: `{ "path" : "/home/me/project" , "x":1}`,
	} {
		if got := string(turned([]byte(message), r.toLocal)); got != want {
			t.Errorf("%s became %s", message, got)
		}
	}
	if root := (Roots{Local: "/home/me", Remote: "/"}); string(turned([]byte(`{"path":"/x"}`), root.toLocal)) != `{"path":"/home/me/x"}` {
		t.Error("the root of the file system is no root")
	}
}
