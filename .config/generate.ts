/**
 * `npm run generate`: writes every file that derives from the contract or from the provider's definitions: the records
 * and calls of the SDK, the kit's types, the plugin's schema and classes, and the reference pages. Tests fail while one
 * is outdated.
 */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

/** In this order: pages show the types. */
export const GENERATORS = ["sdkTypes", "providerSchema", "sdkPage", "providerReference"] as const

/** Those of every change, and what is written at a release only. */
type Generator = typeof GENERATORS[number] | "releasedDocument"

/** Runs some of the programs in a tree. @throws Error with the output of one that fails. */
export const generate = (root: string, names: ReadonlyArray<Generator> = GENERATORS): void => {
  for (const name of names) {
    const args = ["--conditions=pulumi-vps-source", `.config/${name}.ts`]
    const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" })
    if (status !== 0) throw new Error(`${name}: ${stderr}${stdout}`)
  }
}

if (import.meta.main) generate(fileURLToPath(new URL("..", import.meta.url)))
