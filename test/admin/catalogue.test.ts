/** A catalogue is imported whole or not at all, and what is wrong with it is said by name. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { applyDocument, exportCatalogue, importCatalogue } from "#service/admin/catalogue/CatalogueImport"
import type { CatalogueDocument } from "#service/contract/operator/Catalogue"
import { SEED_CATALOGUE } from "#service/emulator/Seed"
import { PlacesMachines } from "#service/catalogue/Capacity"
import * as PlanSizes from "#service/catalogue/Plans"
import { osOptions, plansForSale } from "#service/catalogue/Plans"
import { listIsos } from "#service/operations/Isos"
import { reinstall } from "#service/operations/Reinstall"
import { placeOrder } from "#service/orders/PlaceOrder"
import { Transaction } from "#service/persistence/Transaction"
import { WorkerNotifier } from "#service/runtime/WorkerNotifier"
import { operationTime, running } from "../support/instances.ts"
import { buy, coreLayer, deployTime, owner, serviceLayer, show } from "../support/service.ts"

const image = SEED_CATALOGUE.images![0]!
const plan = SEED_CATALOGUE.plans![0]!

/** All that an import adds to a plan that has no more. */
const PLAIN = { billing_cycle: "monthly" as const, is_active: true, out_of_stock: false, auto_deploy: true }

const REVERSED: CatalogueDocument = {
  data_centers: SEED_CATALOGUE.data_centers!.toReversed(),
  images: SEED_CATALOGUE.images!.toReversed(),
  plans: SEED_CATALOGUE.plans!.toReversed(),
  isos: SEED_CATALOGUE.isos!.toReversed()
}

const ids = (entries: ReadonlyArray<{ readonly id: number }>) => entries.map(({ id }) => id)

const system = (id: number) => Effect.map(show(id), ({ provider_data: data }) => JSON.parse(data!).os as string)

/** An order in the transaction of an import: SQLite reads the tables then, which it has cached otherwise. */
const orderAfter = Effect.fnUntraced(function*(document: CatalogueDocument, service_id: number, os: string | null) {
  const body = { service_id, os }
  const order = Effect.andThen(applyDocument(document), placeOrder({ caller: owner, body, key: undefined }))
  const { instance: { id } } = yield* (yield* Transaction).run(order)
  yield* (yield* WorkerNotifier).notify
  yield* deployTime
  return yield* system(id)
})

const problemOf = <R>(call: Effect.Effect<unknown, { readonly _tag: string; readonly problem?: string }, R>) =>
  Effect.map(Effect.flip(call), ({ _tag, problem = _tag }) => problem)

const bring = (document: CatalogueDocument, dry_run = false) => importCatalogue({ document, dry_run })

