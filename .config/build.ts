/**
 * Builds `dist`: the compiler emits every folder unchanged, with declarations; then each program whose start-up time
 * matters is replaced by one bundled file. With `--if-stale`: only when a source is newer than `dist`.
 */
import { build, type BuildOptions, type Plugin } from "esbuild"
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { version: string }

/** The client uses only the agent of undici. Loading the rest would take a fifth of the run time of `vps`. */
const agentOnly: Plugin = {
  name: "agent-only",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^undici$/ }, () => ({ path: "undici", namespace: "agent-only" }))
    const contents = "exports.Agent = require(\"undici/lib/dispatcher/agent.js\")"
    onLoad({ filter: /./, namespace: "agent-only" }, () => ({ contents, resolveDir: root }))
  }
}

/** Some dependencies (ws) are CommonJS and call `require` for modules of Node. */
const REQUIRE = "import{createRequire as __c}from\"node:module\";const require=__c(import.meta.url);"

/** Captures the timers when the bundle is loaded: a test's fake timers must not affect the emulator. */
const realTime = {
  banner: {
    js:
      `${REQUIRE}const{Date,setTimeout,clearTimeout,setInterval,clearInterval,setImmediate,clearImmediate}=globalThis;`
  },
  define: { "globalThis.setImmediate": "setImmediate", "globalThis.clearImmediate": "clearImmediate" }
}

/** For programs that every command loads: comments and spaces are a tenth of the load time. Names are not minified. */
const small = { plugins: [agentOnly], minifySyntax: true, minifyWhitespace: true } satisfies BuildOptions

interface Bundle extends Pick<BuildOptions, "banner" | "define" | "minifySyntax" | "minifyWhitespace" | "plugins"> {
  readonly entry: string
  readonly external: Array<string>
}

/** The bundled programs, with the reason. Output: `dist/<entry>.js`. */
const BUNDLES: Array<Bundle> = [
  // Loading hundreds of files of effect takes longer than the rest of the start-up.
  { entry: "service/main", external: [] },
  // The same for tests that start the service in their own process. The client is the one that the test imports.
  { entry: "service/Embedded", external: [], ...realTime },
  // A separate program, so that the service does not load it: see service/bin.ts.
  { entry: "service/admin/cli/main", external: [] },
  // Users wait for it at every command. Rarely used modules are loaded on demand.
  { entry: "sdk/cli/main", external: ["yaml"], ...small },
  // Loaded again in every phase of every `pulumi` command. Pulumi's SDK must be the one that the user's program loads.
  { entry: "provider/runtime", external: ["@pulumi/pulumi"], ...small }
]

/**
 * Modules that are not bundled, because they are loaded on demand: the schemas for `decode: "strict"`, and the parts of
 * the provider for `vps pulumi`.
 */
const LAZY = ["#sdk/client/chain/Strict", "#provider/orphans/*"]

/** Files that are executed by their path. */
const EXECUTABLES = ["service/bin", "sdk/cli/bin"]

/**
 * The files of the plugin's folder besides the bundle and the schema. The executable may only use syntax that old Node
 * versions support. `pulumi package add` requires `PulumiPlugin.yaml` and `package.json`.
 */
const PLUGIN: Readonly<Record<string, string>> = {
  "pulumi-resource-vps": `#!/usr/bin/env node
const required = 24
if (Number(process.versions.node.split(".")[0]) < required) {
  process.stderr.write(
    \`pulumi-resource-vps needs Node.js \${required} or newer; this is \${process.version} (\${process.execPath}).\\n\`
  )
  process.exit(1)
}
if (process.argv[2] === "--help") {
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
}

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node24",
  conditions: ["pulumi-vps-source"],
  banner: { js: REQUIRE },
  // Names are not minified, so that stack traces are readable; minifying them would not shorten the start-up.
  minify: false,
  legalComments: "none",
  logLevel: "warning",
  allowOverwrite: true
} satisfies BuildOptions

/** Touched by every successful build. Outside of `dist`, which is published. */
const stamp = `${root}node_modules/.cache/pulumi-vps/built`
const SOURCES = [
  "{sdk,service,provider}/**/*.{ts,json}",
  ".config/{build.ts,tsconfig.build.json}",
  "{package,tsconfig}.json"
]

const isFresh = (): boolean => {
  if (!existsSync(`${root}dist`) || !existsSync(`${root}plugin`) || !existsSync(stamp)) return false
  const built = statSync(stamp).mtimeMs
  // Includes folders, whose time changes when a file is deleted.
  const inputs = globSync([...SOURCES, "{sdk,service,provider}/**/"], { cwd: root })
  return inputs.every((path) => statSync(`${root}${path}`).mtimeMs < built)
}
if (process.argv.includes("--if-stale") && isFresh()) process.exit(0)

rmSync(`${root}dist`, { recursive: true, force: true })
const tsc = `${root}node_modules/@typescript/native/bin/tsc`
const emit = spawnSync(process.execPath, [tsc, "-p", `${root}.config/tsconfig.build.json`], { stdio: "inherit" })
if (emit.status !== 0) process.exit(1)
for (const { entry, external, ...own } of BUNDLES) {
  await build({
    ...shared,
    ...own,
    entryPoints: [`${entry}.ts`],
    outfile: `dist/${entry}.js`,
    external: [...LAZY, ...external]
  })
}
rmSync(`${root}plugin`, { recursive: true, force: true })
await build({ ...shared, ...small, entryPoints: ["provider/plugin/main.ts"], outfile: "plugin/plugin.mjs" })
for (const [name, text] of Object.entries(PLUGIN)) writeFileSync(`${root}plugin/${name}`, text)
copyFileSync(`${root}provider/plugin/schema.json`, `${root}plugin/schema.json`)
chmodSync(`${root}plugin/pulumi-resource-vps`, 0o755)
for (const entry of EXECUTABLES) chmodSync(`${root}dist/${entry}.js`, 0o755)
mkdirSync(dirname(stamp), { recursive: true })
writeFileSync(stamp, "")
