# shellcheck shell=bash disable=SC2154 # root, check, logs, scratch: set by scripts/setup
# Go, at least as new as go.mod asks for.

# ensure_go finds a Go, or gets one: the distribution's, and through it, where that is too old, the release that go.mod
# names, which the Go module proxy serves as a module. The latter goes to .tools/go, which the Makefile puts on PATH.
ensure_go() {
	local want have_go
	want=$(awk '$1 == "go" { print $2; exit }' "$root/go.mod")
	want=${want:-1.26.0}

	have_go=$(go_version)
	if at_least "$have_go" "$want" || go_fetches_toolchains "$have_go"; then
		return
	fi
	if ! have go; then
		install_packages golang-go
		((check)) && return
		have_go=$(go_version)
		if at_least "$have_go" "$want" || go_fetches_toolchains "$have_go"; then
			return
		fi
	fi
	fetch_toolchain "$want" "$have_go"
}

# go_version prints the version of the go on PATH, without a switch to another toolchain; nothing if there is none.
go_version() {
	have go || return 0
	GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed 's/^go//; s/[ -].*//'
}

# at_least A B tells whether version A is B or newer.
at_least() {
	[[ -n $1 && $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]
}

# go_fetches_toolchains tells whether go switches to the release of go.mod by itself: since 1.21, unless it was told not to.
go_fetches_toolchains() {
	at_least "$1" 1.21 && [[ $(go env GOTOOLCHAIN) != local ]]
}

fetch_toolchain() {
	local want=$1 have_go=$2 target="$root/.tools/go" module dir
	[[ $want == *.*.* ]] || want+=".0"
	module="golang.org/toolchain@v0.0.1-go$want.$(go env GOOS)-$(go env GOARCH)"
	change "fetching Go $want into .tools/go, since Go $have_go is too old (go mod download $module)" || return 0
	dir=$(cd / && GO111MODULE=on GOFLAGS=-mod=mod go mod download -json "$module" 2>"$logs/go.log" |
		sed -n 's/^\t"Dir": "\(.*\)",\{0,1\}$/\1/p') || true
	if [[ -z $dir ]]; then
		show_log "$logs/go.log"
		fail "Go $want could not be fetched through the Go module proxy" \
			"install Go $want or newer (https://go.dev/dl), put it on PATH, then: make setup"
	fi
	rm -rf "$target.new" "$target"
	mkdir -p "$root/.tools"
	cp -R "$dir" "$target.new"
	chmod -R u+w "$target.new"
	chmod +x "$target.new"/bin/* "$target.new"/pkg/tool/*/*
	mv "$target.new" "$target"
	hash -r
}
