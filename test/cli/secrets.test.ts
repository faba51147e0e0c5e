/** The root password of an order, as it is read from a file. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { readRootPassword } from "#sdk/cli/shared/Secrets"

describe("--root-password", () => {
  it.each(["", "\n", "\r\n"])("keeps the spaces of the password, and drops the end of its line: %j", async (end) => {
    const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-password-"))
    const file = join(folder, "password")
    writeFileSync(file, ` two words\t ${end}`)
    assert.strictEqual(await Effect.runPromise(readRootPassword(Option.some(file))), " two words\t ")
    rmSync(folder, { recursive: true })
  })
})
