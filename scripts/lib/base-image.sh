# shellcheck shell=bash disable=SC2154 # root, check, logs, scratch: set by scripts/setup
# The image that the scenarios' images are built on: python:3.11-slim-bookworm where a registry serves it, else one made
# of the machine's own packages.

registry_image=python:3.11-slim-bookworm
base_packages=ca-certificates,procps,python3,python3-pip,python3-venv
written_by="# Written by scripts/setup, since no registry serves $registry_image here. Yours as soon as this line is gone."

ensure_base_image() {
	local file="$root/scenarios/local.auto.vars.hcl" reference
	if [[ -f $file ]] && [[ $(head -n 1 "$file") != "$written_by" ]]; then
		return # someone's own choice
	fi
	if [[ ! -f $file ]] && image_exists "$registry_image"; then
		return
	fi
	reference="scenario-base:$(base_hash)"
	if image_exists "$reference"; then
		write_vars "$file" "$reference"
		return
	fi
	if pull_registry_image; then
		remove_vars "$file"
		return
	fi
	make_base_image "$reference"
	write_vars "$file" "$reference"
}

image_exists() { docker image inspect "$1" >/dev/null 2>&1; }

# pull_registry_image gives a registry 10 s to answer, and then 10 minutes to deliver.
pull_registry_image() {
	image_exists "$registry_image" && return
	change "pulling $registry_image, if a registry answers (docker pull)" || return 1
	local log="$logs/pull.log" pull deadline=$((SECONDS + 10))
	timeout 600 docker pull "$registry_image" >"$log" 2>&1 &
	pull=$!
	while kill -0 "$pull" 2>/dev/null; do
		grep -q '^[0-9a-f]*: Pulling\|Digest:' "$log" && break
		if ((SECONDS >= deadline)); then
			kill "$pull" 2>/dev/null
			break
		fi
		sleep 0.1
	done
	if wait "$pull"; then
		return
	fi
	say "no registry serves it: $(tail -n 1 "$log" | cut -c 1-160)"
	return 1
}

# base_hash covers all that the image is made of: a change of any of it makes another image.
base_hash() {
	{
		cat "$root/scripts/make-base-image"
		printf '%s\n' "$base_packages"
		sed -n 's/^\(ID\|VERSION_ID\|VERSION_CODENAME\)=//p' /etc/os-release
		uname -m
		cat /etc/ssl/certs/ca-certificates.crt 2>/dev/null || true
		pip_settings
		apt_settings
	} | sha256sum | cut -c 1-12
}

make_base_image() {
	local reference=$1 suite sources log="$logs/base-image.log" id
	# shellcheck disable=SC1091
	suite=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
	have apt-get || fail "no registry serves $registry_image, and without apt-get no base image can be made" \
		"set base_image and image in scenarios/local.auto.vars.hcl to a Debian-based image with Python that this daemon has"
	install_packages debootstrap
	change "making the base image $reference of this machine's packages (debootstrap, about a minute)" || return 0
	need_rights "debootstrap"

	sources=$(package_sources "$suite")
	if [[ -z $sources ]]; then
		refresh_package_lists
		sources=$(package_sources "$suite")
	fi
	[[ -n $sources ]] || fail "apt knows no package source for $suite" \
		"apt-get indextargets (it must list a source for $suite), or set base_image in scenarios/local.auto.vars.hcl"

	# Mounts are made in a namespace of its own, and are gone with it, whatever happens.
	if ! id=$(as_root env "${proxies[@]}" SOURCES="$sources" PIP_SETTINGS="$(pip_settings)" APT_SETTINGS="$(apt_settings)" \
		unshare --mount --propagation private \
		"$root/scripts/make-base-image" "$suite" "$base_packages" "$scratch" 2>"$log" |
		docker import \
			--change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
			--change 'ENV PIP_CERT=/etc/ssl/certs/ca-certificates.crt' \
			--change 'ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt' \
			--change 'ENV REQUESTS_CA_BUNDLE=/etc/ssl/certs/ca-certificates.crt' \
			--change 'CMD ["bash"]' - 2>>"$log"); then
		[[ -n $id ]] && docker rmi "$id" >/dev/null 2>&1
		show_log "$log"
		fail "the base image could not be made" "mend what the lines above say, then: make setup"
	fi
	docker tag "$id" "$reference"
}

write_vars() {
	local file=$1 reference=$2 text
	text=$(printf '%s\nbase_image = "%s"\nimage      = "%s"' "$written_by" "$reference" "$reference")
	[[ -f $file && $(cat "$file") == "$text" ]] && return
	change "writing ${file#"$root"/}: base image $reference" || return 0
	printf '%s\n' "$text" >"$file.new"
	mv "$file.new" "$file"
}

remove_vars() {
	[[ -f $1 ]] || return 0
	change "removing ${1#"$root"/}: $registry_image is here now" || return 0
	rm -f "$1"
}

# base_in_use prints the image that the scenarios' images will be built on.
base_in_use() {
	local chosen
	chosen=$(sed -n 's/^base_image *= *"\(.*\)".*/\1/p' "$root/scenarios/local.auto.vars.hcl" 2>/dev/null) || true
	printf '%s' "${chosen:-$registry_image}"
}
