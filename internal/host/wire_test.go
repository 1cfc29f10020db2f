package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	iofs "io/fs"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/policy"
	"parley/internal/record"
	"parley/internal/session"
	"parley/internal/store"
)

// here are the methods that need no act: the client does them itself, or has the answer.
var here = map[string]bool{
	"Stream": true, "Perform": true, "Past": true, "Close": true, "End": true, "Disconnected": true, "About": true, "StoredID": true, "Journal": true, "Rules": true, "Ring": true,
	"Journal.Dir": true, "Journal.Len": true, "Journal.Version": true, "Journal.Turns": true, "Journal.Undoable": true,
	"Journal.LastRewind": true, "Journal.Trouble": true, "Journal.Changed": true,
}

// Every act goes over the wire: what is done is what was meant, and its result comes back.
func TestEveryActGoesOverTheWire(t *testing.T) {
	rec := &calls{}
	h := run(t, Options{Session: recorder{newFake(), rec}})
	c := h.attach(t, ClientOptions{})
	for _, k := range session.Kinds() {
		t.Run(k.Name, rapid.MakeCheck(func(rt *rapid.T) {
			empty, err := k.Decode(json.RawMessage("{}"))
			if err != nil {
				rt.Fatal(err)
			}
			want := random(rt, reflect.TypeOf(empty.Act())).Interface()
			raw, err := encode(want)
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
	raw, err := encode(results[0])
	if err != nil {
		return err
	}
	return c.SetResult(raw)
}

// acting calls f with each method that is an act, by the name of the act.
func acting(f func(act string, m reflect.Method)) {
	for prefix, t := range map[string]reflect.Type{
		"": reflect.TypeFor[app.Session](), "Journal.": reflect.TypeFor[app.Journal](), "Rules.": reflect.TypeFor[app.SessionRules](),
	} {
		for m := range t.Methods() {
			if !here[prefix+m.Name] {
				f(prefix+m.Name, m)
			}
		}
	}
}

// What a front end does with a session in a host is what it does with one in its process:
// the same call with the same arguments, and the same results.
func TestEveryMethodGoesOverTheWire(t *testing.T) {
	rec := &calls{}
	h := run(t, Options{Session: recorder{newFake(), rec}})
	c := h.attach(t, ClientOptions{})
	known := named(known)
	acting(func(act string, m reflect.Method) {
		known[act] = false
		t.Run(act, rapid.MakeCheck(func(rt *rapid.T) {
			var args, in []any
			for p := range m.Type.Ins() {
				if p == contextType {
					in = append(in, t.Context())
					continue
				}
				arg := random(rt, p).Interface()
				args, in = append(args, arg), append(in, arg)
			}
			var results []any
			for r := range m.Type.Outs() {
				var result any
				if r != errorType {
					result = random(rt, r).Interface()
				}
				results = append(results, result)
			}
			rec.next(results)
			got := invoke(on(c.Client, act), m, in)
			c.flush(rt) // acts without a result
			if want := (did{act, args}); !cmp.Equal(want, rec.last(), same) {
				rt.Fatalf("it does something else (-want +got):\n%s", cmp.Diff(want, rec.last(), same))
			}
			if !cmp.Equal(results, got, same) {
				rt.Fatalf("it has other results (-want +got):\n%s", cmp.Diff(results, got, same))
			}
		}))
	})
	for act, left := range known {
		if left && !strings.HasPrefix(act, "Ring.") {
			t.Errorf("%s is the act of no method", act)
		}
	}
}

// named has the names of acts.
func named(acts map[string]does) map[string]bool {
	all := map[string]bool{}
	for act := range acts {
		all[act] = true
	}
	return all
}

// on is what an act is a method of, for a front end.
func on(c *Client, act string) any {
	switch of, _, _ := strings.Cut(act, "."); of {
	case "Journal":
		return c.Journal()
	case "Rules":
		return c.Rules()
	}
	return c
}

func invoke(on any, m reflect.Method, in []any) (results []any) {
	values := make([]reflect.Value, len(in))
	for i := range in {
		values[i] = reflect.ValueOf(in[i])
	}
	f := reflect.ValueOf(on).MethodByName(m.Name)
	do := f.Call
	if m.Type.IsVariadic() {
		do = f.CallSlice
	}
	for _, v := range do(values) {
		results = append(results, v.Interface())
	}
	return results
}

// flush waits until all acts are done.
func (w *watcher) flush(t interface{ Fatal(...any) }) {
	w.Client.mu.Lock()
	pending := slices.Clone(w.pending)
	w.Client.mu.Unlock()
	for _, a := range pending {
		<-a.ready
		if a.err != nil {
			t.Fatal(a.err)
		}
	}
}

// same compares arguments and results: what is empty is as good as nothing.
var same = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.AllowUnexported(did{}),
	cmp.FilterPath(func(p cmp.Path) bool { _, is := p.Last().(cmp.StructField); return is && p.Last().String() == ".sum" }, cmp.Ignore()),
	cmp.Comparer(func(a, b *conversation.ToolCall) bool {
		return a.ID == b.ID && (a.Subagent == nil) == (b.Subagent == nil) && (a.Subagent == nil || a.Subagent.Session == b.Subagent.Session)
	}),
	cmp.Transformer("project", func(p app.Project) []any { return []any{p.Dir, p.Rules, p.Prompts, fmt.Sprint(p.Err)} }),
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
		reflect.TypeFor[conversation.Operation](): func(t *rapid.T) any {
			call := &conversation.ToolCall{ID: acpclient.ToolCallID(rapid.String().Draw(t, "call"))}
			if rapid.Bool().Draw(t, "subagent") {
				call.Subagent = &conversation.Subagent{Session: "s"}
			}
			return conversation.Operation{Call: call, Terminal: acpclient.TerminalID(rapid.String().Draw(t, "terminal"))}
		},
		reflect.TypeFor[acpclient.Command](): func(t *rapid.T) any {
			words := rapid.SliceOfN(rapid.String(), 0, 2).Draw(t, "words")
			return acpclient.Command{Path: "p", Args: words, Env: words, Dir: "/d", Runs: &acpclient.Command{Path: "q"}}
		},
		reflect.TypeFor[app.Project](): func(t *rapid.T) any {
			p := app.Project{Dir: rapid.String().Draw(t, "dir")}
			if rapid.Bool().Draw(t, "broken") {
				p.Err = errors.New(rapid.StringN(1, 20, -1).Draw(t, "error"))
				return p
			}
			p.Rules = random(t, reflect.TypeFor[[]policy.Rule]()).Interface().([]policy.Rule)
			return p
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
					rec.next([]any{journal.Done{}, err})
					_, err := c.Journal().Redo(t.Context())
					return err
				}(),
				func() error {
					rec.next([]any{nil, err})
					_, err := c.Journal().Compare(t.Context(), journal.Part{}, 0)
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

func as[T any](results []any, i int) T {
	result, _ := results[i].(T)
	return result
}

// recorder is a session that only notes what is done.
type recorder struct {
	*fake
	*calls
}

func (r recorder) Journal() app.Journal    { return journalRecorder{nil, r.calls} }
func (r recorder) Rules() app.SessionRules { return rulesRecorder{r.calls} }

type journalRecorder struct {
	app.Journal
	*calls
}

func (journalRecorder) Dir() string              { return "/journal" }
func (journalRecorder) Len() int                 { return 3 }
func (journalRecorder) Version() int             { return 4 }
func (journalRecorder) Turns() []journal.Turn    { return []journal.Turn{{Number: 1, Prompt: "first"}} }
func (journalRecorder) Undoable() (int, bool)    { return 5, true }
func (journalRecorder) LastRewind() int          { return 6 }
func (journalRecorder) Trouble() (string, error) { return "a limit", errors.New("a failure") }
func (journalRecorder) Changed(ctx context.Context, version int) int {
	<-ctx.Done()
	return version
}

type rulesRecorder struct{ *calls }

func (r journalRecorder) Files(a int) []journal.File {
	return as[[]journal.File](r.did("Journal.Files", a), 0)
}

func (r journalRecorder) Wait(_ context.Context) error { return as[error](r.did("Journal.Wait"), 0) }

func (r journalRecorder) Compare(_ context.Context, b journal.Part, c int) (*journal.Comparison, error) {
	out := r.did("Journal.Compare", b, c)
	return as[*journal.Comparison](out, 0), as[error](out, 1)
}

func (r journalRecorder) Since(_ context.Context) (map[int]journal.Tally, error) {
	out := r.did("Journal.Since")
	return as[map[int]journal.Tally](out, 0), as[error](out, 1)
}

func (r journalRecorder) RevertFile(_ context.Context, b journal.Part, c int) (journal.Done, error) {
	out := r.did("Journal.RevertFile", b, c)
	return as[journal.Done](out, 0), as[error](out, 1)
}

func (r journalRecorder) RevertHunk(_ context.Context, b *journal.Comparison, c int) (journal.Done, error) {
	out := r.did("Journal.RevertHunk", b, c)
	return as[journal.Done](out, 0), as[error](out, 1)
}
func (r journalRecorder) KeepHunk(a *journal.Comparison, b int) { r.did("Journal.KeepHunk", a, b) }
func (r journalRecorder) KeepFile(a journal.Part)               { r.did("Journal.KeepFile", a) }
func (r journalRecorder) OpenFile(a journal.Part)               { r.did("Journal.OpenFile", a) }
func (r journalRecorder) UndoTurn(_ context.Context) (journal.Done, error) {
	out := r.did("Journal.UndoTurn")
	return as[journal.Done](out, 0), as[error](out, 1)
}

func (r journalRecorder) Redo(_ context.Context) (journal.Done, error) {
	out := r.did("Journal.Redo")
	return as[journal.Done](out, 0), as[error](out, 1)
}

func (r journalRecorder) PlanRewind(_ context.Context, b int) (*journal.RewindPlan, error) {
	out := r.did("Journal.PlanRewind", b)
	return as[*journal.RewindPlan](out, 0), as[error](out, 1)
}

func (r journalRecorder) Rewind(_ context.Context, b *journal.RewindPlan, c ...journal.Part) (journal.Done, error) {
	out := r.did("Journal.Rewind", b, c)
	return as[journal.Done](out, 0), as[error](out, 1)
}

func (r rulesRecorder) Project() app.Project       { return as[app.Project](r.did("Rules.Project"), 0) }
func (r rulesRecorder) Trust() app.Trust           { return as[app.Trust](r.did("Rules.Trust"), 0) }
func (r rulesRecorder) SetTrust(a app.Trust) error { return as[error](r.did("Rules.SetTrust", a), 0) }

func (r rulesRecorder) Entries() ([]app.Rule, error) {
	out := r.did("Rules.Entries")
	return as[[]app.Rule](out, 0), as[error](out, 1)
}

func (r rulesRecorder) Add(a bool, b ...string) error { return as[error](r.did("Rules.Add", a, b), 0) }

func (r rulesRecorder) Remove(a bool, b string) error {
	return as[error](r.did("Rules.Remove", a, b), 0)
}

// What needs no act is the same, too.
func TestWhatAFrontEndKnows(t *testing.T) {
	rec := &calls{}
	ring := record.NewRing(record.Header{Agent: "Agent"}, nil, time.Now)
	ring.Line(true, []byte(`{"jsonrpc":"2.0","method":"a"}`))
	s := recorder{newFake(), rec}
	s.ring = ring
	h := run(t, Options{Session: s, Earlier: "earlier"})
	c := h.attach(t, ClientOptions{Running: "id", Far: true})
	want := s.About()
	want.Host, want.Far = "id", true
	if got := c.About(); !cmp.Equal(want, got) {
		t.Errorf("about: %+v", got)
	}
	if c.StoredID() != store.ID("stored") || c.Earlier() != "earlier" || c.Disconnected() {
		t.Errorf("stored as %s, earlier %q, disconnected %v", c.StoredID(), c.Earlier(), c.Disconnected())
	}
	if a := c.Agent(); a.ID != "agent" || a.Name != "Agent" || a.Source != config.Source("") {
		t.Errorf("the agent is %+v", a)
	}
	for m := range reflect.TypeFor[app.Journal]().Methods() {
		if !here["Journal."+m.Name] || m.Name == "Changed" {
			continue
		}
		want, got := invoke(s.Journal(), m, nil), invoke(c.Journal(), m, nil)
		if fmt.Sprint(want) != fmt.Sprint(got) {
			t.Errorf("%s: %v, want %v", m.Name, got, want)
		}
	}
	c.Ring().KeepMore()
	c.Ring().Wait(t.Context(), 0)
	if entries, _ := c.Ring().Read(0, 1); len(entries) != 1 || !strings.Contains(string(entries[0].Data), `"a"`) {
		t.Errorf("the inspector has %+v", entries)
	}
}
