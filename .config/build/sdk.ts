/** `@pulumi-vps/sdk`: the clients, which need no other package but for `effect`, and the command. */
import type { Metafile } from "esbuild"
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { type Bundle, ownFiles, SMALL, writeBundle } from "./bundle.ts"
import { buildCommonJs, buildFetchEntry } from "./clientBundles.ts"
import { CLIENTS, writePeerEntries } from "./entryChecks.ts"
import { writeCommand, writeCommonJs, writeDeclarations } from "./modules.ts"
import { ROOT } from "./workspace.ts"

/** Modules of which a program has only one copy: `instanceof` works, even if two entries export the class. */
const SHARED = ["sdk/client/errors/ApiErrors", "sdk/client/errors/Errors"]

/** Modules that the clients load on demand. */
export const LAZY = ["sdk/client/chain/Agent", "sdk/client/chain/Strict"]

/** Modules that some commands load: as chunks, they would add a file to the start of every command. */
const OF_COMMANDS = ["sdk/cli/output/Yaml", "provider/orphans/Orphans", "provider/orphans/States"]

const NEEDS = ["@pulumi-vps/sdk", CLIENTS] as const

/** A bundle imports these as files of their own, unless it is one of them. */
const apart = (...entries: ReadonlyArray<string>) =>
  ownFiles("sdk", "#sdk", [...SHARED, ...LAZY, ...OF_COMMANDS].filter((module) => !entries.includes(module)))

const BUNDLES: ReadonlyArray<Bundle> = [
  // So that it needs no other package, and is loaded sooner.
  { entries: ["sdk/index"], needs: NEEDS, isPortable: true },
  { entries: ["sdk/effect"], external: ["effect", "effect/*"], isPortable: true },
  // They load nothing of Node.js: browsers have them, too.
  ...SHARED.map((module) => ({ entries: [module], banner: { js: "" } })),
  ...LAZY.map((module) => ({ entries: [module], isPortable: true })),
  // Users wait for it at every command.
  { entries: ["sdk/cli/main"] },
  ...OF_COMMANDS.map((module) => ({ entries: [module] }))
]

export const buildSdk = async (): Promise<ReadonlyArray<Metafile>> => {
  const bundles = await Promise.all(
    BUNDLES.map((bundle) => writeBundle("sdk", { ...SMALL, ...bundle, plugins: [apart(...bundle.entries)] }))
  )
  const fetch = await buildFetchEntry(SMALL, apart())
  const commonJs = await buildCommonJs("sdk", ["sdk/index", ...SHARED, ...LAZY], NEEDS)
  writeCommand("sdk", "sdk/cli/bin", ["sdk/cli/main"], ["vps", CLIENTS])
  writeDeclarations("sdk", ["sdk/index", "sdk/effect"])
  copyFileSync(join(ROOT, "sdk/dist/index.d.ts"), join(ROOT, "sdk/dist/fetch.d.ts"))
  writeCommonJs("sdk", ["sdk/index"], NEEDS)
  await writePeerEntries("sdk")
  return [...bundles, fetch, ...commonJs]
}
