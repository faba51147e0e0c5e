/** Measures the import of the published client: time, files and bytes. */
import { build } from "esbuild"
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url))

const COST = `
  const before = process.cpuUsage()
  const began = performance.now()
  await import("@pulumi-vps/sdk")
  const millis = performance.now() - began
  const { system, user } = process.cpuUsage(before)
  process.stdout.write(JSON.stringify({ millis, cpu: (user + system) / 1000 }))
`

const FILES = `
  let files = 0
  ;(await import("node:module")).registerHooks({ load: (url, context, next) => (files++, next(url, context)) })
  await import("@pulumi-vps/sdk")
  process.stdout.write(JSON.stringify(files))
`

/** Runs a script in a process of its own. */
const evaluate = (script: string): unknown =>
  JSON.parse(execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd: ROOT, encoding: "utf8" }))

export interface Import {
  /** Elapsed milliseconds. */
  readonly millis: number
  /** Milliseconds of CPU time, which load hardly changes. */
  readonly cpu: number
}

/** The published entry, imported. */
export const importOnce = (): Import => evaluate(COST) as Import

export const countFiles = (): number => evaluate(FILES) as number

export interface Size {
  readonly bytes: number
  readonly minified: number
  readonly gzipped: number
}

/** Bundles the files that are loaded before the first call, without undici, which is loaded later. */
export const closure = async (): Promise<Size> => {
  const bundle = async (minify: boolean) => {
    const { outputFiles } = await build({
      absWorkingDir: ROOT,
      entryPoints: ["sdk/dist/index.js"],
      bundle: true,
      write: false,
      platform: "node",
      format: "esm",
      target: "node24",
      external: ["undici", "#sdk/client/chain/Strict"],
      minify
    })
    return outputFiles[0]!.contents
  }
  const [plain, small] = [await bundle(false), await bundle(true)]
  return { bytes: plain.length, minified: small.length, gzipped: gzipSync(small).length }
}
