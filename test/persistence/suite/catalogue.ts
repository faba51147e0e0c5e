/** The catalogue, read by row and as a whole. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Catalogue } from "#service/persistence/Catalogue"
import { Isos } from "#service/persistence/Isos"
import { editable, image, NOTHING, plan } from "../../support/catalogue.ts"
import { NOW, stock } from "./Fixtures.ts"
import { isRefused, type Rules, write } from "./Rules.ts"

const DEBIAN = { ...image(10, "debian-12"), version: "12", icon: "debian" }
const WINDOWS = { ...image(9, "windows"), family: "windows" as const }

/** Debian is the default of Frankfurt; Helsinki offers Windows alone, and has no default. */
const offered = Effect.gen(function*() {
  const catalogue = yield* editable
  yield* stock
  yield* catalogue.addImage(DEBIAN)
  yield* catalogue.addImage(WINDOWS)
  yield* catalogue.offerImage(1, 10, true)
  yield* catalogue.offerImage(1, 9, false)
  yield* catalogue.offerImage(2, 9, false)
  return catalogue
})

/** The next turn of the event loop. */
const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

const ISO = { id: 3, name: "rescue", fileName: "rescue.iso", sizeBytes: 5_000_000_000 }

export const catalogue: Rules = {
  "a plan is read as it was added, its switches too": Effect.gen(function*() {
    const catalogue = yield* editable
    yield* stock
    const odd = plan(7, { description: "ø", specs: null, isActive: false, outOfStock: true, autoDeploy: false })
    yield* catalogue.addPlan({ ...odd, createdAt: NOW })
    assert.deepStrictEqual(yield* catalogue.plan(7), { ...odd, createdAt: NOW })
    assert.deepStrictEqual(yield* catalogue.plan(1), plan(1))
    assert.isUndefined(yield* catalogue.plan(8))
    assert.isTrue(yield* isRefused(catalogue.addPlan(plan(9, { dataCenterId: 3 }))), "a data center that is not there")
  }),

  "for sale is what is active, in stock and can be ordered, by id": Effect.gen(function*() {
    const catalogue = yield* editable
    yield* stock
    yield* catalogue.addPlan(plan(5, { category: "dedicated" }))
    yield* catalogue.addPlan(plan(4, { category: "hosting" }))
    yield* catalogue.addPlan(plan(3, { isActive: false }))
    yield* catalogue.addPlan(plan(6, { outOfStock: true }))
    // Written last, and listed first all the same.
    yield* write(Effect.flatMap(Catalogue, ({ upsert }) => upsert({ ...NOTHING, plans: [plan(1)] })))
    assert.deepStrictEqual((yield* catalogue.forSale).map(({ id }) => id), [1, 2, 5])
  }),

  "a data center offers its images, by os_id, and one of them by default": Effect.gen(function*() {
    const catalogue = yield* offered
    assert.deepStrictEqual(yield* catalogue.images(1), [WINDOWS, DEBIAN])
    assert.deepStrictEqual(yield* catalogue.image(1, "debian-12"), DEBIAN)
    assert.deepStrictEqual(yield* catalogue.imageOf(1, null), DEBIAN)
    assert.isUndefined(yield* catalogue.image(2, "debian-12"))
    assert.isUndefined(yield* catalogue.imageOf(2, null))
    assert.deepStrictEqual(yield* catalogue.imageOf(1, "windows"), WINDOWS)
    assert.isUndefined(yield* catalogue.imageOf(2, "debian-12"))
    assert.isUndefined(yield* catalogue.imageOf(8, null), "a plan that is not there")
    assert.deepStrictEqual(yield* catalogue.dataCenter(2), { id: 2, label: "Helsinki" })
    assert.isUndefined(yield* catalogue.dataCenter(3))
    assert.isTrue(yield* isRefused(catalogue.offerImage(2, 9, false)), "offered twice")
  }),

  "look-ups answer the same when SQLite has had the time to keep them": Effect.gen(function*() {
    const catalogue = yield* offered
    const look = Effect.all([
      ...[1, 2, 3].map((id) => catalogue.plan(id)),
      ...[1, 2, 3].flatMap((
        id
      ) => [catalogue.imageOf(id, null), catalogue.imageOf(id, "windows"), catalogue.image(id, "windows")]),
      catalogue.image(2, "debian-12")
    ])
    const asked = yield* look
    yield* turn
    assert.deepStrictEqual(yield* look, asked)
    yield* catalogue.addPlan(plan(3))
    assert.deepStrictEqual((yield* look)[2], plan(3))
    yield* turn
    assert.deepStrictEqual((yield* look)[2], plan(3))
  }),

  "a data center has one default": Effect.gen(function*() {
    const catalogue = yield* offered
    yield* catalogue.addImage(image(11, "alma-9"))
    assert.isTrue(yield* isRefused(catalogue.offerImage(1, 11, true)))
  }),

  "look-ups see a change at once, and not what was undone": Effect.gen(function*() {
    const catalogue = yield* offered
    assert.isTrue(yield* isRefused(write(Effect.andThen(catalogue.addPlan(plan(8)), Effect.fail("refused")))))
    assert.isUndefined(yield* catalogue.plan(8))
    const inside = yield* write(Effect.andThen(catalogue.addPlan(plan(8)), catalogue.plan(8)))
    assert.deepStrictEqual(inside, plan(8))
    assert.deepStrictEqual(yield* catalogue.plan(8), plan(8))
  }),

  "ISOs are listed by id": Effect.gen(function*() {
    const isos = yield* Isos
    const { addIso } = yield* editable
    yield* addIso(ISO)
    yield* addIso({ ...ISO, id: 2, fileName: "other.iso" })
    assert.deepStrictEqual((yield* isos.list).map(({ id }) => id), [2, 3])
    assert.deepStrictEqual(yield* isos.find(3), ISO)
    assert.isUndefined(yield* isos.find(1))
  })
}

