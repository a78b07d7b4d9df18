#!/bin/bash
# Makes everything that is released: a tarball with a static binary, a Debian package, a container
# image where buildah is installed, a bill of materials and checksums.
#
# usage: packaging/build.sh [OUT]          OUT: the folder to write to [default: target/dist]
#
# Needs: rustup target add x86_64-unknown-linux-musl; apt-get install musl-tools (for SQLite's C).
# CARDROOM=PATH packages a program that is built already. With the same sources and tools the same
# files come out, but for the image.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath -m "${1:-target/dist}")
target=x86_64-unknown-linux-musl
version=$(cargo metadata --locked --no-deps --format-version 1 |
    python3 -c 'import json, sys; print(next(p["version"] for p in json.load(sys.stdin)["packages"] if p["name"] == "cardroom"))')
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
name=cardroom-$version-x86_64-linux

if [ -z "${CARDROOM:-}" ]; then
    cargo build --locked --profile dist --target "$target"
    CARDROOM=${CARGO_TARGET_DIR:-target}/$target/dist/cardroom
fi

rm -rf "$out"
mkdir -p "$out"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

# What every package has, by the places of the file system.
tree=$stage/tree
install -Dm755 "$CARDROOM" "$tree/usr/bin/cardroom"
strip --strip-all "$tree/usr/bin/cardroom"
cardroom=$tree/usr/bin/cardroom
"$cardroom" man --out "$tree/usr/share/man/man1" >/dev/null
for page in "$tree"/usr/share/man/man1/*.1; do gzip -9n "$page"; done
install -d "$tree/usr/share/bash-completion/completions" "$tree/usr/share/zsh/site-functions" \
    "$tree/usr/share/fish/vendor_completions.d" "$tree/usr/lib/systemd/system" "$tree/usr/share/doc/cardroom"
"$cardroom" completions bash >"$tree/usr/share/bash-completion/completions/cardroom"
"$cardroom" completions zsh >"$tree/usr/share/zsh/site-functions/_cardroom"
"$cardroom" completions fish >"$tree/usr/share/fish/vendor_completions.d/cardroom.fish"
"$cardroom" systemd --program /usr/bin/cardroom --user cardroom >"$tree/usr/lib/systemd/system/cardroom.service"
install -Dm644 examples/cardroom.toml "$tree/etc/cardroom/cardroom.toml"
install -m644 README.md LICENSE-MIT LICENSE-APACHE CHANGELOG.md "$tree/usr/share/doc/cardroom"
chmod -R u=rwX,go=rX "$tree"

# The tarball: the program and what belongs to it, in one folder.
flat=$stage/$name
install -d "$flat"
cp -r examples/bots "$flat/bots"
cp "$cardroom" examples/cardroom.toml README.md LICENSE-MIT LICENSE-APACHE CHANGELOG.md "$flat"
cp -r "$tree/usr/share/man" "$flat/man"
cp -r "$tree/usr/share/bash-completion/completions" "$flat/completions"
cp "$tree/usr/share/zsh/site-functions/_cardroom" "$tree/usr/share/fish/vendor_completions.d/cardroom.fish" "$flat/completions"
chmod -R u=rwX,go=rX "$flat"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$stage" -cf - "$name" |
    gzip -9n >"$out/$name.tar.gz"

# The Debian package.
install -d "$tree/DEBIAN"
sed "s/@VERSION@/$version/; s/@SIZE@/$(du -sk --exclude=DEBIAN "$tree" | cut -f1)/" packaging/debian/control >"$tree/DEBIAN/control"
echo /etc/cardroom/cardroom.toml >"$tree/DEBIAN/conffiles"
install -m755 packaging/debian/postinst packaging/debian/prerm packaging/debian/postrm "$tree/DEBIAN"
install -m644 packaging/debian/copyright "$tree/usr/share/doc/cardroom/copyright"
rm "$tree"/usr/share/doc/cardroom/LICENSE-*
gzip -9n "$tree/usr/share/doc/cardroom/CHANGELOG.md"
printf 'cardroom (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n -- %s  %s\n' "$version" \
    "$(sed -n 's/^Maintainer: //p' packaging/debian/control)" "$(date -uRd "@$SOURCE_DATE_EPOCH")" |
    gzip -9n >"$tree/usr/share/doc/cardroom/changelog.gz"
(cd "$tree" && find usr etc -type f -print0 | sort -z | xargs -0 md5sum) >"$tree/DEBIAN/md5sums"
dpkg-deb --root-owner-group -Zxz --build "$tree" "$out/cardroom_${version}_amd64.deb" >/dev/null

# What is in the program.
python3 packaging/sbom.py "$version" >"$out/$name.cdx.json"

# The image: the program alone.
if command -v buildah >/dev/null; then
    install -d "$stage/image"
    cp "$flat/cardroom" packaging/Containerfile "$stage/image"
    buildah build --quiet --isolation chroot --format docker --timestamp "$SOURCE_DATE_EPOCH" \
        --tag "cardroom:$version" "$stage/image" >/dev/null
    buildah push --quiet "cardroom:$version" "docker-archive:$out/$name-image.tar:cardroom:$version"
    gzip -9n "$out/$name-image.tar"
else
    echo "no image: buildah is not installed" >&2
fi

(cd "$out" && sha256sum -- * >SHA256SUMS)
ls -l "$out"
