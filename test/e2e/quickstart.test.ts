/** `npm run quickstart` works without Pulumi, and leaves nothing behind. */
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "vitest"
import { ROOT } from "../support/consumer.ts"
import { assertLike } from "../support/like.ts"
import { quickstartFolder } from "../support/quickstart.ts"

describe("npm run quickstart", () => {
  const { bin, run } = quickstartFolder()

  it("without a pulumi command, runs the automation script", async () => {
    const ran = await run("script", bin())
    assertLike(ran, { code: 0, serves: false, left: [] })
    assert.match(ran.text, /^The pulumi command is not available: .*\. Running the automation script instead\.$/m)
    assert.include(ran.text, "nothing charged")
    assert.match(
      ran.text,
      /^ +The panel signs you in as the customer, once: http:\/\/localhost:\d+\/panel\/sign-in#\S+$/m
    )
    assert.lengthOf(ran.text.match(/has one purchase: 4\.99 EUR\. The wallet balance is 995\.01 EUR\./g)!, 2)
  })

  it("--real says what is missing, and starts nothing", () => {
    const nobody = process.getuid?.() === 0 ? { uid: 65_534 } : {}
    const env = { PATH: bin(), NO_COLOR: "1" }
    const real = spawnSync(process.execPath, ["examples/quickstart/run.ts", "--real"], {
      cwd: ROOT,
      env,
      encoding: "utf8",
      ...nobody
    })
    assert.strictEqual(
      real.stderr.trim(),
      "--real needs root. Install the packages that .ci/run names and run it as root, or leave --real out: instances "
        + "are then simulated."
    )
    assert.deepStrictEqual([real.status, real.stdout], [1, ""])
  })

  it("stops all its processes when interrupted", async () => {
    const ran = await run("interrupted", bin(), (line, child) => {
      if (line.startsWith("2/3")) child.kill("SIGINT")
    })
    assertLike(ran, { code: 130, serves: false, left: [] })
    assert.include(ran.text, "Interrupted (SIGINT). Stopping all processes.")
  })
})
