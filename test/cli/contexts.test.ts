/** The file of saved contexts where its mode cannot be changed, or a lock was left behind. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, vi } from "vitest"
import { readContexts, updateContexts } from "#sdk/cli/connection/Connection"
import { LOCK_WAIT_MILLIS } from "#sdk/cli/Limits"

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

describe("a lock that a killed login has left", () => {
  it.effect("is named after a while, and nothing is lost", () =>
    Effect.gen(function*() {
      const folder = fs.mkdtempSync(join(tmpdir(), "pulumi-vps-locked-"))
      const file = join(folder, "config.json")
      const contexts = { current: "a", contexts: { a: { base_url: "https://host.test/api/v1", api_key: "key-1" } } }
      const text = JSON.stringify(contexts)
      fs.writeFileSync(file, text, { mode: 0o600 })
      fs.writeFileSync(`${file}.lock`, "")
      const update = Effect.flip(updateContexts(file, () => ({ current: null, contexts: {} })))
      const waiting = yield* Effect.forkChild(update)
      yield* TestClock.adjust(LOCK_WAIT_MILLIS)
      const { hint, message } = yield* Fiber.join(waiting)
      assert.include(message, `Another process is changing ${file}.`)
      assert.strictEqual(hint, `If none is, delete the file ${file}.lock`)
      assert.strictEqual(fs.readFileSync(file, "utf8"), text)
      assert.deepStrictEqual(fs.readdirSync(folder).toSorted(), ["config.json", "config.json.lock"])
      fs.rmSync(folder, { recursive: true })
    }))
})