describe("catalogue import", () => {
  it.effect("the seed is a document: importing it again changes nothing", () =>
    Effect.gen(function*() {
      const before = yield* exportCatalogue
      const changes = yield* bring(SEED_CATALOGUE)
      assert.lengthOf(changes, 17)
      assert.isTrue(changes.every(({ change }) => change === "unchanged"))
      assert.deepStrictEqual(yield* exportCatalogue, before)
    }).pipe(Effect.provide(coreLayer())))

  it.effect("everything is listed by id, although the first was written last", () =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      yield* bring(REVERSED)
      const { data_centers, images, isos, plans } = yield* exportCatalogue
      assert.deepStrictEqual(ids(data_centers), [1, 2])
      assert.deepStrictEqual(images.map(({ os_id }) => os_id), [1, 2, 3, 4, 5, 6])
      assert.deepStrictEqual(images.map(({ data_centers: [first] }) => first), Array(6).fill("Frankfurt"))
      assert.deepStrictEqual(ids(plans), [1, 2, 3, 4, 5, 6, 7])
      assert.deepStrictEqual(ids(isos), [1, 2])
      assert.deepStrictEqual(ids(yield* plansForSale(owner)), [1, 2, 3, 4, 5])
      assert.deepStrictEqual((yield* osOptions(owner, 4)).os_options.map(({ os_id }) => os_id), [1, 2, 3, 4, 5])
      assert.deepStrictEqual(ids(yield* listIsos(owner, id)), [1, 2])
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is exported as it was imported, with each field and each switch", () =>
    Effect.gen(function*() {
      const added = {
        data_centers: [{ id: 3, label: "Åbo" }],
        images: [{
          os_id: 9,
          slug: "nix",
          label: "NixOS",
          version: "25",
          family: "linux" as const,
          icon: "nix",
          data_centers: ["Helsinki", "Åbo"],
          default_in: ["Åbo"]
        }],
        plans: [
          { ...plan, ...PLAIN, id: 8, slug: "a", description: "ø", data_center: "Åbo", out_of_stock: true },
          { ...plan, ...PLAIN, id: 9, slug: "b", is_active: false, specs: null },
          { ...plan, ...PLAIN, id: 10, slug: "c", auto_deploy: false }
        ],
        isos: [{ id: 3, name: "large", file_name: "large.iso", size_bytes: 5_000_000_000 }]
      }
      yield* bring(added)
      const exported = yield* exportCatalogue
      assert.deepStrictEqual(exported.data_centers.slice(2), added.data_centers)
      assert.deepStrictEqual(exported.images.slice(6), added.images)
      assert.deepStrictEqual(exported.plans.slice(7), added.plans)
      assert.deepStrictEqual(exported.isos.slice(2), added.isos)
    }).pipe(Effect.provide(coreLayer())))

  it.effect("a plan that is imported again is the one that was sold: it keeps its time of creation", () =>
    Effect.gen(function*() {
      const first = yield* buy()
      yield* TestClock.adjust("1 day")
      yield* bring({ plans: [plan] })
      const { id } = yield* buy()
      assert.deepStrictEqual((yield* show(id)).order.service, first.order.service)
    }).pipe(Effect.provide(coreLayer())))

  it.effect("replaces an entry by its id and leaves the others as they are", () =>
    Effect.gen(function*() {
      const before = yield* exportCatalogue
      const changed = { ...plan, price: 5.49, is_active: false, description: null }
      assert.deepStrictEqual(yield* bring({ plans: [changed, { ...plan, id: 8, slug: "vps-new" }] }), [
        { part: "plan", id: 1, name: "vps-s", change: "changed" },
        { part: "plan", id: 8, name: "vps-new", change: "added" }
      ])
      const after = yield* exportCatalogue
      assert.deepInclude(after.plans[0]!, { slug: "vps-s", price: 5.49, is_active: false, description: null })
      assert.deepStrictEqual(after.plans.slice(1, 7), before.plans.slice(1))
      assert.deepStrictEqual(after.images, before.images)
    }).pipe(Effect.provide(coreLayer())))

  it.effect("renames a data center, whose images and plans follow", () =>
    Effect.gen(function*() {
      const [label, other] = ["Frankfurt am Main", "Helsinki"]
      const renamed = { ...image, data_centers: [other, label], default_in: [label, other] }
      assert.deepStrictEqual(yield* bring({ data_centers: [{ id: 1, label }], images: [renamed] }), [
        { part: "data_center", id: 1, name: label, change: "changed" },
        { part: "image", id: 1, name: "debian-12", change: "unchanged" }
      ])
      const { images, plans } = yield* exportCatalogue
      assert.deepStrictEqual(images[0]!.data_centers, [label, other])
      assert.strictEqual((yield* osOptions(owner, 1)).location_label, label)
      assert.strictEqual(plans[0]!.data_center, label)
      const stale = yield* Effect.flip(bring({ plans: [plan] }))
      assert.include(stale.message, "unknown data center \"Frankfurt\"")
    }).pipe(Effect.provide(coreLayer())))

  it.effect("moves the default from one image to another, at once", () =>
    Effect.gen(function*() {
      const other = { ...SEED_CATALOGUE.images![1]!, default_in: ["Frankfurt"] }
      const moved = { images: [{ ...image, default_in: ["Helsinki"] }, other] }
      assert.strictEqual(yield* orderAfter(moved, 1, null), "debian-13")
      assert.strictEqual(yield* orderAfter(moved, 4, null), "debian-12")
      assert.strictEqual(yield* orderAfter({}, 1, null), "debian-13")
      assert.strictEqual(yield* orderAfter({}, 4, null), "debian-12")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("a create and a reinstall install the images of the plan's data center, and no others", () =>
    Effect.gen(function*() {
      const id = yield* running(4)
      const available = /available: debian-12, debian-13, ubuntu-24.04, alma-9, freebsd-14$/
      for (const document of [{ images: [image] }, {}]) {
        assert.strictEqual(yield* orderAfter(document, 4, "alma-9"), "alma-9")
        for (const os of ["windows-2022", "plan9"]) {
          assert.match(yield* problemOf(orderAfter(document, 4, os)), available)
        }
      }
      for (const os of ["windows-2022", "plan9"]) {
        assert.match(yield* problemOf(reinstall(owner, id, { os })), available)
      }
      yield* reinstall(owner, id, { os: "alma-9" })
      yield* operationTime
      assert.strictEqual(yield* system(id), "alma-9")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("a dry run returns the same and writes nothing", () =>
    Effect.gen(function*() {
      const before = yield* exportCatalogue
      const [change] = yield* bring({ plans: [{ ...plan, price: 1 }] }, true)
      assert.strictEqual(change!.change, "changed")
      assert.deepStrictEqual(yield* exportCatalogue, before)
    }).pipe(Effect.provide(coreLayer())))

  const wrong: ReadonlyArray<[what: string, document: CatalogueDocument, message: RegExp]> = [
    [
      "an unknown data center",
      { plans: [{ ...plan, id: 9, slug: "p", data_center: "Paris" }] },
      /unknown data center "Paris"/
    ],
    ["an id that stands there twice", { plans: [plan, { ...plan, slug: "x" }] }, /plans: id 1 is not unique/],
    ["a slug that is taken", { plans: [{ ...plan, id: 9 }] }, /plans: slug vps-s is not unique/],
    [
      "an image that becomes another",
      { images: [{ ...image, slug: "arch" }] },
      /os_id 1 is debian-12.*new os_id/
    ],
    [
      "a plan that moves",
      { plans: [{ ...plan, data_center: "Helsinki" }] },
      /vps-s: data_center, category and currency/
    ],
    [
      "a plan in another currency",
      { plans: [{ ...plan, currency: "USD" }] },
      /vps-s: data_center, category and currency/
    ],
    ["two defaults", {
      images: [{ ...SEED_CATALOGUE.images![1]!, default_in: ["Frankfurt"] }]
    }, /the default in Frankfurt is not unique/],
    ["no default", { images: [{ ...image, default_in: [] }] }, /Frankfurt has plans for sale, but no image/],
    ["a default that is not offered", {
      images: [{ ...image, data_centers: ["Frankfurt"], default_in: ["Helsinki"] }]
    }, /default_in contains "Helsinki"/]
  ]
  it.effect.each(wrong)(
    "refuses %s, and imports nothing of the rest",
    ([, document, message]) =>
      Effect.gen(function*() {
        const before = yield* exportCatalogue
        const isos = [{ id: 9, name: "nine", file_name: "nine.iso", size_bytes: 9 }]
        const refused = yield* Effect.flip(bring({ isos, ...document }))
        assert.strictEqual(refused._tag, "CommandRejected")
        assert.match(refused.message, message)
        assert.deepStrictEqual(yield* exportCatalogue, before)
      }).pipe(Effect.provide(coreLayer()))
  )
})

describe("with instances on hosts, a plan for sale without a size", () => {
  const { specs: _, ...bare } = plan
  const half = { ...plan, id: 8, slug: "vps-half", specs: { vcpu: 2, ram: "4 GB" } }
  const withdrawn = { ...bare, id: 9, slug: "vps-withdrawn", is_active: false }
  const hosting = { ...bare, id: 10, slug: "web-small", category: "hosting" as const }

  it.effect("is rejected with its name and the field", () =>
    Effect.gen(function*() {
      const before = yield* exportCatalogue
      const { message } = yield* Effect.flip(bring({ plans: [bare, half, withdrawn, hosting] }))
      assert.deepStrictEqual(message.split("\n").map((line) => line.slice(0, line.indexOf(","))), [
        "plans: vps-s: specs.vcpu is missing",
        "plans: vps-s: specs.ram is missing",
        "plans: vps-s: specs.storage is missing",
        "plans: vps-half: specs.storage is missing"
      ])
      assert.match(message, /Expected a text like "40 GB NVMe"/)
      assert.deepStrictEqual(yield* exportCatalogue, before)
      assert.lengthOf(yield* bring({ plans: [withdrawn, hosting] }), 2)
    }).pipe(Effect.provideService(PlacesMachines, true), Effect.provide(coreLayer())))

  it.effect("is reported at the start if the catalogue has it already", () => {
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(String(message)))
    const start = Effect.scoped(Layer.build(PlanSizes.layer)).pipe(Effect.provide(Logger.layer([logger])))
    return Effect.gen(function*() {
      yield* bring({ plans: [half, withdrawn, hosting] })
      yield* start
      assert.deepStrictEqual(logged, [])
      yield* Effect.provideService(start, PlacesMachines, true)
      assert.deepStrictEqual(logged, [
        "Plan vps-half is not for sale: specs.storage is missing, which the size of its instances needs. Expected a "
        + "text like \"40 GB NVMe\" or \"2 x 1 TB NVMe\". Correct it with: vps-service admin catalogue import"
      ])
    }).pipe(Effect.provide(coreLayer()))
  })
})
