/** Paths are known by their patterns, so that what is measured by route stays bounded. */
import { assert, describe, it } from "@effect/vitest"
import { openApiDocument } from "#contract/openapi/OpenApiDocument"
import { routeOf } from "#service/http/middleware/RouteTable"

describe("the route of a path", () => {
  it("exists for every operation of the contract, with the pattern of the OpenAPI document", () => {
    for (const [pattern, item] of Object.entries(openApiDocument().paths)) {
      const route = routeOf(pattern.replace(/\{\w+\}/g, "12"))
      assert.strictEqual(route?.pattern.replace(/\/$/, ""), pattern.replace(/\/$/, ""))
      assert.sameMembers(route!.methods, Object.keys(item).map((method) => method.toUpperCase()))
    }
  })
  it.each([
    ["/api/v1/instances/7?x=1", "/api/v1/instances/{instance_id}"],
    ["/api/v1/instances/abc", "/api/v1/instances/{instance_id}"],
    ["/api/v1/", "/api/v1"],
    ["/API/v1/instances", undefined],
    ["/api/v1//instances", undefined],
    ["/api/v1/instances/", undefined],
    ["/api/v1/instances;x", undefined],
    ["/livez#x", undefined],
    ["/api/v1/instances/7/nothing", undefined],
    ["/api/v1/instances/7/snapshots/3", "/api/v1/instances/{instance_id}/snapshots/{snap_id}"],
    ["/panel", "/panel"],
    ["/panel/instances/7", "/panel/*"],
    ["/panels", undefined],
    ["/", undefined],
    ["/wp-login.php", undefined]
  ])("%s is %s", (url, pattern) => {
    assert.strictEqual(routeOf(url)?.pattern, pattern)
  })
})
