/** `@pulumi-vps/testing`: the kit, whose client and service are those of the packages that it depends on. */
import type { Metafile } from "esbuild"
import { leavingOut, SMALL, writeBundle } from "./bundle.ts"
import { SERVICE, writePeerEntries } from "./entryChecks.ts"
import { writeCommonJs, writeDeclarations } from "./modules.ts"

const INDEX = "sdk/testing/index"
const EFFECT = "sdk/testing/effect"
const NEEDS = ["@pulumi-vps/testing", SERVICE] as const

/** Both entries have one emulator and one error: those of the first. */
const ofTheIndex = leavingOut((module) =>
  ["sdk/testing/Start", "sdk/testing/EmulatorError"].includes(module) ? "./index.js" : undefined
)

const INSTALLED = ["@pulumi-vps/sdk", "@pulumi-vps/sdk/effect", "@pulumi-vps/service/Embedded"]

export const buildTesting = async (): Promise<ReadonlyArray<Metafile>> => {
  const bundles = await Promise.all([
    writeBundle("sdk/testing", { ...SMALL, entries: [INDEX], needs: NEEDS, external: INSTALLED }),
    writeBundle("sdk/testing", {
      ...SMALL,
      entries: [EFFECT],
      external: [...INSTALLED, "effect", "effect/*"],
      plugins: [ofTheIndex]
    })
  ])
  writeDeclarations("sdk/testing", [INDEX, EFFECT])
  writeCommonJs("sdk/testing", [INDEX], NEEDS)
  await writePeerEntries("sdk/testing")
  return bundles
}
