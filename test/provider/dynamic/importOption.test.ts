/** The option `import`, which Pulumi's engine cannot execute for a dynamic provider. */
import { assert, describe, it } from "vitest"
import { Instance, Snapshot } from "#provider/dynamic/Resources"

describe("the option import", () => {
  it("is refused before anything is registered, with the input to use instead", () => {
    assert.throws(
      () => new Instance("web", { serviceId: 1 }, { import: "7" }),
      /^web: the option import does not work with Instance of pulumi-vps\/provider.* set adoptInstanceId: 7 .*\/pulumi/
    )
    assert.throws(
      () => new Snapshot("first", { instanceId: 7, name: "first" }, { import: "7/1" }),
      /^first: the option import does not work with Snapshot .* Remove it\. Or use Snapshot of pulumi-vps\/pulumi/
    )
  })
})
