#!/bin/sh
# What people start. For the interface it waits beside Node and can give the shell its prompt back while the gateway goes on
# (manual/service.md); it makes way for anything else. Plain POSIX: it must run wherever npm puts it.

self=$0
while [ -L "$self" ]; do
	target=$(readlink "$self")
	case $target in
	/*) self=$target ;;
	*) self=${self%/*}/$target ;;
	esac
done
case $self in
*/*) folder=${self%/*} ;;
*) folder=. ;;
esac
folder=$(CDPATH='' cd -P -- "$folder" && pwd -P) || exit 1
main=$folder/main.js

# A checkout brings a Node of its own, for whoever has none that is new enough. The number is that of main.ts.
node=node
own=$folder/../node_modules/.bin/node
if [ -x "$own" ]; then
	version=$(node --version 2>/dev/null)
	version=${version#v}
	[ "${version%%.*}" -ge 24 ] 2>/dev/null || node=$own
fi

if ! command -v "$node" >/dev/null 2>&1; then
	printf '%s\n' 'svc needs Node 24 or newer, and there is no "node" on the PATH' >&2
	exit 1
fi

# The interface is svc with nothing but options, on a terminal.
interface=
if [ -t 0 ] && [ -t 1 ]; then
	interface=yes
	value=
	for word do
		if [ -n "$value" ]; then
			value=
			continue
		fi
		case $word in
		-p | --profile | --output) value=next ;;
		-h | --help | -V | --version) interface= ;;
		-*) ;;
		*) interface= ;;
		esac
	done
fi

# The flags and variables are those of core/program.ts, which says why.
MALLOC_ARENA_MAX=${MALLOC_ARENA_MAX:-1}
export MALLOC_ARENA_MAX
[ -n "$interface" ] || exec "$node" --max-semi-space-size=8 "$main" "$@"

child=
early=
heard=
hand_on() {
	heard=yes
	if [ -n "$child" ]; then
		kill -s "$1" "$child" 2>/dev/null
	else
		early=$1
	fi
}
trap 'hand_on TERM' TERM
trap 'hand_on HUP' HUP
# The terminal sends these to everybody in front of it: Node has them already.
trap 'heard=yes' INT QUIT
# From Node: it has let go of the terminal.
trap 'exit 0' USR1

# What runs beside a shell gets no input but that of a descriptor of its own.
exec 3<&0
SVC_LAUNCHER=$$ "$node" --max-semi-space-size=8 "$main" "$@" <&3 3<&- &
child=$!
exec 3<&-
[ -z "$early" ] || kill -s "$early" "$child"

# A signal ends the wait, not the child.
code=0
again=
while :; do
	heard=
	wait "$child"
	now=$?
	[ -n "$again" ] && [ "$now" -eq 127 ] || code=$now
	[ -n "$heard" ] || break
	again=yes
done

# Killed on the spot, it could not give the terminal back as it was.
if [ "$code" -gt 128 ]; then
	case $(stty -a 2>/dev/null) in
	*-icanon*)
		stty sane
		printf '\033[?1006l\033[?1000l\033[?1004l\033[?2004l\033[?2026l\033[<u\033[0m\033[?1049l\033[?25h'
		;;
	esac
fi
exit "$code"
