package policy

import "slices"

// RunningAsOf is when RunningFiles was last gone through. It was written from knowledge of the
// programs, not from the documentation of each.
const RunningAsOf = "2026-11-26"

// RunningFiles are the files that need a question before writing, in addition to Secrets:
// writing them makes something run, now or later, that the user does not start by name. Each
// row says what runs them, or what they tell it to run. Makefiles, build scripts and tests
// are not here: a project consists of them, and the user starts them.
var RunningFiles = []struct {
	By       string
	Patterns []string
}{
	{"git: hooks, aliases, filters", []string{".git", ".gitconfig", ".config/git", ".githooks", ".git-hooks"}},
	{"managers of git's hooks", []string{
		".husky", ".huskyrc*", "{.,}lefthook{,-local}.{y{a,}ml,toml,json,jsonc}", ".lefthook{,-local}", ".config/lefthook*", ".overcommit.y{a,}ml", ".pre-commit-config.y{a,}ml", "prek.toml",
		"{.,}simple-git-hooks.*", ".lintstagedrc*", "lint-staged.config.*", "captainhook.json", "grumphp.y{a,}ml",
	}},
	{"Mercurial, Jujutsu, Sapling: hooks, aliases, tools", []string{".hg", ".config/hg", ".jj", ".config/jj", ".sl"}},
	{"shells, terminals and logins", []string{
		".{bash,zsh,ksh,csh,tcsh,xonsh}rc", ".bash_{profile,login,logout,aliases}", ".{profile,login,logout,zshenv,zprofile,zlogin,zlogout,inputrc}", "*profile.ps1",
		".config/{fish,nushell,zsh,powershell,elvish,xonsh,starship.toml}", ".{tmux.conf,screenrc,wezterm.lua}", ".config/{tmux,kitty,alacritty,wezterm,ghostty,zellij}",
	}},
	{"desktops and services", []string{
		".{xinitrc,xsession,xprofile,xsessionrc,pam_environment}", ".config/{autostart,systemd,environment.d,i3,sway,hypr}", ".local/share/{applications,systemd,dbus-1}",
		"Library/{LaunchAgents,LaunchDaemons}", ".{forward,procmailrc,mailcap,muttrc}", "~/.local/bin",
	}},
	{"what sets up the environment of a directory", []string{
		".direnvrc", ".config/{direnv,mise,rtx}", "{.,}mise{,.*}.toml", "{.,}mise/{config*.toml,conf.d}", ".rtx.toml", ".tool-versions", ".autoenv*", ".shadowenv.d",
	}},
	{"continuous integration", []string{
		".github/{workflows,actions}", ".{gitea,forgejo}/{workflows,actions}", ".gitlab-ci.y{a,}ml", ".gitlab/ci", ".circleci", ".travis.yml", ".buildkite",
		".{drone,cirrus,appveyor,woodpecker}.y{a,}ml", ".{woodpecker,semaphore,teamcity,tekton,harness,azure-pipelines}",
		"{appveyor,azure-pipelines,bitbucket-pipelines,cloudbuild,buildspec,bitrise,codemagic}.y{a,}ml", "Jenkinsfile*", "{netlify.toml,vercel.json}",
	}},
	{"editors: tasks, settings that name programs, scripts of a directory", []string{
		".vscode", "*.code-workspace", ".idea", ".run", ".vs", ".zed", ".fleet", ".nova", ".helix", "*.sublime-project", ".externalToolBuilders", ".lazy.lua", ".neoconf.json", ".luarc.json{,c}",
		".{vimrc,gvimrc,exrc,nvimrc,lvimrc,local.vimrc,vimrc.local,emacs,dir-locals.el,dir-locals-2.el,spacemacs,kakrc}", ".nvim.lua", ".config/{nvim,emacs,doom,helix,zed,kak}", ".vim", ".emacs.d", ".ycm_extra_conf.py", "{.,}rust-analyzer.toml",
	}},
	{"development containers", []string{".devcontainer", ".devcontainer.json", "{docker-,}compose.override.y{a,}ml"}},
	{"agents: hooks, servers, permissions, commands", []string{
		".mcp.json", "mcp_{config,settings}.json", ".claude/{settings*.json,hooks,commands,agents,skills,plugins}", ".claude.json", ".codex/{config.toml,hooks*,rules,plugins,skills}",
		".{cursor,gemini,qwen,iflow,roo,kilocode,windsurf,codeium,trae,junie,kiro,amazonq,amp,factory,copilot,augment,qoder,codebuddy,kimi,vibe,continue,cline,agents}/{mcp,settings,hooks,config,cli,environment,permissions,extensions,agents,plugins,droids}*",
		".github/hooks", ".clinerules/hooks", ".opencode", "opencode.json{,c}", ".crush", "{.,}crush.json", ".config/{goose,crush}", ".aider*", ".openhands", ".pi", ".parley", ".parley.toml", ".worktreeinclude",
	}},
	{"package managers of JavaScript", []string{".yarnrc", ".yarn/{releases,plugins,sdks}", ".pnp.{cjs,js,loader.mjs}", ".pnpmfile.{c,m,}js", "{.,}bunfig.toml"}},
	{"Python, when it or pytest starts", []string{"{site,user}customize.py", "*.pth", "conftest.py", ".{pythonrc,pythonrc.py,pdbrc,pdbrc.py}", ".ipython", ".jupyter"}},
	{"Rust", []string{".cargo/config{,.toml}", "rust-toolchain{,.toml}"}},
	{"Java: Gradle, Maven, sbt", []string{"gradlew{,.bat}", "gradle/wrapper", "gradle.properties", "init.gradle{,.kts}", ".gradle/init.d", ".mvn", "mvnw{,.cmd}", ".mavenrc", ".{sbtopts,jvmopts}", ".sbt"}},
	{"Bazel and Buck", []string{"*.bazelrc", ".bazeliskrc", "tools/bazel", ".buckconfig*"}},
	{"Go and .NET", []string{".config/go/env", "Directory.{Build,Solution}.{props,targets,rsp}"}},
	{"interpreters and debuggers, when they start", []string{
		".{Rprofile,Renviron,irbrc,pryrc,gemrc,rspec,iex.exs,ghci,sbclrc,clisprc,guile,octaverc,psqlrc,sqliterc,mongorc.js,mongoshrc.js,luacheckrc,busted}", ".bundle/config", ".julia/config", ".{gdbinit,lldbinit}*", ".{user.ini,htaccess}",
	}},
	{"tools that read options where they run", []string{".{ripgreprc,ackrc,curlrc,wgetrc,lessfilter}", ".config/gh/config.yml", "ansible.cfg"}},
}

// Running are the patterns of RunningFiles.
var Running = func() (all []string) {
	for _, row := range RunningFiles {
		all = slices.Concat(all, row.Patterns)
	}
	return all
}()