export const book: Rules = {
  "the whole catalogue is read by id": Effect.gen(function*() {
    yield* offered
    const { addIso, read, upsert } = yield* editable
    yield* addIso(ISO)
    yield* addIso({ ...ISO, id: 4, fileName: "other.iso" })
    yield* write(upsert({ ...NOTHING, dataCenters: [{ id: 1, label: "Frankfurt" }], plans: [plan(1)], isos: [ISO] }))
    const whole = yield* read
    assert.deepStrictEqual(whole, {
      dataCenters: [{ id: 1, label: "Frankfurt" }, { id: 2, label: "Helsinki" }],
      images: [WINDOWS, DEBIAN],
      offers: [
        { dataCenterId: 1, osId: 9, isDefault: false },
        { dataCenterId: 2, osId: 9, isDefault: false },
        { dataCenterId: 1, osId: 10, isDefault: true }
      ],
      plans: [plan(1), plan(2, { price: 1_999, dataCenterId: 2 })],
      isos: [ISO, { ...ISO, id: 4, fileName: "other.iso" }]
    })
  }),

  "a plan that is upserted again keeps its time of creation, and no other row is touched": Effect.gen(function*() {
    yield* offered
    const { upsert, read } = yield* Catalogue
    const changed = plan(1, { name: "New", price: 5, outOfStock: true, createdAt: NOW })
    yield* write(
      upsert({ ...NOTHING, plans: [changed, plan(3)], isos: [ISO], dataCenters: [{ id: 2, label: "Turku" }] })
    )
    yield* write(upsert({ ...NOTHING, isos: [{ ...ISO, name: "renamed" }] }))
    const after = yield* read
    assert.deepStrictEqual(after.plans[0], { ...changed, createdAt: 0 })
    assert.deepStrictEqual(after.plans.map(({ id }) => id), [1, 2, 3])
    assert.deepStrictEqual(after.isos, [{ ...ISO, name: "renamed" }])
    assert.deepStrictEqual(after.dataCenters.map(({ label }) => label), ["Frankfurt", "Turku"])
    assert.lengthOf(after.offers, 3)
  })
}
