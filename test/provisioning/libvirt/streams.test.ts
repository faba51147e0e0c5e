/** The flow of data that the daemon sends. */
import { assert, describe, it } from "vitest"
import { PassThrough } from "node:stream"
import { receiving } from "#service/provisioning/drivers/libvirt/rpc/Streams"

describe("a stream from the daemon", () => {
  it("ends although its last data filled the target, which does not say any more that it has space", async () => {
    const into = new PassThrough({ highWaterMark: 1 })
    let paused = false
    const flow = { pause: () => (paused = true), resume: () => (paused = false) }
    const ended = new Promise<Error | undefined>((resolve) => {
      const take = receiving(into, flow, resolve)
      take(Buffer.from("data"))
      assert.isTrue(paused)
      take(Buffer.alloc(0))
    })
    assert.strictEqual(Buffer.concat(await into.toArray()).toString(), "data")
    assert.isUndefined(await ended)
    assert.isFalse(paused)
  })
})
