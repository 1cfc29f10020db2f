package policy

import (
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// FileUse is how a file is used.
type FileUse uint8

// The uses.
const (
	// Reading means reading or writing a file that may hold secrets.
	Reading FileUse = iota
	// Writing means writing a file whose contents run, or decide what runs.
	Writing
)

// SensitiveFiles decides which files, wherever they are, need a question to the user:
// files that hold secrets, and files that make programs run when they are written. It
// is immutable and safe for concurrent use.
//
// It knows files by their paths, which must be without links. File systems may treat
// several spellings of a path as the same: in other case, with invisible characters,
// with dots and spaces at the end of a name. SensitiveFiles treats all of them as the
// same, on every system.
type SensitiveFiles struct {
	patterns [2][]pattern
	own      []string
	copies   [][2]string // see Copy

	// ends are the last names of what Match finds for Reading, and of own; endGlobs are
	// those that are patterns. A general pattern makes endAnywhere true.
	ends        map[string]bool
	endGlobs    []string
	endAnywhere bool
}

// pattern is one pattern. The last one that matches a path wins.
type pattern struct {
	text     string // as written
	spare    bool   // matches need no question
	anchored bool   // it begins at the top of the path
	// names match one name each, in order; nil if the pattern is more general, and then
	// glob matches whole spelled paths.
	names []string
	glob  string
}

// maxGlobbed limits the names of a path that is matched with general patterns, which
// takes quadratic time. A longer path always matches.
const maxGlobbed = 200

// NewSensitiveFiles returns the built-in patterns followed by those of the
// configuration. own are parley's own files and directories, which always need a
// question. Each pattern is a glob:
//
//   - "*" is anything in a name, "**" any folders, "{a,b}" one of several;
//   - a folder stands for everything in it;
//   - a glob that begins with neither "/" nor "~/" may match anywhere in a path, one with "~/" begins at the home directory;
//   - "!" in front excludes matches.
//
// If the home directory is unknown (""), "~/" may match anywhere. The error names the
// first invalid pattern.
func NewSensitiveFiles(reading, writing, own []string, home string) (*SensitiveFiles, error) {
	t := &SensitiveFiles{ends: map[string]bool{}}
	for use, lines := range [2][]string{
		Reading: slices.Concat(Secrets, reading),
		Writing: slices.Concat(Running, writing),
	} {
		for _, line := range lines {
			if err := CheckFilePattern(line); err != nil {
				return nil, err
			}
			for _, one := range Alternatives(line) {
				t.patterns[use] = append(t.patterns[use], compile(one, home))
			}
		}
	}
	for _, o := range own {
		t.own = append(t.own, spelled(o))
		t.ends[path.Base(spelled(o))] = true
	}
	for _, p := range t.patterns[Reading] {
		switch last := len(p.names) - 1; {
		case p.spare:
		case last < 0:
			t.endAnywhere = true
		case strings.ContainsAny(p.names[last], globChars):
			t.endGlobs = append(t.endGlobs, p.names[last])
		default:
			t.ends[p.names[last]] = true
		}
	}
	return t, nil
}

// Alternatives returns the patterns that "{a,b}" in a pattern stands for: most are plain names, which
// are quick to match, and a question names the one that matches. Braces within others stay.
func Alternatives(line string) []string {
	before, rest, open := strings.Cut(line, "{")
	names, after, closed := strings.Cut(rest, "}")
	if !open || !closed || strings.ContainsAny(line, `\[`) || strings.Contains(names, "{") {
		return []string{line}
	}
	var out []string
	for name := range strings.SplitSeq(names, ",") {
		for _, tail := range Alternatives(after) {
			out = append(out, before+name+tail)
		}
	}
	return out
}

// CheckFilePattern returns what is wrong with a pattern, or nil.
func CheckFilePattern(line string) error {
	glob := strings.TrimPrefix(line, "!")
	switch {
	case strings.Trim(glob, "/") == "" || strings.TrimSpace(glob) != glob:
		return fmt.Errorf("%q names no files", line)
	case !doublestar.ValidatePattern(glob):
		return fmt.Errorf("%q is not a pattern: ** stands for any folders, * for anything in a name", line)
	case path.Clean(glob) != strings.TrimSuffix(glob, "/") || strings.HasPrefix(glob, "../") || glob == "..":
		return fmt.Errorf("%q can match nothing: write it without . and .. in it", line)
	}
	return nil
}

func compile(line, home string) pattern {
	glob, spare := strings.CutPrefix(line, "!")
	p := pattern{text: glob, spare: spare}
	glob = strings.TrimSuffix(glob, "/")
	if below, atHome := strings.CutPrefix(glob, "~/"); atHome {
		if glob = below; home != "" {
			glob = LiteralPattern(filepath.ToSlash(home)) + "/" + below
		}
	}
	glob = fold(glob)
	p.anchored = strings.HasPrefix(glob, "/") || filepath.VolumeName(glob) != ""
	p.names = strings.Split(glob, "/")
	for _, name := range p.names {
		if strings.Contains(name, "**") || !doublestar.ValidatePattern(name) {
			p.names, p.glob = nil, glob
			if !p.anchored {
				p.glob = "**/" + glob
			}
			break
		}
	}
	return p
}

// Own reports whether a file belongs to parley itself.
func (t *SensitiveFiles) Own(path string) bool {
	path = spelled(path)
	for _, o := range t.own {
		if path == o || strings.HasPrefix(path, strings.TrimSuffix(o, "/")+"/") {
			return true
		}
	}
	return false
}

// Entry returns whether an entry of a folder needs a question before reading, for a folder
// that needs none. It is quick for most names.
func (t *SensitiveFiles) Entry(dir, name string) bool {
	short := strings.TrimRight(fold(name), ". ")
	may := t.endAnywhere || t.ends[short] || slices.ContainsFunc(t.endGlobs, func(glob string) bool {
		ok, _ := doublestar.Match(glob, short)
		return ok
	})
	if !may {
		return false
	}
	path := filepath.Join(dir, name)
	return t.Own(path) || t.Match(Reading, path) != ""
}

// Copy has a file in the directory dir need every question that it would need in the directory
// of. Both must be absolute and without links.
func (t *SensitiveFiles) Copy(dir, of string) { t.copies = append(t.copies, [2]string{dir, of}) }

// Match returns the pattern because of which a file needs a question, or "". The path
// must be absolute and without links.
func (t *SensitiveFiles) Match(use FileUse, path string) string {
	found := t.match(use, path)
	for _, c := range t.copies {
		if rel, err := filepath.Rel(c[0], path); found == "" && err == nil && filepath.IsLocal(rel) {
			found = t.match(use, filepath.Join(c[1], rel))
		}
	}
	return found
}

func (t *SensitiveFiles) match(use FileUse, path string) string {
	names := strings.Split(spelled(path), "/")
	found := ""
	for _, p := range t.patterns[use] {
		if (found == "") != p.spare && p.match(names) {
			found = p.text
			if p.spare {
				found = ""
			}
		}
	}
	return found
}

// match matches the names of a path, or of one of its parent folders.
func (p pattern) match(path []string) bool {
	if p.names == nil {
		if len(path) > maxGlobbed {
			return !p.spare
		}
		for n := len(path); n > 1; n-- {
			if ok, _ := doublestar.Match(p.glob, strings.Join(path[:n], "/")); ok {
				return true
			}
		}
		return false
	}
	last := len(path) - len(p.names)
	if p.anchored {
		last = min(last, 0)
	}
	for from := 0; from <= last; from++ {
		if matchNames(p.names, path[from:]) {
			return true
		}
	}
	return false
}

// globChars are in every name of a pattern that does not stand for itself.
const globChars = `*?[{\`

func matchNames(patterns, names []string) bool {
	for i, pattern := range patterns {
		if pattern == names[i] {
			continue
		}
		if !strings.ContainsAny(pattern, globChars) {
			return false // it stands for itself
		}
		if ok, _ := doublestar.Match(pattern, names[i]); !ok {
			return false
		}
	}
	return true
}

// spelled returns the canonical spelling of a path.
func spelled(path string) string {
	names := strings.Split(filepath.ToSlash(path), "/")
	for i, name := range names {
		if runtime.GOOS == "windows" && i > 0 {
			name, _, _ = strings.Cut(name, ":") // what follows names a stream of the same file
		}
		if short := strings.TrimRight(fold(name), ". "); short != "" {
			names[i] = short
		}
	}
	return strings.Join(names, "/")
}

// fold removes what file systems may ignore: case, the composition of characters, and
// invisible characters.
func fold(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return strings.ToLower(s)
	}
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
	return norm.NFC.String(cases.Fold().String(norm.NFD.String(s)))
}

// Secrets are the patterns of files that need a question before reading and writing. The sandbox
// hides what they match in the home directory.
var Secrets = slices.Concat([]string{
	// The environment of projects. This comes first, because its exception must only
	// apply to it.
	".env", ".env.*", "!.env.{example,sample,template,dist,defaults}", ".envrc",
	// Keys and passwords.
	".{ssh,gnupg,password-store,bitcoin,electrum,Xauthority,gitcookies,vault-token,vault_pass*,htpasswd,pgpass,my.cnf,mylogin.cnf,netrc,authinfo*,msmtprc,mbsyncrc}", "_netrc",
	"*.kdbx", "id_{rsa,dsa,ecdsa,ed25519,ecdsa_sk,ed25519_sk}", "*.{pem,key,ppk,p12,pfx,jks,keystore}", "credentials.{json,csv,ini,toml,xml,yaml,yml}",
	".local/share/{keyrings,kwalletd,python_keyring,rbw,remmina}", "Library/{Keychains,Cookies,Safari}", ".pki/nssdb", ".vnc/passwd", ".ethereum/keystore",
	".config/{1Password,Bitwarden,op,keepassxc,age,sops,Keybase,wireguard,borg,filezilla,remmina,solana}",
	".{bash,zsh,sh,python,node_repl,psql,mysql,sqlite,rediscli}_history", ".local/share/fish/fish_history",
	// Profiles of browsers, mail and chat programs.
	".{mozilla,librewolf,zen,thunderbird}", ".config/{mozilla,google-chrome*,chromium,microsoft-edge*,BraveSoftware,vivaldi*,opera*,Slack,discord,Signal}",
	".var/app/*/{.mozilla,config}", "snap/{firefox,chromium}", "Library/Application*Support/{Firefox,Google,Chromium,BraveSoftware,Microsoft*Edge}",
	// Clouds.
	".{aws,azure,kube,boto,s3cfg,oci,aliyun,fly,bluemix,talos,minikube,terraformrc,databrickscfg,sentryclirc,wrangler,railway,netlify,twilio-cli,jfrog}", "application_default_credentials.json", "client_secret*.json",
	".config/{gcloud,rclone,doctl,hcloud,scw,stripe,heroku,netlify,openstack,linode-cli,hcp,argocd,wrangler,vercel,ngrok,configstore}",
	".docker/config.json", ".snowsql/config", ".circleci/cli.yml", ".config/containers/auth.json", ".terraform.d/credentials.tfrc.json",
	".pulumi/credentials.json", ".config/{Code*,VSCodium,Cursor}/User/globalStorage",
	// Code forges and package registries. Their configuration may have passwords.
	".git-credentials", ".git/{credentials,config,config.worktree}", ".git/modules", ".config/git/credentials", ".config/gh/hosts.yml", ".config/{glab-cli,hub,tea,pip}",
	".hg/hgrc", ".{hgrc,npmrc,yarnrc.yml,pypirc,pip}", ".config/pypoetry/auth.toml", ".{cargo,gem,lein}/credentials*", ".m2/settings*.xml",
	".composer/auth.json", ".config/composer/auth.json", ".kaggle/kaggle.json", ".cache/huggingface/token", ".huggingface/token", ".gradle/gradle.properties",
	".{nuget,config}/NuGet/NuGet.Config", ".pub-cache/credentials.json", ".config/dart/pub-credentials.json", ".hex/hex.config", ".local/share/uv/credentials",
}, SignIns)

// SignIns are the patterns of the files by which agents are signed in: each agent needs its own.
var SignIns = []string{
	".claude/.credentials.json", ".codex/auth.json", ".{gemini,qwen,iflow}/oauth_creds.json", ".local/share/{opencode,kilo}/auth.json", ".config/github-copilot",
	".cursor/auth.json", ".config/cursor/auth.json", ".factory/auth.json", ".kimi/credentials", ".config/goose/secrets.yaml", ".local/share/amp/secrets.json",
}
