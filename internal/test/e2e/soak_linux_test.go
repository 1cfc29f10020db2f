package e2e

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/test"
	"parley/internal/test/ptytest"
)

// A day has so many prompts, each with a question, a command, a file, and the updates of so many
// turns. Eight hours are 20,000 turns.
const (
	soakRounds = 500
	soakTurns  = "40"
)

// soaking is the agent of a long day. It also takes part in comparisons, as the fast poet, and
// says hello in further tabs.
const soaking = `
handshake ` + resumes + `
repeat 1000000
  let round ${n}
  expect session/prompt as heard
  let said ${heard.params.prompt.0.text}
  if said is sing
    request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/poem.txt", "content": "ONE\ntwo\nTHREE\n"} as written
    await written
    update {"sessionUpdate":"usage_update","used":1000,"size":200000,"cost":{"amount":0.25,"currency":"USD"}}
  else
    if said is hello
      say "Good day."
    else
      request session/request_permission {"sessionId":"${session}","toolCall":{"toolCallId":"q${round}","title":"make ${round}","kind":"execute","rawInput":{"command":"make ${round}"}},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]} as answer
      await answer contains yes
      request terminal/create {"sessionId":"${session}","command":"seq","args":["${round}","2000"],"cwd":"${cwd}"} as term
      await term
      update {"sessionUpdate":"tool_call_update","toolCallId":"q${round}","status":"in_progress","content":[{"type":"terminal","terminalId":"${term.result.terminalId}"}]}
      request terminal/wait_for_exit {"sessionId":"${session}","terminalId":"${term.result.terminalId}"} as exit
      await exit
      request terminal/release {"sessionId":"${session}","terminalId":"${term.result.terminalId}"} as released
      await released
      update {"sessionUpdate":"tool_call_update","toolCallId":"q${round}","status":"completed"}
      request fs/write_text_file {"sessionId":"${session}","path":"${cwd}/poem.txt","content":"${round}\n${a line of a poem. :400}\n"} as written
      await written
      repeat ` + soakTurns + `
        think "Thinking about ${n} of ${round}, and about what is to be done next."
        update {"sessionUpdate":"tool_call","toolCallId":"t${round}-${n}","title":"Run ${n}","kind":"execute","status":"in_progress","rawInput":{"command":"go test ./p${n}"}}
        repeat 4
          update {"sessionUpdate":"tool_call_update","toolCallId":"t${round}-x","title":"Watch","content":[{"type":"content","content":{"type":"text","text":"${n} ${some output of it. :20}"}}]}
        end
        update {"sessionUpdate":"tool_call_update","toolCallId":"t${round}-${n}","status":"completed","content":[{"type":"content","content":{"type":"text","text":"${ok  parley/p 0.1s\n:20}"}}]}
        update {"sessionUpdate":"tool_call","toolCallId":"d${round}-${n}","title":"Edit ${n}","kind":"edit","status":"completed","content":[{"type":"diff","path":"${cwd}/d.txt","oldText":"one ${n}\ntwo\n","newText":"one\ntwo ${round}\n"}]}
        update {"sessionUpdate":"plan","entries":[{"content":"Step ${n}","priority":"high","status":"in_progress"},{"content":"Rest","priority":"low","status":"pending"}]}
        update {"sessionUpdate":"usage_update","used":${n}000,"size":200000,"cost":{"amount":${round}.25,"currency":"USD"}}
        say "## Turn ${n} of ${round}\n\nSome **bold** words and ${code in it, :6}.\n\n- one\n- two\n\n~~~go\nfunc f${n}() {}\n~~~\n\n"
      end
      say "All of ${said} is done."
    end
  end
  end-turn
end
`

// soaked is what was measured at one moment, by name.
type soaked map[string]int

// A long day, as make soak makes it, in a viewer that has the session and in one of a host: what it
// leaves behind is the log, and what it holds is the transcript.
func TestSoak(t *testing.T) {
	share, err := strconv.ParseFloat(os.Getenv("PARLEY_TEST_SOAK"), 64)
	if err != nil {
		t.Skip("see make soak")
	}
	t.Setenv("PARLEY_BIN", test.Watched(t))
	t.Run("viewer", func(t *testing.T) { soak(t, int(soakRounds*share), false) })
	t.Run("host", func(t *testing.T) { soak(t, int(soakRounds*share), true) })
}

