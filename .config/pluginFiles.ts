/**
 * The files of the plugin's folder besides the bundle and the schema. The executable may only use syntax that old Node
 * versions support. `pulumi package add` requires `PulumiPlugin.yaml` and `package.json`.
 */
import { CLIENTS, exitOnOldNode } from "./nodeVersions.ts"

export const pluginFiles = (version: string): Readonly<Record<string, string>> => ({
  "pulumi-resource-vps": `#!/usr/bin/env node
${exitOnOldNode("pulumi-resource-vps", CLIENTS)}if (process.argv[2] === "--help") {
  process.stdout.write("pulumi-resource-vps is the plugin of pulumi-vps: Pulumi starts it. See docs/provider.md.\\n")
} else {
  // Started several times in every run: with cached code, it prints its port a quarter sooner. The cache is below the
  // user's home: in a shared folder, others could replace the code that runs.
  require("node:module").enableCompileCache(require("node:os").homedir() + "/.cache/pulumi-vps")
  import("./plugin.mjs")
}
`,
  "pulumi-resource-vps.cmd": "@node \"%~dp0pulumi-resource-vps\" %*\r\n",
  "PulumiPlugin.yaml": "runtime: nodejs\n",
  "package.json": `{
  "name": "pulumi-resource-vps",
  "version": "${version}",
  "private": true,
  "type": "commonjs",
  "main": "./plugin.mjs"
}
`
})
