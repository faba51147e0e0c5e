/** The name of a host, which libvirt looks up at each start of a guest: without an answer, that takes seconds. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { checkName } from "#service/provisioning/drivers/libvirt/Checks"
import type { HostConnection } from "#service/provisioning/drivers/libvirt/HostConnection"
import { HOST } from "../../persistence/suite/hosts.ts"

const answered = Effect.fnUntraced(function*(millis: number) {
  const slow = () => Effect.as(Effect.sleep(millis), "alpha.internal")
  const check = checkName({ slow } as unknown as HostConnection, HOST)
  const fiber = yield* Effect.forkChild(check.pipe(Effect.catch(({ message }) => Effect.succeed(message))))
  yield* TestClock.adjust(millis)
  return yield* Fiber.join(fiber)
})

describe("the name of a host", () => {
  it.effect("is found at once, or the check says that it is not, and where to add it", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* answered(900), "alpha.internal")
      assert.match(
        yield* answered(8_000),
        /^Host alpha took 8000 ms to look its own name alpha\.internal up, .*\/etc\/hosts/
      )
    }))
})
