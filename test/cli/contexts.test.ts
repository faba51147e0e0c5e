/** The file of saved contexts where its mode cannot be changed. */
import * as Effect from "effect/Effect"
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, describe, it, vi } from "vitest"
import { readContexts } from "#sdk/cli/connection/Connection"

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

describe("a context file that is mounted read-only", () => {
  it("is read, with a warning that names the mode to mount it with", async () => {
    const folder = fs.mkdtempSync(join(tmpdir(), "pulumi-vps-mounted-"))
    const file = join(folder, "config.json")
    const contexts = { current: "a", contexts: { a: { base_url: "https://host.test/api/v1", api_key: "key-1" } } }
    fs.writeFileSync(file, JSON.stringify(contexts), { mode: 0o444 })
    vi.spyOn(fs, "chmodSync").mockImplementation(() => {
      throw Object.assign(new Error("read-only"), { code: "EROFS" })
    })
    syncBuiltinESMExports()
    const notes = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    const read = await Effect.runPromise(readContexts(file))
    const problem = `vps: ${file} contains API keys and was readable by others (mode 444).`
    assert.deepStrictEqual(notes.mock.calls.map(([text]) => text), [
      `${problem} Its mode cannot be changed (EROFS). Mount it with mode 400.\n`
    ])
    assert.deepStrictEqual(read, contexts)
    fs.rmSync(folder, { recursive: true })
  })
})
