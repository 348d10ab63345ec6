# shellcheck shell=bash disable=SC2154 # root, check, logs, scratch: set by scripts/setup
# The machine's own settings of package sources, indexes and proxies, as far as a container can use them. What points at
# the machine itself (a path, localhost) is left out.

# package_sources SUITE prints one-line apt sources: the distribution's suite, its updates and its security updates. apt
# itself reads the machine's source files, of either format; other vendors' repositories are told by their origin.
package_sources() {
	have apt-get || return 0
	# shellcheck disable=SC2016 # apt's variables
	apt-get indextargets --format '$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)' 'Created-By: Packages' 2>/dev/null |
		awk -F '|' -v suite="$1" '
			$4 !~ /^(Debian|Ubuntu)/ { next }
			$2 != suite && $2 != suite "-updates" && $2 != suite "-security" { next }
			{ sub(/^mirror\+file:\/+/, "mirror+file:/", $1) }
			{
				uri = $1
				if (uri ~ /^mirror\+file:/) {
					path = uri
					sub(/^mirror\+file:/, "", path)
					sub(/\/$/, "", path)
					uri = ""
					while ((getline line < path) > 0)
						if (uri == "" && line ~ /^https?:/) { split(line, words, /[ \t]/); uri = words[1] }
					close(path)
				}
				if (uri !~ /^https?:\/\// || uri ~ /^https?:\/\/(localhost|127\.)/) next
				key = uri " " $2
				if (!(key in components)) { order[++n] = key; release[key] = $2 }
				components[key] = components[key] " " $3
			}
			END {
				for (pass = 0; pass < 2; pass++) # the suite itself first
					for (i = 1; i <= n; i++)
						if ((release[order[i]] == suite) == (pass == 0)) print "deb " order[i] components[order[i]]
			}'
}

# apt_settings prints those of apt's settings that decide whether downloads succeed.
apt_settings() {
	have apt-config || return 0
	apt-config dump 2>/dev/null |
		grep -E '^Acquire::(https?::(Proxy|Timeout|Verify)|ForceIPv|Check-|Max-ValidTime|Retries)' |
		grep -vE '//(localhost|127\.)|"/' || true
	local proxy=${http_proxy:-${HTTP_PROXY:-}}
	if [[ -n $proxy ]] && usable_in_container "$proxy"; then
		printf 'Acquire::http::Proxy "%s";\n' "$proxy"
	fi
}

# pip_settings prints a pip.conf: the machine's index, proxy and time limits. Files first, environment over them, as pip
# does; read without pip, which a bare machine does not have.
pip_settings() {
	local key value name
	local -A settings=()
	while IFS='=' read -r key value; do
		settings[$key]=$value
	done < <(pip_files | xargs -r -d '\n' awk "$pip_conf_to_pairs")
	for key in index-url extra-index-url trusted-host proxy timeout retries; do
		name=PIP_${key//-/_}
		name=${name^^}
		value=${!name:-${settings[$key]:-}}
		[[ $key == timeout ]] && value=${value:-${PIP_DEFAULT_TIMEOUT:-${settings[default-timeout]:-}}}
		[[ $key == proxy ]] && value=${value:-${https_proxy:-${HTTPS_PROXY:-}}}
		if [[ -n $value ]] && usable_in_container "$value"; then
			printf '%s = %s\n' "$key" "$value"
		fi
	done
}

# shellcheck disable=SC2016 # awk's
pip_conf_to_pairs='
	/^\[/ { section = $0 }
	section ~ /^\[(global|install)\]/ && /^[a-z-]+[ \t]*[=:]/ {
		key = $0; sub(/[ \t]*[=:].*/, "", key)
		value = $0; sub(/^[^=:]*[=:][ \t]*/, "", value)
		print key "=" value
	}'

pip_files() {
	local file
	for file in /etc/pip.conf "$HOME/.pip/pip.conf" "${XDG_CONFIG_HOME:-$HOME/.config}/pip/pip.conf" "${PIP_CONFIG_FILE:-}"; do
		[[ -f $file ]] && printf '%s\n' "$file"
	done
	return 0
}

usable_in_container() {
	[[ $1 != file:* && $1 != /* && ! $1 =~ (//|@)(localhost|127\.|\[::1\]) ]]
}

# The proxies that debootstrap's downloads need.
proxies=()
for name in http_proxy https_proxy no_proxy; do
	if [[ -n ${!name:-} ]]; then
		proxies+=("$name=${!name}")
	fi
done
