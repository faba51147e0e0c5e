/**
 * Builds `dist`: the compiler emits every room as it stands, with declarations; then the programs whose start-up time
 * people wait for are replaced by one bundled file each.
 */
import { build, type BuildOptions } from "esbuild"
import { spawnSync } from "node:child_process"
import { chmodSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Programs that are bundled, and why. Output: `dist/<entry>.js`. */
const BUNDLES: Array<{ entry: string; external: Array<string> }> = [
  // Loading some hundred files of effect takes longer than everything else that the service does before it listens.
  { entry: "service/main", external: [] },
  // Loaded anew in every phase of every `pulumi` command. Pulumi itself is the user's, and must be the one they run.
  { entry: "provider/runtime", external: ["@pulumi/pulumi"] }
]

/** Files that are run by their path. */
const EXECUTABLES = ["service/bin"]

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node24",
  conditions: ["pulumi-vps-source"],
  // Some dependencies (ws) are CommonJS and call require for what Node brings along.
  banner: { js: "import{createRequire as __c}from\"node:module\";const require=__c(import.meta.url);" },
  // People read stack traces: names stay as written, and minifying gains nothing in start-up time.
  minify: false,
  legalComments: "none",
  logLevel: "warning",
  allowOverwrite: true
} satisfies BuildOptions

rmSync(`${root}dist`, { recursive: true, force: true })
const tsc = `${root}node_modules/@typescript/native/bin/tsc`
const emit = spawnSync(process.execPath, [tsc, "-p", `${root}.config/tsconfig.build.json`], { stdio: "inherit" })
if (emit.status !== 0) process.exit(1)
for (const { entry, external } of BUNDLES) {
  await build({ ...shared, entryPoints: [`${entry}.ts`], outfile: `dist/${entry}.js`, external })
}
for (const entry of EXECUTABLES) chmodSync(`${root}dist/${entry}.js`, 0o755)
