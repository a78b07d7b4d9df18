#!/bin/bash
# Tries what packaging/build.sh made: checksums, the tarball, the Debian package in a new Debian system,
# the image, the bill of materials. As root; needs debootstrap and, for the image, buildah.
#
# usage: packaging/check.sh [OUT]          OUT: what packaging/build.sh wrote [default: target/dist]
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath "${1:-target/dist}")
work=$(mktemp -d)
server=
finish() {
    if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi
    rm -rf "$work"
}
trap finish EXIT
most=$((40 << 20))

echo "== bill of materials"
python3 -m json.tool "$out"/cardroom-*.cdx.json >/dev/null

echo "== checksums"
(cd "$out" && sha256sum --check --quiet SHA256SUMS)

echo "== tarball"
tar -C "$work" -xzf "$out"/cardroom-*-linux.tar.gz
folder=$(echo "$work"/cardroom-*)
if readelf -lW "$folder/cardroom" | grep -q INTERP; then echo "the program is not static"; exit 1; fi
size=$(stat -c %s "$folder/cardroom")
echo "the program has $size bytes"
[ "$size" -le "$most" ] || { echo "more than $most"; exit 1; }
(cd "$work" && "$folder/cardroom" match cfr equity --hands 2000 --seed 3 --out match --quiet >/dev/null)
(cd "$work" && "$folder/cardroom" package acpc entry --agent cfr >/dev/null)
size=$(du -sb "$work/entry" | cut -f1)
echo "an entry for a competition has $size bytes"
[ "$size" -le "$most" ] || { echo "more than $most"; exit 1; }
man -l "$folder/man/man1/cardroom.1.gz" >/dev/null

echo "== Debian package"
debootstrap --variant=minbase --include=adduser bookworm "$work/debian" >/dev/null
cp "$out"/cardroom_*_amd64.deb "$work/debian/root"
inside() { chroot "$work/debian" "$@"; }
inside sh -c 'dpkg -i /root/cardroom_*.deb' >/dev/null
inside getent passwd cardroom
inside su -s /bin/sh cardroom -c 'cd /tmp && cardroom match call fold --hands 100 --out m --quiet' >/dev/null
inside cardroom config check --config /etc/cardroom/cardroom.toml
chroot --userspec=cardroom:cardroom "$work/debian" cardroom serve --bind 127.0.0.1:5299 --data /tmp/data --log warn >/dev/null &
server=$!
for _ in $(seq 50); do
    inside cardroom doctor --server 127.0.0.1:5299 >/dev/null 2>&1 && break
    sleep 0.2
done
inside cardroom doctor --server 127.0.0.1:5299
kill "$server"
wait "$server" || true
server=
inside dpkg --remove cardroom >/dev/null
if inside test -e /usr/bin/cardroom; then echo "the program is still there"; exit 1; fi
if command -v systemd-analyze >/dev/null; then
    dpkg-deb -x "$out"/cardroom_*_amd64.deb "$work/deb"
    sed "s|/usr/bin/cardroom|$folder/cardroom|" "$work/deb/usr/lib/systemd/system/cardroom.service" >"$work/cardroom.service"
    systemd-analyze security --offline=true --threshold=20 "$work/cardroom.service" >/dev/null
fi

echo "== image"
image=$(echo "$out"/cardroom-*-image.tar.gz)
if [ -f "$image" ] && command -v buildah >/dev/null; then
    gzip -dc "$image" >"$work/image.tar"
    container=$(buildah from "docker-archive:$work/image.tar")
    run() { buildah run --isolation chroot "$container" -- /cardroom "$@"; }
    run --version
    run match call fold --hands 100 --out /data/m --quiet >/dev/null
    buildah rm "$container" >/dev/null
else
    echo "not tried: no buildah, or no image"
fi

echo "all packages work"
