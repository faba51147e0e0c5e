/**
 * Builds the packages, each into its own `dist`: the compiler checks all of them and emits the declarations; the
 * programs and entries are bundles, with what they need. With `--if-stale`: only when a source is newer than the build.
 */
import type { Metafile } from "esbuild"
import { copyFileSync, existsSync, globSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { buildContract } from "./build/contract.ts"
import { emit } from "./build/modules.ts"
import { componentsOf, writeNotices } from "./build/notices.ts"
import { buildProvider } from "./build/provider.ts"
import { buildSdk } from "./build/sdk.ts"
import { buildService } from "./build/service.ts"
import { buildTesting } from "./build/testing.ts"
import { type Folder, FOLDERS, readManifest, ROOT } from "./build/workspace.ts"

/** Touched by every successful build. Outside of `dist`, which is published. */
const CACHE = join(ROOT, "node_modules/.cache/pulumi-vps")
const STAMP = join(CACHE, "built")
const SOURCES = [
  "{sdk,service,provider}/**/*.{ts,tsx,css,svg}",
  "{sdk,sdk/contract,sdk/testing,service,provider}/package.json",
  "provider/plugin-host/schema.json",
  ".config/{,build/}*.{ts,json}",
  "{package,tsconfig}.json"
]
const isBuilt = (path: string): boolean =>
  /(^|\/)(dist|node_modules)(\/|$)|^provider\/(plugin|terraform)(\/|$)/.test(path)

const isFresh = (): boolean => {
  const outputs = [...FOLDERS.map((folder) => `${folder}/dist`), "provider/plugin", "provider/terraform"]
  if (!existsSync(STAMP) || !outputs.every((path) => existsSync(join(ROOT, path)))) return false
  const built = statSync(STAMP).mtimeMs
  const inputs = globSync(SOURCES, { cwd: ROOT, exclude: isBuilt })
  return inputs.every((path) => statSync(join(ROOT, path)).mtimeMs < built)
}
if (process.argv.includes("--if-stale") && isFresh()) process.exit(0)

for (const folder of FOLDERS) rmSync(join(ROOT, folder, "dist"), { recursive: true, force: true })
if (!emit()) process.exit(1)
buildContract()
const bundles: Readonly<Partial<Record<Folder, ReadonlyArray<Metafile>>>> = {
  "sdk": await buildSdk(),
  "provider": await buildProvider(),
  "service": await buildService(),
  "sdk/testing": await buildTesting()
}

/**
 * Links at the top of a clone: programs that start the builds of several commits, as the benchmarks do, find each at
 * the path that it had before the packages were apart.
 */
const LINKS = {
  "dist/provider": "provider/dist",
  "dist/sdk": "sdk/dist",
  "dist/service": "service/dist",
  "terraform": "provider/terraform"
} as const

/** npm makes no link to a command that is not there yet. A plugin among them would hide that none is installed. */
const COMMANDS = new Set(["vps", "vps-service"])

for (const folder of FOLDERS) {
  const { bin = {}, name, version } = readManifest(folder)
  for (const [command, path] of Object.entries(bin).filter(([command]) => COMMANDS.has(command))) {
    const link = join(ROOT, "node_modules/.bin", command)
    rmSync(link, { force: true })
    symlinkSync(join("../..", folder, path), link)
  }
  copyFileSync(join(ROOT, "LICENSE"), join(ROOT, folder, "LICENSE"))
  const contained = bundles[folder]
  if (contained !== undefined) writeNotices(join(ROOT, folder), name, version, componentsOf(ROOT, contained))
}

for (const [name, path] of Object.entries(LINKS)) {
  const link = join(ROOT, name)
  rmSync(link, { recursive: true, force: true })
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(relative(dirname(link), join(ROOT, path)), link)
}

// For test/e2e/seams.test.ts: the modules in each bundle for Node.js, by the bundle's entry.
const inputsOf = ({ outputs }: Metafile) => [
  ...new Set(
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([path, { bytesInOutput }]) =>
        bytesInOutput > 0 && !path.includes("node_modules/.cache/") ? [path] : []
      )
    )
  )
]
const entryOf = ({ outputs }: Metafile) => Object.values(outputs).flatMap(({ entryPoint }) => entryPoint ?? [])[0]
const contents = Object.values(bundles).flat().map((bundle) => [entryOf(bundle) ?? "", inputsOf(bundle)] as const)
  .filter(([entry]) => !entry.startsWith("service/panel/web/"))
mkdirSync(dirname(STAMP), { recursive: true })
writeFileSync(join(CACHE, "bundles.json"), JSON.stringify({ contents }))
writeFileSync(STAMP, "")
