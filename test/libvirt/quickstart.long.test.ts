/** `npm run quickstart -- --real`: the whole run on a real machine. */
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "vitest"
import { hasLanguageHost } from "../engine/PulumiCli.ts"
import { ROOT } from "../support/consumer.ts"
import { noHosts, reason } from "./Host.ts"
import { assertLike } from "../support/like.ts"

const hasHost = hasLanguageHost("nodejs")
const missing = hasHost ? reason : " (needs pulumi-language-nodejs)"

describe.skipIf(noHosts !== undefined || !hasHost)(`npm run quickstart -- --real${missing}`, () => {
  it("buys one real instance, changes nothing again, and stops it", { timeout: 300_000 }, () => {
    const ran = spawnSync(process.execPath, ["examples/quickstart/run.ts", "--real"], { cwd: ROOT, encoding: "utf8" })
    assertLike(ran, { status: 0 })
    assert.match(ran.stdout, /2 created[^]*has one purchase: 4\.99 EUR[^]*2 unchanged[^]*Instance 1 is stopped/)
  })
})
