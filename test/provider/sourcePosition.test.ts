/** The place of a resource in the program, as the engine stores it. */
import { assert, describe, it } from "vitest"
import { positionIn } from "#provider/classes/VpsResource"

describe("the position in a frame of a stack", () => {
  it.each([
    ["    at main (/home/a/index.ts:3:9)", "file:///home/a/index.ts"],
    ["    at new Web (file:///home/a/index.js:3:9)", "file:///home/a/index.js"],
    ["    at /home/a/index.js:3:9", "file:///home/a/index.js"],
    ["    at async file:///home/a/index.js:3:9", "file:///home/a/index.js"],
    ["    at main (file:///home/a/index.js?run=1:3:9)", "file:///home/a/index.js"],
    ["    at main (/home/(group)/index.js:3:9)", "file:///home/(group)/index.js"],
    ["    at /home/(group)/index.js:3:9", "file:///home/(group)/index.js"]
  ])("%s", (frame, uri) => assert.deepStrictEqual(positionIn(frame), { uri, line: 3, column: 9 }))

  it.each(["    at node:internal/main:1:2", "    at main (node:vm:1:2)"])("of Node.js is none: %s", (frame) => {
    assert.isUndefined(positionIn(frame))
  })
})
