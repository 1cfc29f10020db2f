package git

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// FilterProgram is the path of this program, which git runs in place of the user's filters and merge drivers,
// as one of
//
//	filter REPOSITORY [DIRECTORY...] -- COMMAND [X=VALUE...]
//	filter-process CLEAN SMUDGE
//
// The first runs a command in a sandbox, in which it writes in the directories only; see [Expand]. The second is a
// [ServeFilter]. Git runs them itself if it is "". Set it before the first Writer.
//
// Filters and merge drivers read what an agent has written, and Git LFS follows links where it keeps the contents of files.
var FilterProgram string

// FilterFailed begins what the first command of FilterProgram's prints if a filter or merge driver has failed.
const FilterFailed = "a filter or merge driver has failed: "

// A driver is a filter or a merge driver of the user's configuration: the values of its settings.
// https://git-scm.com/docs/gitattributes
type driver map[string]string

// confine makes git run drivers, by their sections, by FilterProgram, and require its filters: else it would go on without
// one that fails. That of Git LFS writes in its store, and a merge driver where git runs it.
func confine(settings map[string]string, drivers map[string]driver, repository, store string) {
	for section, d := range drivers {
		for kind, command := range d {
			if FilterProgram != "" && gone(command) { // for the sandbox it would be one that is hidden
				d[kind], settings[section+"."+kind] = "", ""
			}
		}
		var write []string
		if said := strings.Join(slices.Collect(maps.Values(d)), " "); strings.Contains(said, "git-lfs") || strings.Contains(said, "git lfs") {
			write = append(write, store)
		}
		run := func(command string, write ...string) string {
			return words(slices.Concat([]string{FilterProgram, "filter", repository}, write, []string{"--", command})...)
		}
		switch {
		case FilterProgram == "":
		case d["driver"] != "":
			values := " O=%O A=%A B=%B L=%L P=%P S=%S X=%X Y=%Y" // git puts these in, as quoted words where they need it
			settings[section+".driver"] = strings.ReplaceAll(run(d["driver"], append(write, ".")...), "%", "%%") + values
		case d["process"]+d["clean"]+d["smudge"] != "": // one sandbox for all files
			missing := "cat"
			if !slices.Contains([]string{"", "false", "no", "off", "0"}, strings.ToLower(d["required"])) {
				missing = "" // git refuses such files
			}
			pair := words(FilterProgram, "filter-process", cmp.Or(d["clean"], missing), cmp.Or(d["smudge"], missing))
			settings[section+".process"], settings[section+".required"] = run(cmp.Or(d["process"], pair), write...), "true"
		}
	}
}

// program matches a command that is a program on PATH with arguments, and nothing else.
var program = regexp.MustCompile(`^([\w.+-]+)( [\w./%+=,:@-]+)*$`)

// gone reports whether a command is a program that is not installed.
func gone(command string) bool {
	m := program.FindStringSubmatch(command)
	if m == nil {
		return false
	}
	_, err := exec.LookPath(m[1])
	return err != nil
}

// words returns words for the shell.
func words(all ...string) string {
	for i, word := range all {
		all[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(all, " ")
}

// Expand returns the shell command of a filter or merge driver in which values as X=VALUE replace %X, as git puts them in.
func Expand(command string, values ...string) string {
	if len(values) == 0 {
		return command
	}
	pairs := []string{"%%", "%"}
	for _, v := range values {
		name, value, _ := strings.Cut(v, "=")
		pairs = append(pairs, "%"+name, words(value))
	}
	return strings.NewReplacer(pairs...).Replace(command)
}

// ServeFilter filters files for git with the user's commands, which may be "": it is a long-running process of git's, which
// ends when a command fails.
// https://git-scm.com/docs/gitattributes#_long_running_filter_process
func ServeFilter(ctx context.Context, in io.Reader, out io.Writer, clean, smudge string) error {
	p := packets{bufio.NewReader(in), bufio.NewWriter(out)}
	if _, err := p.list(); err != nil { // version 2, which is the only one
		return err
	}
	if err := p.send("git-filter-server", "version=2"); err != nil {
		return err
	}
	if _, err := p.list(); err != nil { // git knows both
		return err
	}
	commands := map[string]string{"clean": clean, "smudge": smudge}
	maps.DeleteFunc(commands, func(_, command string) bool { return command == "" })
	var can []string
	for name := range commands {
		can = append(can, "capability="+name)
	}
	err := p.send(can...)
	for err == nil {
		var asked map[string]string
		if asked, err = p.list(); errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = p.filter(ctx, Expand(commands[asked["command"]], "f="+asked["pathname"]))
		}
	}
	return err
}

// packets are git's packet lines.
// https://git-scm.com/docs/protocol-common#_pkt_line_format
type packets struct {
	in  *bufio.Reader
	out *bufio.Writer
}

// mostPacket is how long the content of a packet may be, in bytes.
const mostPacket = 65516

// next returns the content of the next packet, nil at the end of a list.
func (p packets) next() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(p.in, head[:]); err != nil {
		return nil, err
	}
	n, err := strconv.ParseUint(string(head[:]), 16, 16)
	if err != nil || n == 0 {
		return nil, err
	}
	b := make([]byte, max(n, 4)-4)
	_, err = io.ReadFull(p.in, b)
	return b, err
}

// list returns the list of names and values that comes next.
func (p packets) list() (map[string]string, error) {
	all := map[string]string{}
	for {
		b, err := p.next()
		if b == nil {
			return all, err
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(string(b), "\n"), "=")
		all[name] = value
	}
}

// write adds a packet.
func (p packets) write(b []byte) error {
	_, err := fmt.Fprintf(p.out, "%04x%s", len(b)+4, b)
	return err
}

// send sends a list.
func (p packets) send(lines ...string) error {
	for _, line := range lines {
		if err := p.write([]byte(line + "\n")); err != nil {
			return err
		}
	}
	_, err := p.out.WriteString("0000")
	return errors.Join(err, p.out.Flush())
}

// packedFile reads the packets of a file.
type packedFile struct {
	packets
	rest []byte
	over bool
}

func (c *packedFile) Read(b []byte) (n int, err error) {
	for len(c.rest) == 0 && !c.over && err == nil {
		c.rest, err = c.next()
		c.over = c.rest == nil
	}
	if c.over || err != nil {
		return 0, cmp.Or(err, io.EOF)
	}
	n = copy(b, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// filter answers with the file that comes next, as a command changes it. Git reads nothing before it has sent all of it.
func (p packets) filter(ctx context.Context, command string) error {
	changed, err := os.CreateTemp("", "parley-filter-")
	if err != nil {
		return err
	}
	defer func() { _, _ = changed.Close(), os.Remove(changed.Name()) }()
	file := &packedFile{packets: p}
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = file, changed, os.Stderr
	if err = cmd.Run(); err != nil {
		err = fmt.Errorf("%s: %w", command, err)
	}
	if _, unread := io.Copy(io.Discard, file); unread != nil {
		return unread
	}
	if err == nil {
		_, err = changed.Seek(0, io.SeekStart)
	}
	if err == nil {
		err = p.send("status=success")
	}
	b := make([]byte, mostPacket)
	for err == nil {
		var n int
		if n, err = changed.Read(b); n > 0 {
			err = errors.Join(err, p.write(b[:n]))
		}
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	return errors.Join(p.send(), p.send()) // the status is still that
}
