# shellcheck shell=bash disable=SC2154 # root, check, logs, scratch: set by scripts/setup
# A Docker daemon that answers.

ensure_docker() {
	if have docker && docker_answers; then
		return
	fi
	refuse_what_set_up_cannot_mend
	if ! have dockerd; then
		install_packages docker.io iptables
		((check)) && return
	fi
	ensure_docker_command
	docker_answers && return
	start_docker
}

# docker_answers asks the daemon that DOCKER_HOST or the context names; its complaint is left in $docker_says.
docker_answers() {
	docker_says=$(timeout 10 docker version --format '{{.Server.APIVersion}}' 2>&1)
}

refuse_what_set_up_cannot_mend() {
	local context
	have docker || return 0
	if [[ $docker_says == *"permission denied"* ]]; then
		fail "a Docker daemon is there, but $(id -un) may not use it" \
			"sudo usermod -aG docker $(id -un), log in again, then: make setup (or at once: sudo make -C $root setup)"
	fi
	if [[ -n ${DOCKER_HOST:-} && $DOCKER_HOST != unix:///var/run/docker.sock ]]; then
		fail "no Docker daemon answers at DOCKER_HOST=$DOCKER_HOST" "start that daemon, or: unset DOCKER_HOST"
	fi
	context=$(docker context show 2>/dev/null || echo default)
	if [[ $context != default && -z ${DOCKER_HOST:-} ]]; then
		fail "no Docker daemon answers in Docker's context $context" "start that daemon, or: docker context use default"
	fi
}

# ensure_docker_command brings the client, which newer distributions have in a package of its own.
ensure_docker_command() {
	have docker || install_packages docker-cli
}

start_docker() {
	if [[ -d /run/systemd/system ]]; then
		change "starting the Docker daemon (systemctl start docker)" || return 0
		need_rights "starting the Docker daemon"
		as_root systemctl start docker >"$logs/systemctl.log" 2>&1 || show_log "$logs/systemctl.log"
		wait_for_docker "journalctl -u docker -n 50"
		return
	fi
	local log=/var/log/dockerd.log
	change "starting the Docker daemon (dockerd, log in $log)" || return 0
	need_rights "starting the Docker daemon"
	remove_stale_pid /var/run/docker.pid dockerd
	remove_stale_pid /var/run/docker/containerd/containerd.pid containerd
	# In a session of its own, with no file of ours open: it outlives make, and keeps neither its pipes nor set-up's lock.
	# shellcheck disable=SC2016 # the inner shell's
	as_root setsid --fork sh -c 'exec dockerd >>"$1" 2>&1' dockerd "$log" </dev/null >/dev/null 2>&1 9>&-
	wait_for_docker "tail $log" "$log"
}

# remove_stale_pid FILE NAME removes a pid file that no process of that name stands behind.
remove_stale_pid() {
	local pid
	pid=$(as_root cat "$1" 2>/dev/null) || return 0
	[[ $(cat "/proc/$pid/comm" 2>/dev/null) == "$2" ]] && return
	change "removing $1: no $2 runs as process $pid" || return 0
	as_root rm -f "$1"
}

# wait_for_docker COMMAND [LOG] polls until the daemon answers; COMMAND shows why it doesn't.
wait_for_docker() {
	local deadline=$((SECONDS + 60))
	until docker_answers; do
		if [[ $docker_says == *"permission denied"* ]]; then
			refuse_what_set_up_cannot_mend
		fi
		if ((SECONDS >= deadline)); then
			[[ -n ${2:-} ]] && show_log "$2"
			fail "the Docker daemon does not answer: ${docker_says##*$'\n'}" "$1"
		fi
		sleep 0.1
	done
}