// soak lives through a day of so many rounds.
func soak(t *testing.T, rounds int, keep bool) {
	at, watch := repositoryPlace(t), t.TempDir()
	temp := filepath.Join(at.home, ".tmp")
	must(t, os.Mkdir(temp, 0o700))
	env := []string{"PARLEY_TEST_WATCH=" + watch, "TMPDIR=" + temp}
	k := kept{at}
	p := Start(t, Options{
		Home: at.home, Project: at.dir, Env: env, Config: fmt.Sprintf("[host]\nkeep = %v\n", keep),
		Script: soaking, Others: map[string]string{"asks": askingPoet, "fails": failingPoet},
	})
	t.Cleanup(k.endHosts)
	p.Ready().Ask("hello").Shows("Good day.").Idle()
	processes := []string{"viewer"}
	pids := map[string]int{"viewer": p.Pid()}
	if keep {
		processes = append(processes, "host")
		pids["host"] = k.host().PID
	}
	p.comparesAndDrops()
	var first, last soaked
	var attached time.Duration
	for round := 1; round <= rounds; round++ {
		p.Ask(fmt.Sprint("work ", round)).Question("make ").Answer("Yes")
		switch {
		case round%4 == 0:
			p.Resize(80+round%40, 24+round%16)
		case round%4 == 1:
			p.Resize(120, 40)
		case round%4 == 2:
			p.Press("ctrl+n").Ready().TabLine(" 2 ")
			if !keep { // a session with a prompt would go on in its host
				p.Ask("hello").Shows("Good day.").Idle()
			}
			p.Press("alt+w").TabLineGone()
		case keep:
			began := time.Now()
			q := Start(t, Options{Home: at.home, Project: at.dir, Env: env, Args: []string{"attach"}}).Status("kept")
			attached = time.Since(began).Round(time.Millisecond)
			q.Press("ctrl+z").Exits(0)
		}
		p.Shows(fmt.Sprintf("All of work %d is done.", round)).Idle()
		if round == rounds/3 || round == rounds*2/3 {
			p.comparesAndDrops()
		}
		if round*20/rounds == (round-1)*20/rounds {
			continue
		}
		last = soaked{}
		line := fmt.Sprintf("%d %%:", round*100/rounds)
		for _, name := range processes {
			line += last.process(t, name, pids[name], watch, first)
		}
		t.Logf("%s%s %s; attached in %v", line, last.disk(at.home), p.keyToScreen(), attached)
		if first == nil {
			first = last
		}
		for name, n := range last {
			most := first[name]
			switch {
			case name == "host heap":
				most += 24 << 20 // the latest calls
			case name == "viewer heap":
				most += last["log"] - first["log"] + 16<<20 // the transcript, and what is cached of it
			case name == "log":
				most = n
			}
			if n > most {
				t.Errorf("%d %s, %d at first", n, name, first[name])
			}
		}
	}
	p.Leaves()
}

// comparesAndDrops makes a comparison in a tab of its own, and leaves nothing of it.
func (p *Parley) comparesAndDrops() {
	p.t.Helper()
	p.Resize(120, 40).Press("ctrl+n")
	p.compare("sing").Press("x").Question("Drop which worktree?").Answer("All")
	p.Question("Drop all worktrees?").Answer("Drop").Shows("dropped 3 worktrees")
	p.Press("q", "alt+w").TabLineGone()
}

// process measures a process: the memory that it needs without its garbage, goroutines, and
// descriptors. What has ended may need a moment to be gone: the least of some looks counts.
func (s soaked) process(t *testing.T, name string, pid int, watch string, first soaked) string {
	t.Helper()
	path, proc := filepath.Join(watch, fmt.Sprint(pid)), fmt.Sprintf("/proc/%d/", pid)
	heap, goroutines, descriptors := name+" heap", name+" goroutines", name+" descriptors"
	least := func(what string, n int) {
		if had, measured := s[what]; !measured || n < had {
			s[what] = n
		}
	}
	for range 200 { // some seconds
		_ = os.Remove(path)
		must(t, syscall.Kill(pid, syscall.SIGUSR1))
		var report []byte
		waitFor(t, name+" has said how it is", func() bool { report, _ = os.ReadFile(path); return report != nil })
		var routines, bytes int
		_, err := fmt.Sscan(string(report), &routines, &bytes)
		must(t, err)
		fds, err := os.ReadDir(proc + "fd")
		must(t, err)
		least(goroutines, routines)
		least(descriptors, len(fds))
		least(heap, bytes)
		if first == nil || s[goroutines] <= first[goroutines] && s[descriptors] <= first[descriptors] {
			break
		}
	}
	status, err := os.ReadFile(proc + "status")
	must(t, err)
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	var resident int
	_, err = fmt.Sscan(rest, &resident)
	must(t, err)
	return fmt.Sprintf(" %s: %d MB resident, %.1f MB heap, %d goroutines, %d descriptors;", name, resident>>10, float64(s[heap])/(1<<20), s[goroutines], s[descriptors])
}

// disk measures what is below the home directory: the logs of sessions, what undo and the records
// of hosts need, which have bounds of their own, and the number of all other files.
func (s soaked) disk(home string) string {
	files, size := map[string]int{}, map[string]int{}
	_ = filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // it has just gone
		}
		kind, _, _ := strings.Cut(strings.TrimPrefix(path, filepath.Join(home, ".local/state/parley")+"/"), "/")
		if kind != "sessions" && kind != "journal" && kind != "hosts" {
			kind = "other"
		}
		if info, err := d.Info(); err == nil {
			files[kind]++
			size[kind] += int(info.Size())
		}
		return nil
	})
	s["log"], s["other files"] = size["sessions"], files["other"]
	var line string
	for _, kind := range slices.Sorted(maps.Keys(files)) {
		line += fmt.Sprintf(" %s: %d files, %d KB;", kind, files[kind], size[kind]>>10)
	}
	return line
}

// keyToScreen is how long a key takes to the screen: the median, and the most.
func (p *Parley) keyToScreen() string {
	p.t.Helper()
	var took []time.Duration
	for range 15 {
		shows := func(want string) time.Duration {
			start := time.Now()
			p.WaitUntil("the draft is "+want, func(s ptytest.Screen) bool { return draft(s) == want })
			return time.Since(start)
		}
		p.Press("x")
		took = append(took, shows("x"))
		p.Press("backspace")
		shows("")
	}
	slices.Sort(took)
	return fmt.Sprintf("key to screen %v, at most %v", took[len(took)/2].Round(10*time.Microsecond), took[len(took)-1].Round(10*time.Microsecond))
}
