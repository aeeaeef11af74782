# Writes a file: `$1` is its path, which has a folder, and the content comes in.
mkdir -p -- "${1%/*}" || exit 1
if [ ! -e "$1" ] && [ ! -h "$1" ]; then
    cat > "$1" && exit
    rm -f -- "$1"
    exit 1
fi
if [ -e "$1" ] && [ ! -f "$1" ]; then
    # A pipe would wait for somebody who reads it.
    echo "it is there, and it is no file" >&2
    exit 1
fi
set -f
set -- "$1" $(ls -ld -- "$1")
# The new content takes the place of the old when all of it is on the disk. A file that is a link, has
# another name (`$3` counts them) or another owner is written as it is, and so is one that has to
# stay where it is.
if [ ! -h "$1" ] && [ "$3" = 1 ] && [ -O "$1" ] && [ -w "$1" ] && [ -w "${1%/*}" ]; then
    new=$(mktemp "${1%/*}/.new.XXXXXX") || exit 1
    trap 'rm -f -- "$new"' EXIT
    trap 'exit 1' HUP INT TERM
    # The copy brings the mode.
    cp -p -- "$1" "$new" && cat > "$new" && sync -- "$new" && mv -f -- "$new" "$1"
else
    cat > "$1"
fi
