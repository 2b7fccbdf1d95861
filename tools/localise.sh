#!/bin/sh
# An archive as one object, in which all names but por_* are local:  localise.sh FROM TO
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
${LD:-ld} -r --whole-archive "$1" -o "$folder/porism.o"
${OBJCOPY:-objcopy} --wildcard --keep-global-symbol='por_*' "$folder/porism.o"
rm -f "$2"
${AR:-ar} rcs "$2" "$folder/porism.o"
