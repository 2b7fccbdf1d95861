#!/bin/sh
# Installs the Debian packages that are missing.  When nothing is, it does nothing and needs no network.
#
#     tools/setup.sh            what building, testing and `make run` need
#     tools/setup.sh all        and what sanitizers with clang, fuzzing, the check on 64-bit ARM and `make check-math` need
#     tools/setup.sh python     what `pip install .` needs of Debian: a compiler, headers, virtual environments
#     tools/setup.sh notebooks  what runs the notebooks as Jupyter does; without it they run as scripts
#     tools/setup.sh --list     prints the names of the first two
#     tools/setup.sh --missing  prints those that are not here, installs nothing
#
# Without root it says which packages are missing and how to install them, and fails.  Of the others nothing
# is required: the checks that need them count as failed and say so.
set -eu

build='gcc libc6-dev meson ninja-build pkg-config python3 libcmocka-dev libxxhash-dev zlib1g-dev libpng-dev libedit-dev graphviz'
checks='g++ clang libclang-rt-14-dev gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user python3-venv binutils libmpfr-dev patch chromium libsleef3 dieharder python3-dev python3-numpy python3-pytest python3-hypothesis'

package='gcc libc6-dev pkg-config libxxhash-dev python3-dev python3-venv'
notebooks='python3-nbclient python3-ipykernel'

case "${1:-}" in
notebooks) wanted=$notebooks ;;
python) wanted=$package ;;
--list) echo "$build"; echo "$checks"; exit 0 ;;
all | --missing) wanted="$build $checks" ;;
'') wanted=$build ;;
*) sed -n '2,12s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

have_package() { [ "$(dpkg-query -W -f '${Status}' "$1" 2>/dev/null)" = 'install ok installed' ]; }

# Systems without dpkg: what the programs and headers say is enough.
have_part() {
	case $1 in
	gcc | g++ | meson | python3 | clang | patch | chromium | dieharder | qemu-user) p=$1; [ "$1" = qemu-user ] && p=qemu-aarch64 ;;
	ninja-build) p=ninja ;; pkg-config) p=pkg-config ;; graphviz) p='dot' ;; binutils) p='nm' ;;
	gcc-aarch64-linux-gnu) p=aarch64-linux-gnu-gcc ;;
	libcmocka-dev) pkg-config --exists cmocka; return ;;
	libxxhash-dev) pkg-config --exists libxxhash; return ;;
	zlib1g-dev) pkg-config --exists zlib; return ;;
	libpng-dev) pkg-config --exists libpng; return ;;
	libedit-dev) pkg-config --exists libedit; return ;;
	libmpfr-dev) pkg-config --exists mpfr; return ;;
	*) return 0 ;;
	esac
	command -v "$p" >/dev/null 2>&1
}

missing=
for name in $wanted; do
	if command -v dpkg-query >/dev/null 2>&1; then
		have_package "$name" || missing="$missing $name"
	else
		have_part "$name" || missing="$missing $name"
	fi
done
missing=${missing# }
if [ "${1:-}" = --missing ]; then
	echo "$missing"
	exit 0
fi
[ -n "$missing" ] || exit 0

command="apt-get install -y --no-install-recommends $missing"
if ! command -v apt-get >/dev/null 2>&1; then
	echo "setup: missing: $missing" >&2
	echo 'setup: these are the names of Debian 12; install what your system calls them' >&2
	exit 3
fi
if [ "$(id -u)" != 0 ]; then
	echo "setup: missing: $missing" >&2
	echo "setup: install them as root:  $command" >&2
	exit 3
fi
echo "setup: installing $missing"
export DEBIAN_FRONTEND=noninteractive
$command >/dev/null 2>&1 || { apt-get update -q && $command; } || {
	echo "setup: apt-get could not install: $missing" >&2
	exit 3
}
