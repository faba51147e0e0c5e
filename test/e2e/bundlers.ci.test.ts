/** Programs that use the package, bundled by webpack and rollup: the result runs where no package is. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type RunningEmulator, startEmulator } from "#sdk/testing/index"
import { runNode } from "../support/command.ts"
import { makeProject } from "../support/tools.ts"

const project = makeProject("webpack", "rollup", "@rollup/plugin-node-resolve", "@rollup/plugin-commonjs")

/** Every part that a bundler might lose: undici, the errors, and the schemas, which are loaded on demand. */
const CALLS = `
const run = async () => {
  const vps = new Vps({ maxRetries: 1 })
  const instance = await vps.instances.createAndWait({ service_id: 1 }, { idempotencyKey: "bundled" })
  const missing = await vps.instances.get(9999).catch((error) => error instanceof NotFoundError)
  const [plan] = await new Vps({ decode: "strict", maxRetries: 1 }).services.list()
  console.log(instance.status, missing, plan.slug)
}
run()
`
const PROGRAMS = {
  "program.mjs": `import { NotFoundError, Vps } from "@pulumi-vps/sdk"${CALLS}`,
  "program.cjs": `const { NotFoundError, Vps } = require("@pulumi-vps/sdk")${CALLS}`
}
type Name = keyof typeof PROGRAMS

interface Build {
  readonly program: Name
  readonly format: "cjs" | "esm"
  /** The bundle's first file. Node takes its format from the name. */
  readonly main: string
}
const BUILDS: ReadonlyArray<Build> = (["program.mjs", "program.cjs"] as const).flatMap((program) => [
  { program, format: "cjs", main: "main.cjs" } as const,
  { program, format: "esm", main: "main.mjs" } as const
])

interface WebpackStats {
  readonly hasErrors: () => boolean
  readonly hasWarnings: () => boolean
  readonly toString: () => string
}
type Webpack = (options: object, done: (error: Error | null, stats: WebpackStats) => void) => void

const isModule = ({ format }: Build) => format === "esm"

const webpack = async (folder: string, build: Build, path: string): Promise<void> => {
  const run = project!.require<Webpack>("webpack")
  const options = {
    mode: "production",
    target: "node",
    context: folder,
    entry: `./${build.program}`,
    output: {
      path,
      filename: build.main,
      module: isModule(build),
      chunkFormat: isModule(build) ? "module" : "commonjs"
    },
    experiments: { outputModule: isModule(build) },
    // The minifier would take most of the time; `bundles.test.ts` minifies.
    optimization: { minimize: false }
  }
  const stats = await new Promise<WebpackStats>((resolve, reject) =>
    run(options, (error, result) => error === null ? resolve(result) : reject(error))
  )
  if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString())
}

interface Rollup {
  readonly rollup: (options: object) => Promise<{ readonly write: (options: object) => Promise<unknown> }>
}
type Plugin = (options?: object) => object

const rollup = async (folder: string, build: Build, dir: string): Promise<void> => {
  const { rollup: run } = project!.require<Rollup>("rollup")
  const { nodeResolve } = project!.require<{ readonly nodeResolve: Plugin }>("@rollup/plugin-node-resolve")
  const { default: commonjs } = project!.require<{ readonly default: Plugin }>("@rollup/plugin-commonjs")
  const bundle = await run({
    input: join(folder, build.program),
    plugins: [nodeResolve({ preferBuiltins: true, exportConditions: ["node"] }), commonjs()],
    onwarn: ({ message }: { readonly message: string }) => {
      throw new Error(message)
    }
  })
  const chunkFileNames = `[name]-[hash].${build.main.slice(-3)}`
  await bundle.write({ dir, format: build.format, entryFileNames: build.main, chunkFileNames })
}

let emulator: RunningEmulator
let elsewhere: string
beforeAll(async () => {
  elsewhere = mkdtempSync(join(tmpdir(), "pulumi-vps-bundled-"))
  emulator = await startEmulator({ seed: { deploy: { mode: "instant" } } })
  for (const [name, text] of Object.entries(PROGRAMS)) if (project) writeFileSync(join(project.folder, name), text)
})
afterAll(async () => {
  await emulator.stop()
  for (const folder of [elsewhere, project?.folder ?? elsewhere]) rmSync(folder, { recursive: true, force: true })
})

describe.skipIf(project === undefined).each([["webpack", webpack], ["rollup", rollup]] as const)(
  "a program bundled by %s (needs the npm registry)",
  (name, bundle) => {
    it.each(BUILDS)("runs $program as $format", async (build) => {
      const output = join(elsewhere, `${name}-${build.program}-${build.format}`)
      await bundle(project!.folder, build, output)
      const env = { VPS_API_KEY: emulator.apiKey, VPS_BASE_URL: emulator.url }
      const ran = await runNode([join(output, build.main)], { env })
      assert.deepStrictEqual(ran, { code: 0, stdout: "running true vps-s\n", stderr: "" })
    })
  }
)
