import { assert, it } from "vitest"
import { runScript } from "../../support/command.ts"

/** Megabytes for young objects in a process that does this first and then makes a lot of garbage, some long-lived. */
const youngSpace = async (first: string): Promise<number> => {
  const program = `
    import { getHeapSpaceStatistics } from "node:v8"
    ${first}
    let kept = []
    for (let index = 0; index < 2_000_000; index++) {
      kept.push({ index, text: String(index) })
      if (kept.length > 50_000) kept = []
    }
    const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")
    console.log(space_size / 2 ** 20)
    process.exit()`
  return Number(await runScript(program, { env: { VPS_BASE_URL: "http://127.0.0.1:9" } }))
}
/** MB: half of the size without the tuning. 8 to 16 are taken before it, by compiling TypeScript. */
const SMALL = 32
const RUNTIME = "import { instance } from \"#provider/runtime\""

it("the dynamic host's process holds little garbage once it serves resources", async () => {
  assert.isAtMost(
    await youngSpace(`${RUNTIME}
    instance.configure({ config: { get: () => undefined } })
    await instance.check({}, {})`),
    SMALL
  )
})
it("so does the plugin's", async () => {
  assert.isAtMost(await youngSpace("await import(\"#provider/plugin-host/main\")"), SMALL)
})
it("a program that only loads the runtime is left alone", async () => {
  assert.isAbove(await youngSpace(RUNTIME), SMALL)
})
