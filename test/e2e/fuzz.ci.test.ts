/** A short run of `npm run fuzz`; the long ones are for people. Skipped, by this name, without Python or PyPI. */
import { assert, describe, it } from "vitest"
import { schemathesis, Unavailable } from "../programs/fuzz/Python.ts"
import { runNode } from "../support/command.ts"

/** The reason that the fuzzer is not available; undefined if it is. */
const missing = ((): string | undefined => {
  try {
    schemathesis()
    return undefined
  } catch (cause) {
    if (cause instanceof Unavailable) return cause.message
    throw cause
  }
})()

const { HOME = "", PATH = "" } = process.env

describe("schema fuzzing", () => {
  it.skipIf(missing !== undefined)(
    "finds no answer that the OpenAPI document does not describe (needs Python and PyPI)",
    async () => {
      const program = ["--conditions=pulumi-vps-source", "test/programs/fuzz/run.ts", "--cases", "10", "--seed", "1"]
      const { code, stderr, stdout } = await runNode(program, { env: { HOME, PATH } })
      assert.strictEqual(code, 0, `${stdout}${stderr}`)
      assert.match(stdout, /Tested: 30/)
      assert.match(stdout, /No issues found/)
    },
    300_000
  )

  it("says what is missing where there is no Python", () => {
    assert.throws(() => schemathesis("/nowhere/python3", "/nowhere"), Unavailable, "Python 3.10 or newer is needed")
  })
})
