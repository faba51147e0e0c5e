/** Runs every program of docs/sdk.md against the emulator. */
import { readFileSync, rmSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type RunningEmulator, startEmulator } from "#sdk/testing/index"
import { runNode } from "../support/command.ts"
import { ROOT } from "../support/consumer.ts"
import { homeWithKey } from "../support/sshKey.ts"
import { assertLike } from "../support/like.ts"

const guide = readFileSync(`${ROOT}docs/sdk.md`, "utf8")
const programs = [...guide.matchAll(/^## ([^\n]+)\n(?:(?!^## )[^])*?```ts\n([^]*?)```/gm)]
  .map(([, title = "", program = ""]) => ({ title, program }))

/** The output of each program, by the title of its section. */
const OUTPUT: Readonly<Record<string, RegExp>> = {
  "Buy an instance": /^instance \d+: ssh root@\d+\.\d+\.\d+\.\d+\n$/,
  "Make a purchase repeatable": /^Charges 4.99 EUR\n\d+ bought now\n$/,
  "Wait for a change": /^(\w+ \d+\n)+off\n$/,
  "Handle errors": /^$/,
  "Retries, timeouts and cancellation": /^\d+\n$/,
  "Bundlers and other runtimes": /^5\n$/,
  "Work on many instances": /^The wallet has [\d.]+ EUR\nweb-1 \d+\.\d+\.\d+\.\d+\nweb-2 \d+\.\d+\.\d+\.\d+\ntrue\n$/,
  "Read the activity feed": / provision succeeded\n$/,
  "Use Effect": /provision[^]*\n\d+\.\d+\.\d+\.\d+\n$/
}

describe("docs/sdk.md", () => {
  let emulator: RunningEmulator
  let id: number
  const home = homeWithKey()
  beforeAll(async () => {
    emulator = await startEmulator({ seed: { deploy: { mode: "instant" } } })
    id = (await emulator.client().instances.createAndWait({ service_id: 1 })).id
  })
  afterAll(async () => {
    await emulator.stop()
    rmSync(home, { recursive: true })
  })

  it("has a program in every section that this test knows", () => {
    assert.deepStrictEqual(programs.map(({ title }) => title), Object.keys(OUTPUT))
  })
  it.each(programs)("$title", async ({ program, title }) => {
    // The later sections continue with the first one's client.
    const prelude = /\bVps\b.*from "/.test(program)
      ? ""
      : `import { Vps } from "pulumi-vps"\nconst vps = new Vps()\nconst id = ${id}\n`
    const env = { HOME: home, VPS_API_KEY: emulator.apiKey, VPS_BASE_URL: emulator.url, NO_COLOR: "1" }
    const ran = await runNode(["--input-type=module-typescript", "--eval", prelude + program], { env })
    assertLike(ran, { code: 0, stderr: "" })
    assert.match(ran.stdout, OUTPUT[title]!)
  })
})
