/**
 * `pulumi-vps`: the classes for programs, which need Pulumi's SDK and no other package, and the two providers that
 * engines start, each in a folder of its own.
 */
import { build, type Metafile } from "esbuild"
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type Bundle, ownFiles, REQUIRE, SHARED, SMALL, SPLIT, writeBundle } from "./bundle.ts"
import { buildCommonJs } from "./clientBundles.ts"
import { CLIENTS, writePeerEntries } from "./entryChecks.ts"
import { pluginFiles, TERRAFORM_FILES } from "./launchers.ts"
import { writeCommonJs, writeDeclarations } from "./modules.ts"
import { componentsOf, writeNotices } from "./notices.ts"
import { LAZY } from "./sdk.ts"
import { agentOnly } from "./undici.ts"
import { readManifest, ROOT } from "./workspace.ts"

const CLASSES = ["provider/index", "provider/pulumi"]

/** It is loaded again in every phase of every `pulumi` command, and by a program when it calls a function. */
const RUNTIME = "provider/runtime"

const NEEDS = ["pulumi-vps/provider", CLIENTS] as const

const apart = (...entries: ReadonlyArray<string>) =>
  ownFiles("provider", "#provider", [RUNTIME, ...LAZY].filter((module) => !entries.includes(module)))

const BUNDLES: ReadonlyArray<Bundle> = [
  // A program may use both: its classes are the same.
  { entries: CLASSES, needs: NEEDS, ...SPLIT },
  { entries: [RUNTIME], needs: NEEDS },
  ...LAZY.map((module) => ({ entries: [module] }))
]

/** Pulumi's SDK must be the one that the user's program loads. */
const PULUMI = ["@pulumi/pulumi"]

const { version } = readManifest("provider")

/** A provider that an engine starts: a folder with one bundle, the files beside it, and its own notices. */
const buildProgram = async (
  folder: string,
  outfile: string,
  entry: string,
  files: Readonly<Record<string, string>>
): Promise<Metafile> => {
  rmSync(join(ROOT, folder), { recursive: true, force: true })
  const banner = { js: REQUIRE }
  const options = { ...SHARED, ...SMALL, banner, entryPoints: [entry], outfile: `${folder}/${outfile}` }
  const { metafile } = await build({ ...options, plugins: [agentOnly] })
  writeNotices(join(ROOT, folder), "pulumi-vps", version, componentsOf(ROOT, [metafile]))
  for (const [name, text] of Object.entries(files)) {
    const path = join(ROOT, folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    if (text.startsWith("#!")) chmodSync(path, 0o755)
  }
  return metafile
}

export const buildProvider = async (): Promise<ReadonlyArray<Metafile>> => {
  const bundles = await Promise.all(BUNDLES.map((bundle) =>
    writeBundle("provider", {
      ...SMALL,
      isPortable: true,
      external: PULUMI,
      ...bundle,
      plugins: [apart(...bundle.entries)]
    })
  ))
  const commonJs = await buildCommonJs("provider", [...CLASSES, RUNTIME, ...LAZY], NEEDS)
  writeDeclarations("provider", [...CLASSES, RUNTIME])
  writeCommonJs("provider", CLASSES, NEEDS)
  await writePeerEntries("provider")
  const programs = await Promise.all([
    buildProgram("provider/plugin", "plugin.mjs", "provider/plugin-host/main.ts", pluginFiles(version)),
    buildProgram("provider/terraform", "provider.mjs", "provider/terraform-host/main.ts", TERRAFORM_FILES)
  ])
  copyFileSync(join(ROOT, "provider/plugin-host/schema.json"), join(ROOT, "provider/plugin/schema.json"))
  return [...bundles, ...commonJs, ...programs]
}
