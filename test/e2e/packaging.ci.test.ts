/** The declarations of the published packages in the older compiler, with the settings that forgive least. */
import { rmSync } from "node:fs"
import { afterAll, assert, it } from "vitest"
import { makeConsumer } from "../support/consumer.ts"
import { compileErrors, writeUsersPrograms } from "../support/usersFolder.ts"

const folder = makeConsumer()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it("a user's folder is type-checked with TypeScript 6", () => {
  writeUsersPrograms(folder)
  assert.deepStrictEqual(compileErrors(folder, "typescript/lib/tsc.js", "--module nodenext"), [])
})
