/**
 * The files beside the bundles of the two providers that engines start: the start scripts, which say what is missing,
 * and the launchers of each system.
 */
import { CLIENTS, exitOnOldNode } from "./entryChecks.ts"

interface Start {
  readonly name: string
  /** The bundle beside the script. */
  readonly bundle: string
  /** Printed by `--help`. */
  readonly help: string
  readonly errorsTo: "stderr" | "stdout"
}

/** Starts a bundle. It may only use syntax that old Node versions support. */
const startScript = ({ bundle, errorsTo, help, name }: Start): string =>
  `#!/usr/bin/env node
${exitOnOldNode(name, CLIENTS, errorsTo)}if (process.argv[2] === "--help") {
  process.stdout.write("${help}\\n")
} else {
  // Started several times in every run: with cached code, it is ready a quarter sooner. The cache is below the user's
  // home: in a shared folder, others could replace the code that runs.
  require("node:module").enableCompileCache(require("node:os").homedir() + "/.cache/pulumi-vps")
  import("./${bundle}")
}
`

/**
 * Starts `main.cjs` beside it, with the Node.js beside it or else that of PATH. An engine that starts it shows what it
 * prints instead of a handshake.
 */
export const unixLauncher = (name: string): string =>
  `#!/bin/sh
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
node=$here/node
[ -x "$node" ] || node=node
command -v "$node" > /dev/null || {
  echo "${name} needs Node.js ${CLIENTS} or newer, and PATH has no node. Install Node.js."
  exit 1
}
exec "$node" "$here/main.cjs" "$@"
`

/** The same for Windows, where `%~dp0` is the folder of the file. */
export const windowsLauncher = (node: string, main: string): string => `@${node} "%~dp0${main}" %*\r\n`

const PLUGIN_START = startScript({
  name: "pulumi-resource-vps",
  bundle: "plugin.mjs",
  errorsTo: "stderr",
  help: "pulumi-resource-vps is the plugin of pulumi-vps: Pulumi starts it. See docs/provider.md."
})

/**
 * The files of the plugin's folder besides the bundle and the schema. There is no `PulumiPlugin.yaml`: with it, Pulumi
 * treats the folder as sources, runs `npm install` in it, and requires `@pulumi/pulumi` there. `package.json` makes the
 * scripts CommonJS, below a package of ES modules.
 */
export const pluginFiles = (version: string): Readonly<Record<string, string>> => ({
  "pulumi-resource-vps": PLUGIN_START,
  // `pulumi package add FOLDER` and `pulumi install` do not know the provider's name yet, and start the executable of
  // an empty name.
  "pulumi-resource-": PLUGIN_START,
  "pulumi-resource-vps.cmd": windowsLauncher("node", "pulumi-resource-vps"),
  "package.json": `{
  "name": "pulumi-resource-vps",
  "version": "${version}",
  "private": true,
  "type": "commonjs"
}
`
})

/**
 * The files of the Terraform provider's folder besides the bundle: `dev_overrides` may name it. On Windows it names the
 * folder below it, because the engine takes the first file with the provider's name.
 */
export const TERRAFORM_FILES: Readonly<Record<string, string>> = {
  "terraform-provider-vps": unixLauncher("terraform-provider-vps"),
  "main.cjs": startScript({
    name: "terraform-provider-vps",
    bundle: "provider.mjs",
    errorsTo: "stdout",
    help:
      "terraform-provider-vps is the provider of pulumi-vps: OpenTofu and Terraform start it. See docs/terraform.md."
  }),
  "windows/terraform-provider-vps.cmd": windowsLauncher("node", "..\\main.cjs")
}
