/**
 * Builds `dist`: the compiler emits every folder unchanged, with declarations; then the programs whose start-up time
 * people wait for are replaced by one bundled file each. With `--if-stale`: only when a source is newer than `dist`.
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

/** Of undici the client uses its agent; the rest would take the `vps` command a fifth of its time to load. */
const agentOnly: Plugin = {
  name: "agent-only",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^undici$/ }, () => ({ path: "undici", namespace: "agent-only" }))
    const contents = "exports.Agent = require(\"undici/lib/dispatcher/agent.js\")"
    onLoad({ filter: /./, namespace: "agent-only" }, () => ({ contents, resolveDir: root }))
  }
}

/** Some dependencies (ws) are CommonJS and call require for what Node brings along. */
const REQUIRE = "import{createRequire as __c}from\"node:module\";const require=__c(import.meta.url);"

/** Time as it is when the bundle is loaded: the fake timers of a test are meant for what it tests, not for the host. */
const realTime = {
  banner: {
    js:
      `${REQUIRE}const{Date,setTimeout,clearTimeout,setInterval,clearInterval,setImmediate,clearImmediate}=globalThis;`
  },
  define: { "globalThis.setImmediate": "setImmediate", "globalThis.clearImmediate": "clearImmediate" }
}

/** For programs that are loaded at every command: a tenth of that is comments and spaces. Names stay as written. */
const small = { plugins: [agentOnly], minifySyntax: true, minifyWhitespace: true } satisfies BuildOptions

interface Bundle extends Pick<BuildOptions, "banner" | "define" | "minifySyntax" | "minifyWhitespace" | "plugins"> {
  readonly entry: string
  readonly external: Array<string>
}

/** Programs that are bundled, and why. Output: `dist/<entry>.js`. */
const BUNDLES: Array<Bundle> = [
  // Loading some hundred files of effect takes longer than everything else that the service does before it listens.
  { entry: "service/main", external: [] },
  // The same for tests that start it in their own process. The client around it stays the one that the test imports.
  { entry: "service/Embedded", external: [], ...realTime },
  // A program of its own beside the service, which must not pay for it: see service/bin.ts.
  { entry: "service/admin/cli/main", external: [] },
  // People wait for it at every command. What few ask for is loaded on demand.
  { entry: "sdk/cli/main", external: ["yaml"], ...small },
  // Loaded again in every phase of every `pulumi` command. Pulumi itself is the user's, and must be the one they run.
  { entry: "provider/runtime", external: ["@pulumi/pulumi"], ...small }
]

/**
 * Not in any bundle but beside it, as the compiler emits it: schemas that only `decode: "strict"` loads, and what of
 * the provider only `vps pulumi` loads.
 */
const LAZY = ["#sdk/client/chain/Strict", "#provider/orphans/*"]

/** Files that are run by their path. */
const EXECUTABLES = ["service/bin", "sdk/cli/bin"]

/**
 * The provider plugin's folder, as Pulumi takes it, beside the bundle and the schema. Its executable may only use
 * syntax that old Node versions know. `PulumiPlugin.yaml` and `package.json` are for `pulumi package add`, which
 * insists on them.
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
  // Started several times in every run: compiled once, it prints its port a quarter sooner. Kept below the user's home
  // and not in a shared folder: who can write there decides what we run.
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
  // People read stack traces: names stay as written, and minifying gains nothing in start-up time.
  minify: false,
  legalComments: "none",
  logLevel: "warning",
  allowOverwrite: true
} satisfies BuildOptions

/** Touched by every build that succeeded. Outside of `dist`, which is published. */
const stamp = `${root}node_modules/.cache/pulumi-vps/built`
const SOURCES = [
  "{sdk,service,provider}/**/*.{ts,json}",
  ".config/{build.ts,tsconfig.build.json}",
  "{package,tsconfig}.json"
]

const isFresh = (): boolean => {
  if (!existsSync(`${root}dist`) || !existsSync(`${root}plugin`) || !existsSync(stamp)) return false
  const built = statSync(stamp).mtimeMs
  // Folders too: a file that was deleted leaves its trace there.
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
