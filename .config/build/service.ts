/** `@pulumi-vps/service`: the service, its commands, the panel, and the service inside another process. */
import type { Metafile } from "esbuild"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { ownFiles, REQUIRE, SMALL, SPLIT, writeBundle } from "./bundle.ts"
import { configSchema } from "./configSchema.ts"
import { SERVICE } from "./entryChecks.ts"
import { writeCommand } from "./modules.ts"
import { buildPanel } from "./panel.ts"
import { UNDICI } from "./undici.ts"
import { ROOT } from "./workspace.ts"

/** The modules that the programs load on demand. They have nothing in common with the rest, and are large. */
const LAZY = [
  "service/http/system/ReferenceScript",
  "service/mail/Smtp",
  "service/people/WebAuthn",
  "service/persistence/postgres/Library"
]

const TIME = ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate", "clearImmediate"]
const captured = TIME.map((name) => [name, `__${name}`] as const)

/** Captures the timers when the bundle is loaded: a test's fake timers must not affect the emulator. */
const realTime = {
  banner: { js: `${REQUIRE}const{${captured.map(([name, own]) => `${name}:${own}`).join()}}=globalThis;` },
  define: {
    ...UNDICI,
    ...Object.fromEntries(captured.flatMap(([name, own]) => [[name, own], [`globalThis.${name}`, own]]))
  }
}

const apart = (...entries: ReadonlyArray<string>) =>
  ownFiles("service", "#service", LAZY.filter((module) => !entries.includes(module)))

export const buildService = async (): Promise<ReadonlyArray<Metafile>> => {
  const bundles = await Promise.all([
    // Loading hundreds of files of effect takes longer than the rest of the start-up. The commands of operators are a
    // program of their own, so that the service does not load them (service/bin.ts); it shares the files of effect.
    writeBundle("service", { entries: ["service/main", "service/admin/cli/main"], ...SPLIT, plugins: [apart()] }),
    // The same for tests that start the service in their own process.
    writeBundle("service", {
      entries: ["service/Embedded"],
      needs: ["@pulumi-vps/service", SERVICE],
      ...realTime,
      ...SPLIT,
      plugins: [apart()]
    }),
    ...LAZY.map((module) => writeBundle("service", { ...SMALL, entries: [module], plugins: [apart(module)] }))
  ])
  writeCommand("service", "service/bin", ["service/main", "service/admin/cli/main"], ["vps-service", SERVICE])
  writeFileSync(join(ROOT, "service/dist/service.schema.json"), `${JSON.stringify(configSchema, null, 2)}\n`)
  return [...bundles, await buildPanel()]
}
