package policy

// Secrets are the patterns of files that need a question before reading and writing.
var Secrets = []string{
	// The environment of projects. This comes first, because its exception must only
	// apply to it.
	".env", ".env.*", "!.env.{example,sample,template,dist,defaults}", ".envrc",
	// Keys and passwords.
	".ssh", ".gnupg", ".password-store", "*.kdbx", ".local/share/keyrings", "Library/Keychains",
	"id_{rsa,dsa,ecdsa,ed25519,ecdsa_sk,ed25519_sk}", "*.{pem,key,ppk,p12,pfx,jks,keystore}",
	"credentials.{json,csv,ini,toml,xml,y{a,}ml}", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".htpasswd", ".vault-token",
	// Clouds.
	".aws", ".azure", ".config/gcloud", "application_default_credentials.json", "client_secret*.json",
	".kube", ".docker/config.json", ".terraform.d/credentials.tfrc.json", ".terraformrc", ".boto", ".s3cfg",
	// Code forges and package registries.
	".git-credentials", ".git/credentials", ".config/git/credentials", ".config/gh/hosts.yml", ".config/glab-cli", ".config/hub",
	".npmrc", ".yarnrc.yml", ".pypirc", ".cargo/credentials*", ".gem/credentials", ".m2/settings*.xml",
	// Agents.
	".claude/.credentials.json", ".codex/auth.json", ".gemini/oauth_creds.json", ".local/share/opencode/auth.json",
}

// Running are the patterns of files that need a question before writing, in addition to
// Secrets: whoever writes them makes something run, now or later.
var Running = []string{
	// Git: hooks, aliases, filters.
	".git", ".gitconfig", ".config/git", ".husky", ".githooks",
	// Shells and sessions.
	".{bash,zsh,ksh,csh,tcsh}rc", ".bash_{profile,login,logout,aliases}", ".{profile,login,logout,zshenv,zprofile,zlogin,zlogout,inputrc}",
	".config/fish", ".config/nushell", "*profile.ps1", ".{xinitrc,xsession,xprofile,xsessionrc,pam_environment}",
	".config/{autostart,systemd,environment.d}", "Library/{LaunchAgents,LaunchDaemons}", ".direnvrc", ".config/direnv",
	// Continuous integration.
	".github/{workflows,actions}", ".{gitea,forgejo}/workflows", ".gitlab-ci.y{a,}ml", ".circleci", ".travis.yml", ".buildkite",
	".{drone,cirrus,appveyor,woodpecker}.y{a,}ml", ".woodpecker", "{appveyor,azure-pipelines,bitbucket-pipelines,cloudbuild,buildspec}.y{a,}ml", "Jenkinsfile",
	// Editors: tasks, settings that name programs, containers.
	".vscode", "*.code-workspace", ".idea", ".zed", ".fleet", ".devcontainer", ".devcontainer.json",
	".{vimrc,gvimrc,exrc,nvimrc,emacs,dir-locals.el}", ".nvim.lua", ".config/{nvim,emacs,helix}", ".vim", ".emacs.d",
	// Agents: hooks, servers, permissions.
	".mcp.json", ".claude/{settings*.json,hooks}", ".{cursor,gemini,qwen}/{mcp,settings,hooks}*.json", ".codex/config.toml",
	".opencode", "opencode.json{,c}", ".parley", ".parley.toml",
	// Tools of a project that load these by themselves.
	"conftest.py", "sitecustomize.py", ".cargo/config{,.toml}", ".pre-commit-config.y{a,}ml", "lefthook.y{a,}ml", ".{gdbinit,lldbinit}",
}
