/**
 * The files that are published besides the bundles. In `dist`, modules that only bundles use are deleted, and
 * every resolution of modules understands the declarations, CommonJS included. The folders of the plugin and of the
 * Terraform provider have a start script each.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, normalize, relative } from "node:path"
import { CLIENTS, exitOnOldNode, throwOnOldNode } from "./entryChecks.ts"

/** Imports and exports, dynamic imports, and the computed specifiers of the package's own modules. */
const SPECIFIERS = /(?:\bfrom|\bimport|=|\()\s*"([.#][^"\n]+)"/g

const resolve = (from: string, specifier: string): string => {
  const path = specifier.startsWith("#")
    ? specifier.replace(/^#contract\//, "dist/sdk/contract/").replace(/^#/, "dist/")
    : normalize(join(dirname(from), specifier))
  return path.replace(/(\.d)?\.(js|ts)$/, "") + (from.endsWith(".d.ts") ? ".d.ts" : ".js")
}

const reach = (root: string, entries: ReadonlyArray<string>): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (path: string): void => {
    // Bundles contain texts that look like imports.
    if (found.has(path) || !existsSync(join(root, path))) return
    found.add(path)
    for (const [, specifier = ""] of readFileSync(join(root, path), "utf8").matchAll(SPECIFIERS)) {
      visit(resolve(path, specifier))
    }
  }
  entries.map((path) => normalize(path)).forEach(visit)
  return found
}

/** `entries` are paths below the root, such as `./dist/sdk/index.js`. */
export const prune = (root: string, entries: ReadonlyArray<string>): void => {
  const missing = entries.filter((path) => !existsSync(join(root, path)))
  if (missing.length > 0) {
    throw new Error(`package.json names files that the build did not write: ${missing.join(", ")}`)
  }
  const found = reach(root, entries)
  for (const path of globSync("dist/**/*.{js,d.ts}", { cwd: root })) {
    if (!found.has(path)) rmSync(join(root, path))
  }
}

/** Paths that every resolution understands, also `moduleResolution: node`: relative, with the extension `.js`. */
const portable = (path: string, text: string): string =>
  text.replaceAll(SPECIFIERS, (match, specifier: string) => {
    const target = relative(dirname(path), resolve(path, specifier)).replace(/\.d\.ts$/, ".js")
    return match.replace(specifier, target.startsWith(".") ? target : `./${target}`)
  })

/**
 * The entries for programs in CommonJS: declarations that say so, and, for an entry that has no build of its own in
 * CommonJS, the ES module by `require`.
 */
const COMMON_JS = "dist/commonjs"

const writeCommonJs = (root: string, entries: ReadonlyArray<string>): void => {
  for (const path of reach(root, entries)) {
    const copy = join(root, path.replace("dist", COMMON_JS))
    mkdirSync(dirname(copy), { recursive: true })
    writeFileSync(copy, readFileSync(join(root, path)))
  }
  for (const entry of entries) {
    const path = normalize(entry).replace(".d.ts", ".js")
    const stub = path.replace("dist", COMMON_JS)
    if (existsSync(join(root, stub))) continue
    const onNode = path.replace(".js", ".node.js")
    const file = existsSync(join(root, onNode)) ? onNode : path
    const check = throwOnOldNode("pulumi-vps", CLIENTS)
    writeFileSync(join(root, stub), `${check}\nmodule.exports = require("${relative(dirname(stub), file)}")\n`)
  }
  writeFileSync(join(root, COMMON_JS, "package.json"), `{ "type": "commonjs" }\n`)
}

/** `entries` are the declarations of the entries that CommonJS programs may require. */
export const writeDeclarations = (root: string, entries: ReadonlyArray<string>): void => {
  for (const path of globSync("dist/**/*.d.ts", { cwd: root })) {
    writeFileSync(join(root, path), portable(path, readFileSync(join(root, path), "utf8")))
  }
  writeCommonJs(root, entries)
}

/**
 * Removes comments with other characters than ASCII, the only place where the bundler leaves them: V8 holds a file with
 * one such character at two bytes for each. That is 3 to 5 MB of a service's memory.
 */
export const makeAscii = (path: string): void => {
  const text = readFileSync(path, "utf8").replaceAll(/^ *\/\/.*\P{ASCII}.*\n/gmu, "")
  const at = text.search(/\P{ASCII}/u)
  if (at !== -1) throw new Error(`${path} has a character that is not ASCII: ${text.slice(at, at + 50)}`)
  writeFileSync(path, text)
}

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
