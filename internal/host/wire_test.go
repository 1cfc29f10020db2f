package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/prompt"
	"parley/internal/record"
	"parley/internal/rules"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/test"
)

// Every type of acts has its kind. The types are read from the source, because Go cannot list
// those that implement an interface.
func TestEveryActHasItsKind(t *testing.T) {
	for _, dir := range []string{"../session", "../rules"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?m)^func \((?:\w+ )?(\w+)\) Do\(\w+ context\.Context, \w+ \*(?:session\.)?Session\)`).FindAllSubmatch(source, -1) {
				if session.KindNamed(string(m[1])) == nil {
					t.Errorf("the act %s has no kind", m[1])
				}
			}
		}
	}
}

// Every act goes over the wire: what is done is what was meant, and its result comes back.
func TestEveryActGoesOverTheWire(t *testing.T) {
	rec := &calls{}
	h := run(t, Options{Session: recorder{newFake(), rec}})
	c := h.attach(t, ClientOptions{})
	if len(session.Kinds()) < 50 {
		t.Error("there are too few acts: those of package rules are missing")
	}
	test.Checks(t, 20) // for each of many acts
	for _, k := range session.Kinds() {
		t.Run(k.Name, rapid.MakeCheck(func(rt *rapid.T) {
			empty, err := k.Decode(json.RawMessage("{}"))
			if err != nil {
				rt.Fatal(err)
			}
			of := reflect.TypeOf(empty.Act())
			if k.Name != of.Name() {
				rt.Fatalf("the act %s is called %s", of.Name(), k.Name)
			}
			want := random(rt, of).Interface().(session.AnyAct)
			p := reflect.ValueOf(want).FieldByName("Prompt")
			if _, own := want.(session.ExceedBudget); p.IsValid() && !own { // its prompt is parley's
				got, sends := session.PromptOf(want)
				_, steers := want.(session.Steer)
				_, now := want.(session.SendNow)
				users, is := p.Interface().(conversation.QueuedPrompt)
				if queued := (steers || now) && users.ID != 0; is && (queued == sends || sends && !cmp.Equal(users, got, same)) {
					rt.Fatal("session.PromptOf does not know its prompt: it would be lost if it is not confirmed")
				}
			}
			raw, err := session.Encode(want)
			if err != nil {
				rt.Fatal(err)
			}
			call, err := k.Decode(raw)
			if err != nil {
				rt.Fatal(err)
			}
			if call.Kind() != k {
				rt.Fatalf("%T says that it is of the kind %s", want, call.Kind().Name)
			}
			result := random(rt, reflect.TypeOf(call.Result())).Interface()
			rec.next([]any{result})
			if err := c.Perform(t.Context(), call); err != nil {
				rt.Fatal(err)
			}
			if want := (did{k.Name, []any{want}}); !cmp.Equal(want, rec.last(), same) {
				rt.Fatalf("it does something else (-want +got):\n%s", cmp.Diff(want, rec.last(), same))
			}
			if !cmp.Equal(result, call.Result(), same) {
				rt.Fatalf("it has another result (-want +got):\n%s", cmp.Diff(result, call.Result(), same))
			}
		}))
	}
}

// Perform implements [app.Session].
func (r recorder) Perform(_ context.Context, c session.Call) error {
	results := r.did(c.Kind().Name, c.Act())
	if len(results) == 0 {
		return nil
	}
	if err, is := results[0].(error); is {
		return err
	}
	raw, err := session.Encode(results[0])
	if err != nil {
		return err
	}
	return c.SetResult(raw)
}

// same compares arguments and results: what is empty is as good as nothing.
var same = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.AllowUnexported(did{}),
	cmpopts.IgnoreUnexported(rules.Project{}, journal.RewindFile{}, record.Numbered{}), // what the session's side needs
	cmp.Transformer("project", func(p rules.Project) []any { return []any{p.Dir, p.Rules, p.Prompts, fmt.Sprint(p.Err)} }),
	cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) }),
}

// random makes a value of a type.
func random(t *rapid.T, of reflect.Type) reflect.Value {
	if g := generators[of]; g != nil {
		return reflect.ValueOf(g(t))
	}
	v := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.String:
		v.SetString(rapid.String().Draw(t, "string"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "int"))
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(rapid.Uint64Range(0, 200).Draw(t, "uint"))
	case reflect.Float64:
		v.SetFloat(rapid.Float64().Draw(t, "float"))
	case reflect.Pointer:
		v.Set(reflect.New(of.Elem()))
		v.Elem().Set(random(t, of.Elem()))
	case reflect.Slice:
		for range rapid.IntRange(0, 2).Draw(t, "length") {
			v.Set(reflect.Append(v, random(t, of.Elem())))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(of))
		for range rapid.IntRange(0, 2).Draw(t, "length") {
			v.SetMapIndex(random(t, of.Key()), random(t, of.Elem()))
		}
	case reflect.Struct:
		for f := range of.Fields() {
			if f.IsExported() {
				v.FieldByIndex(f.Index).Set(random(t, f.Type))
			}
		}
	default:
		t.Fatalf("nobody knows how to make a %v", of)
	}
	return v
}

// generators are for types whose values are not all possible.
var generators map[reflect.Type]func(*rapid.T) any

func init() {
	generators = map[reflect.Type]func(*rapid.T) any{
		reflect.TypeFor[json.RawMessage](): func(t *rapid.T) any {
			return rapid.SampledFrom([]json.RawMessage{nil, json.RawMessage(`{"a":[1,null,"<"]}`)}).Draw(t, "json")
		},
		reflect.TypeFor[[]byte](): func(t *rapid.T) any { return rapid.SliceOf(rapid.Byte()).Draw(t, "bytes") },
		reflect.TypeFor[time.Time](): func(t *rapid.T) any {
			return time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds"))
		},
		reflect.TypeFor[iofs.FileMode](): func(t *rapid.T) any { return iofs.FileMode(rapid.IntRange(0, 0o777).Draw(t, "mode")) },
		reflect.TypeFor[acpclient.ContentBlock](): func(t *rapid.T) any {
			size, words := int64(7), rapid.String().Draw(t, "text")
			return rapid.SampledFrom([]acpclient.ContentBlock{
				acpclient.TextBlock(words),
				{Type: acpclient.ContentResourceLink, Name: words, URI: "file:///f", Size: &size},
				acpclient.ImageBlock("image/png", "AA=="),
				acpclient.TextResourceBlock("file:///f", "text/plain", words),
			}).Draw(t, "block")
		},
		reflect.TypeFor[acpclient.ConfigValue](): func(t *rapid.T) any {
			return rapid.SampledFrom([]acpclient.ConfigValue{acpclient.BoolValue(true), acpclient.BoolValue(false), acpclient.SelectValue("a"), acpclient.SelectValue("true")}).Draw(t, "value")
		},
		reflect.TypeFor[acpclient.CreateElicitationResponse](): func(t *rapid.T) any {
			content := map[string]any{}
			for _, name := range rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "fields") {
				content[name] = rapid.SampledFrom([]any{"words", true, false, int64(1), int64(1<<62 + 1), -2.5, 1e300, []string{"a", "b"}, []string{"c"}}).Draw(t, "value")
			}
			return acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept, Content: content}
		},
		reflect.TypeFor[acpclient.Command](): func(t *rapid.T) any {
			words := rapid.SliceOfN(rapid.String(), 0, 2).Draw(t, "words")
			return acpclient.Command{Path: "p", Args: words, Env: words, Dir: "/d", Runs: &acpclient.Command{Path: "q"}}
		},
		reflect.TypeFor[rules.Project](): func(t *rapid.T) any {
			return rules.Project{
				Dir: rapid.String().Draw(t, "dir"), Project: random(t, reflect.TypeFor[config.Project]()).Interface().(config.Project),
				Prompts: random(t, reflect.TypeFor[[]prompt.Template]()).Interface().([]prompt.Template),
			}
		},
		reflect.TypeFor[journal.Version](): func(t *rapid.T) any {
			return journal.Version{
				Image:   random(t, reflect.TypeFor[journal.Image]()).Interface().(journal.Image),
				Content: string(rapid.SliceOf(rapid.Byte()).Draw(t, "content")),
			}
		},
	}
}

// What front ends look for in errors is there, and so are the words.
func TestErrorsKeepWhatTheyAre(t *testing.T) {
	rec := &calls{}
	h := run(t, Options{Session: recorder{newFake(), rec}})
	c := h.attach(t, ClientOptions{})
	for name, want := range sentinels {
		for _, err := range []error{want, fmt.Errorf("so: %w", want), &journal.FileError{Path: "/a", Err: want}} {
			for _, got := range []error{
				func() error {
					rec.next([]any{err})
					return session.Try(t.Context(), c, session.Answer{Question: conversation.Seen{ID: 1, Revision: 1}, Option: "a"})
				}(),
				func() error {
					rec.next([]any{err})
					_, err := session.Do(t.Context(), c, session.Redo{})
					return err
				}(),
				func() error {
					rec.next([]any{err})
					_, err := session.Do(t.Context(), c, session.CompareFile{})
					return err
				}(),
			} {
				if !errors.Is(got, want) || got.Error() != err.Error() {
					t.Errorf("%s: %q comes back as %v", name, err, got)
				}
				var about, wantAbout *journal.FileError
				if errors.As(err, &wantAbout) && (!errors.As(got, &about) || about.Path != "/a" || about.Err.Error() != want.Error()) {
					t.Errorf("%s: the file is lost in %v", name, got)
				}
			}
		}
	}
	rec.next([]any{errors.New("plain")})
	if err := session.Try(t.Context(), c, session.OpenAnew{}); err == nil || err.Error() != "plain" {
		t.Errorf("an error comes back as %v", err)
	}
}

// did is a call.
type did struct {
	act  string
	args []any
}

// calls have what was done last, and what comes of the next call.
type calls struct {
	mu      sync.Mutex
	results []any
	was     did
}

func (c *calls) next(results []any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.results, c.was = results, did{}
}

func (c *calls) last() did {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.was
}

func (c *calls) did(act string, args ...any) []any {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.was = did{act, args}
	return c.results
}

// recorder is a session that only notes what is done.
type recorder struct {
	*fake
	*calls
}

func (r recorder) Journal() *journal.Summary {
	return &journal.Summary{
		Dir: "/journal", Len: 3, Version: 4, Turns: []journal.Turn{{Number: 1, Prompt: "first"}},
		Undoable: 5, Redoable: true, LastRewind: 6, Limits: "a limit", Failed: "a failure",
	}
}

// inspecting is a session whose messages are read.
type inspecting struct {
	recorder
	inspected *session.Session
}

// Perform implements [app.Session].
func (i inspecting) Perform(ctx context.Context, c session.Call) error {
	return i.inspected.Perform(ctx, c)
}

// What needs no act is the same, too.
func TestWhatAFrontEndKnows(t *testing.T) {
	rec := &calls{}
	ring := record.NewRing(record.Header{Agent: "Agent"}, nil, time.Now)
	ring.Line(true, []byte(`{"jsonrpc":"2.0","method":"a"}`))
	inspected, err := session.NewSession(session.Options{
		Ring: ring, Machine: func(session.Observer, session.Asker) (session.Machine, error) { return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	s := inspecting{recorder{newFake(), rec}, inspected}
	s.ring = ring
	h := run(t, Options{Session: s, Earlier: "earlier"})
	c := h.attach(t, ClientOptions{Running: "id", Far: true})
	want := s.About()
	want.Host, want.Far = "id", true
	if got := c.About(); !cmp.Equal(want, got) {
		t.Errorf("about: %+v", got)
	}
	if c.StoredID() != store.ID("stored") || c.welcome.Earlier != "earlier" || c.Disconnected() {
		t.Errorf("stored as %s, earlier %q, disconnected %v", c.StoredID(), c.welcome.Earlier, c.Disconnected())
	}
	if a := c.welcome.Agent; a.ID != "agent" || a.Name != "Agent" || a.Source != config.Source("") {
		t.Errorf("the agent is %+v", a)
	}
	if d := cmp.Diff(s.Journal(), c.Journal(), cmpopts.IgnoreFields(journal.Summary{}, "Changed")); d != "" {
		t.Errorf("the journal is another one (-want +got):\n%s", d)
	}
	c.Ring().KeepMore()
	c.Ring().Wait(t.Context(), 0)
	if entries, _ := c.Ring().Read(0, 1); len(entries) != 1 || !strings.Contains(string(entries[0].Data), `"a"`) {
		t.Errorf("the inspector has %+v", entries)
	}
}
