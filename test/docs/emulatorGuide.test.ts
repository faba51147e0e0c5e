/** docs/emulator.md documents every control, and no other. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, it } from "vitest"
import { CONTROLS } from "#service/emulator/ControlRoutes"
import { SEED_KEY } from "#service/emulator/Seed"

const text = readFileSync(fileURLToPath(new URL("../../docs/emulator.md", import.meta.url)), "utf8")

it("documents every control with its methods", () => {
  const cells = text.split("\n").filter((line) => line.startsWith("| `")).map((line) => line.split("|")[1]!)
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z]+ [^`]+)`/g)].map(([, control]) => control!))
  const there = Object.entries(CONTROLS).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`)
  )
  assert.deepStrictEqual(named.toSorted(), there.toSorted())
})

it("names the key of every emulator", () => assert.include(text, `\`${SEED_KEY}\``))
