#!/usr/bin/env bash
# Puts the pinned engines into a folder for PATH: Pulumi's command, its language host for YAML, and OpenTofu. Each is
# built from the Go modules that its go.mod and go.sum beside this script pin, once per version: later runs take it from
# the cache. Needs Go and `npm ci`. Usage: install.sh FOLDER
set -euo pipefail

folder=${1:?Say which folder gets the engines: install.sh FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/pulumi-vps/engines
# No toolchain is downloaded, no settings of other projects apply, and go.mod and go.sum are not changed.
export GOTOOLCHAIN=local GOFLAGS=-mod=readonly GOWORK=off

needed=$(sed -n 's/^go //p' "$here"/*/go.mod | sort -V | tail -1)
found=$(go env GOVERSION 2> /dev/null | sed 's/^go//') || true
if [ "$(printf '%s\n' "$needed" "${found:-0}" | sort -V | sed -n 1p)" != "$needed" ]; then
  echo "The engines need Go $needed or newer, and ${found:-none} is on PATH. Install it from https://go.dev/dl/." >&2
  exit 1
fi

mkdir -p "$folder" "$cache"

# build MODULE COMMAND [LINKER-FLAGS]: the module's tool, in the folder under the command's name.
build() {
  local module=$1 command=$2 flags="-s -w ${3:-}"
  local key=$({ go env GOVERSION; echo "$flags"; cat "$here/$module/go.mod" "$here/$module/go.sum"; } | sha256sum | cut -c -16)
  local built=$cache/$command-$key
  if [ ! -x "$built" ]; then
    echo "Building $command, which takes some minutes the first time."
    (cd "$here/$module" && go build -o "$built.$$" -ldflags "$flags" "$(sed -n 's/^tool //p' go.mod)")
    mv "$built.$$" "$built"
  fi
  ln -f "$built" "$folder/$command" 2> /dev/null || cp -f "$built" "$folder/$command"
}

# The Automation API refuses a command that does not know its version.
version=$(cd "$here/pulumi" && go list -m -f '{{.Version}}' github.com/pulumi/pulumi/pkg/v3)
build pulumi pulumi "-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=$version"
build pulumi-yaml pulumi-language-yaml
# Without this flag it is a development version.
build opentofu tofu "-X github.com/opentofu/opentofu/version.dev=no"

# Pulumi looks for these beside itself first, and warns where it finds them elsewhere. The script that starts dynamic
# providers is in the npm package, without its run bit. The other language hosts come from a full release on PATH.
install -m 755 "$root/node_modules/@pulumi/pulumi/pulumi-resource-pulumi-nodejs" "$folder"
for name in pulumi-language-{nodejs,python,python-exec,go,java,dotnet} pulumi-resource-pulumi-python; do
  if path=$(command -v "$name") && [ ! "$path" -ef "$folder/$name" ]; then ln -sfn "$(realpath "$path")" "$folder/$name"; fi
done

"$folder/pulumi" version
# A configuration of the user's own is of no interest here. `head` would end before its input does, which is a failure.
TF_CLI_CONFIG_FILE= "$folder/tofu" version | sed -n 1p
