/** `npm run quickstart` with the real `pulumi`: preview, up twice, destroy. */
import { assert, describe, it } from "vitest"
import { hasLanguageHost } from "../engine/PulumiCli.ts"
import { assertLike } from "../support/like.ts"
import { quickstartFolder } from "../support/quickstart.ts"

describe("npm run quickstart", () => {
  const { run } = quickstartFolder()

  it.skipIf(!hasLanguageHost("nodejs"))(
    "runs preview, up, up again, and destroy (skipped without pulumi-language-nodejs)",
    async () => {
      const ran = await run("pulumi", process.env["PATH"] ?? "")
      assertLike(ran, { code: 0, serves: false, left: [] })
      assert.include(ran.text, "buying VPS S charges 4.99 EUR")
      assert.match(ran.text, /3 created[^]*has one purchase: 4\.99 EUR[^]*3 unchanged[^]*has one purchase: 4\.99 EUR/)
      assert.include(ran.text, "Instance 1 is stopped")
    }
  )
})
