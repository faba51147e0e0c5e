/** The rows of a catalogue that the database refuses, although no use case writes them. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { editable, image, plan } from "../../support/catalogue.ts"
import { stock } from "./Fixtures.ts"
import { isRefused, type Rules } from "./Rules.ts"

/** Debian is the default of Frankfurt. */
const offered = Effect.gen(function*() {
  const catalogue = yield* editable
  yield* stock
  yield* catalogue.addImage(image(10, "debian-12"))
  yield* catalogue.offerImage(1, 10, true)
  return catalogue
})

export const catalogueConstraints: Rules = {
  "a plan without its data center is refused": Effect.gen(function*() {
    const { addPlan } = yield* offered
    assert.isTrue(yield* isRefused(addPlan(plan(9, { dataCenterId: 3 }))))
    yield* addPlan(plan(9, { dataCenterId: 2 }))
  }),

  "an image is offered once in a data center": Effect.gen(function*() {
    const { offerImage } = yield* offered
    assert.isTrue(yield* isRefused(offerImage(1, 10, false)))
    yield* offerImage(2, 10, false)
  }),

  "a data center has one default": Effect.gen(function*() {
    const { addImage, offerImage } = yield* offered
    yield* addImage(image(11, "alma-9"))
    assert.isTrue(yield* isRefused(offerImage(1, 11, true)))
    yield* offerImage(1, 11, false)
  })
}
