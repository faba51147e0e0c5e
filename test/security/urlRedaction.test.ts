/** URLs are written down without what may be a secret. */
import { assert, describe, it } from "vitest"
import { openApiDocument } from "#contract/openapi/OpenApiDocument"
import { tokenOf } from "#service/auth/ApiKeyToken"
import { redactUrl, SAFE_PARAMETERS } from "#service/http/middleware/RequestContext"

const KEY = tokenOf("A".repeat(32))

describe("a URL that is written down", () => {
  it("shows the values of the contract's own parameters, and of no others", () => {
    const operations = Object.values(openApiDocument().paths).flatMap((item) => Object.values(item)) as ReadonlyArray<
      { readonly parameters: ReadonlyArray<{ readonly in: string; readonly name: string }> }
    >
    const named = operations.flatMap(({ parameters }) => parameters).filter((parameter) => parameter.in === "query")
    assert.sameMembers([...new Set(named.map(({ name }) => name))], SAFE_PARAMETERS)
  })

  it.each([
    ["/api/v1/instances/7/tasks?limit=1&offset=2", "/api/v1/instances/7/tasks?limit=1&offset=2"],
    ["/api/v1/whoami?token=abc&limit=1&xlimit=2", "/api/v1/whoami?token=REDACTED&limit=1&xlimit=REDACTED"],
    [`/api/v1/whoami/${KEY}`, "/api/v1/whoami/vps_live_REDACTED"],
    [`/api/v1/whoami?${KEY}&limit=${KEY}`, "/api/v1/whoami?vps_live_REDACTED&limit=vps_live_REDACTED"],
    ["/api/v1/whoami?%74oken=abc", "/api/v1/whoami?%74oken=REDACTED"]
  ])("%s is shown as %s", (url, shown) => assert.strictEqual(redactUrl(url), shown))
})
