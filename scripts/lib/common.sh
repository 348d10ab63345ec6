# shellcheck shell=bash disable=SC2154 # root, check, logs, scratch: set by scripts/setup
# What every part of set-up shares: saying what is changed before it is changed, rights, packages, and ending with the
# command that helps. Sourced by scripts/setup; needs $root (the repository) and $check (1: only say).

say() { printf 'setup: %s\n' "$*"; }

# fail WHAT NEXT ends set-up; NEXT is the command that mends it.
fail() {
	printf 'setup: error: %s\n' "$1" >&2
	printf 'setup: next:  %s\n' "$2" >&2
	exit 1
}

# change WHAT announces a change to the machine. With --check it is only counted, and the caller leaves it undone.
change() {
	if ((check)); then
		say "would be: $*"
		changes=$((changes + 1))
		return 1
	fi
	say "$*"
}

# show_log FILE prints the end of a log on standard error, indented.
show_log() { tail -n "${2:-15}" "$1" 2>/dev/null | sed 's/^/    /' >&2; }

have() { command -v "$1" >/dev/null 2>&1; }

# need_rights WHAT ends set-up unless it may act as root here.
need_rights() {
	if ((EUID == 0)) || { have sudo && sudo -n true 2>/dev/null; }; then
		return
	fi
	fail "$1 needs root" "sudo make -C $root setup"
}

as_root() {
	if ((EUID == 0)); then
		"$@"
		return
	fi
	sudo -n "$@"
}

# install_packages PACKAGE... installs those that are missing, from the machine's own package sources.
install_packages() {
	local package missing=()
	for package; do
		package_installed "$package" || missing+=("$package")
	done
	((${#missing[@]})) || return 0
	have apt-get || fail "this machine has no apt-get, and set-up knows no other package manager" \
		"install ${missing[*]} by hand, then: make setup"
	change "installing ${missing[*]} (apt-get install --no-install-recommends)" || return 0
	need_rights "installing ${missing[*]}"
	refresh_package_lists
	if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
		"${missing[@]}" >"$logs/apt.log" 2>&1; then
		show_log "$logs/apt.log"
		fail "apt-get could not install ${missing[*]}" "apt-get update && apt-get install ${missing[*]}"
	fi
}

package_installed() {
	[[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# refresh_package_lists runs apt-get update once per run of set-up.
refresh_package_lists() {
	((lists_fresh)) && return
	say "refreshing the package lists (apt-get update)"
	if ! as_root apt-get update -q >"$logs/apt-update.log" 2>&1; then
		show_log "$logs/apt-update.log"
		fail "apt-get update failed" "apt-get update"
	fi
	lists_fresh=1
}
lists_fresh=0
