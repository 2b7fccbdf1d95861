#!/bin/sh
# install.sh BUILD [DESTDIR]: puts what is built under its prefix and tells how programs find it.  The list of files is
# kept in BUILD/installed, from which `install.sh --remove BUILD` takes them away again.
set -eu

if [ "$1" = --remove ]; then
	list=$2/installed
	[ -e "$list" ] || { echo "uninstall: nothing was installed from $2" >&2; exit 1; }
	while IFS= read -r file; do
		rm -f "$file"
	done <"$list"
	# folders of ours and of editors that this leaves empty, from the deepest
	sed -n 's|/[^/]*$||p' "$list" | sort -ru | grep -E 'porism|/vim/' | while IFS= read -r folder; do
		rmdir -p --ignore-fail-on-non-empty "$folder" 2>/dev/null || true
	done
	echo "removed $(wc -l <"$list") files"
	rm -f "$list"
	exit 0
fi

build=$1
destdir=${2:-}
meson install -C "$build" --no-rebuild --quiet ${destdir:+--destdir "$destdir"}
# The log has the folders that were made, too; they are no files.
grep -v '^#' "$build/meson-logs/install-log.txt" | while IFS= read -r file; do
	[ -d "$file" ] || echo "$file"
done >"$build/installed"
pc=$(grep '/porism\.pc$' "$build/installed")
command=$(grep '/bin/porism$' "$build/installed")
libraries=${pc%/pkgconfig/porism.pc}
echo "installed: $command, $libraries/libporism.so, $(wc -l <"$build/installed") files in all; \`make uninstall\` takes them away"
[ -z "$destdir" ] || exit 0

# The loader knows its folders by a cache; of others it must be told.
if { ldconfig -vNX 2>/dev/null || /sbin/ldconfig -vNX 2>/dev/null; } | grep -q "^$libraries:"; then
	ldconfig 2>/dev/null || /sbin/ldconfig 2>/dev/null || echo 'programs find the library after `ldconfig`, run as root'
else
	echo "programs find the library there with
    export LD_LIBRARY_PATH=$libraries\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
fi
case :$(pkg-config --variable pc_path pkg-config 2>/dev/null):${PKG_CONFIG_PATH:-}: in
*:${pc%/porism.pc}:*) ;;
*)	echo "pkg-config finds it with
    export PKG_CONFIG_PATH=${pc%/porism.pc}\${PKG_CONFIG_PATH:+:\$PKG_CONFIG_PATH}" ;;
esac
case :$PATH: in
*:${command%/porism}:*) ;;
*)	echo "the shell finds the command with
    export PATH=${command%/porism}:\$PATH" ;;
esac
