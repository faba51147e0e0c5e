/** The steps that a new installation lacks, one by one, and none for an installation that has everything. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CATALOGUE_USE_CASES } from "#service/admin/catalogue/CatalogueImport"
import { ACCOUNTS_USE_CASES } from "#service/admin/commands/Accounts"
import { setup } from "#service/admin/Setup"
import { PlacesMachines } from "#service/catalogue/Capacity"
import { Config, type Values } from "#service/config/Config"
import { Payment } from "#service/config/Payment"
import type { InputOf } from "#service/contract/operator/Commands"
import { postTest } from "#service/mail/TestMails"
import { Mails } from "#service/persistence/Mails"
import { Transaction } from "#service/persistence/Transaction"
import { WorkerNotifier } from "#service/runtime/WorkerNotifier"
import { execute } from "../support/database.ts"
import { persistenceLayer } from "../support/service.ts"

const SMTP = "smtp://user:word@mail.example.test:587"
const TO = "op@example.test"

/** Only the settings that the steps read. */
const settings = (given: Partial<Values> = {}) =>
  ({ emulator: false, smtpUrl: SMTP, mailFrom: "noreply@example.test", ...given }) as Values

const having = <A, E, R>(effect: Effect.Effect<A, E, R>, given: Partial<Values> = {}) =>
  Effect.provideService(effect, Config, settings(given))

const missing = Effect.map(setup, (found) => found?.steps.filter(({ done }) => !done).map(({ step }) => step) ?? null)

const catalogue = (document: InputOf<"catalogue.import">["document"]) =>
  CATALOGUE_USE_CASES["catalogue.import"]({ document, dry_run: false })

const CENTER = { data_centers: [{ id: 1, label: "Helsinki" }] }
const IMAGE = {
  images: [{
    os_id: 1,
    slug: "debian-13",
    label: "Debian",
    version: "13",
    family: "linux" as const,
    data_centers: ["Helsinki"],
    default_in: ["Helsinki"]
  }]
}
const PLAN = {
  plans: [{
    id: 1,
    slug: "s",
    name: "S",
    price: 5,
    currency: "EUR",
    category: "vps" as const,
    data_center: "Helsinki",
    specs: { cpu_cores: 1, memory_gb: 1, disk_gb: 10 }
  }]
}

const HOST =
  `INSERT INTO hosts (name, data_center_id, uri, pool, bridge, accelerator, cpus, memory_mib, disk_gib, state,
  created_at) VALUES ('alpha', 1, 'unix:/x', 'p', 'b', 'kvm', 8, 8192, 100, 'active', 0)`

const PAYMENT = { bank: "IBAN", reference: "{account}", page: null }

/** As the delivery does. */
const send = Effect.fnUntraced(function*(id: number, error?: string) {
  const mails = yield* Mails
  const now = yield* Clock.currentTimeMillis
  yield* (yield* Transaction).run(error === undefined ? mails.sent(id, now) : mails.fail(id, error))
})

const layer = Layer.merge(
  persistenceLayer,
  Layer.succeed(WorkerNotifier, { notify: Effect.void, commit: (work) => work })
)

describe("the steps of a new installation", () => {
  it.effect("vanish one by one, and all of them once nothing is missing", () =>
    having(Effect.gen(function*() {
      const all = ["data_center", "image", "plan", "host", "payment", "mail", "account"]
      const places = Effect.provideService(missing, PlacesMachines, true)
      assert.deepStrictEqual(yield* places, all)
      assert.deepStrictEqual(yield* missing, all.filter((step) => step !== "host"), "simulated instances need no host")
      yield* catalogue(CENTER)
      assert.deepStrictEqual(yield* places, all.slice(1))
      yield* catalogue(IMAGE)
      assert.deepStrictEqual(yield* places, all.slice(2))
      yield* catalogue({ plans: PLAN.plans.map((one) => ({ ...one, is_active: false })) })
      assert.deepStrictEqual(yield* places, all.slice(2), "nothing is for sale")
      yield* catalogue(PLAN)
      assert.deepStrictEqual(yield* places, all.slice(3))
      yield* execute(HOST)
      assert.deepStrictEqual(yield* places, all.slice(4))
      const paid = Effect.provideService(places, Payment, PAYMENT)
      assert.deepStrictEqual(yield* paid, all.slice(5))
      yield* send((yield* postTest(TO))!)
      assert.deepStrictEqual(yield* paid, all.slice(6))
      yield* ACCOUNTS_USE_CASES["accounts.create"]({ email: TO, currency: "EUR", vat_treatment: "domestic" })
      assert.isNull(yield* paid)
    })).pipe(Effect.provide(layer)))

  it.effect("of an emulator have neither payment details nor a mail server", () =>
    having(missing, { emulator: true, smtpUrl: "" }).pipe(
      Effect.map((steps) => assert.deepStrictEqual(steps, ["data_center", "image", "plan", "account"])),
      Effect.provide(layer)
    ))
})

describe("a try of the mail server", () => {
  const mail = Effect.map(setup, (found) => found!.mail)
  const isTried = Effect.map(missing, (steps) => !steps!.includes("mail"))

  it.effect("is shown with its outcome, and counts once one was sent", () =>
    having(Effect.gen(function*() {
      assert.deepInclude(yield* mail, { server: "mail.example.test:587", from: "noreply@example.test", last: null })
      const first = (yield* postTest(TO))!
      assert.deepInclude((yield* mail).last, { to: TO, state: "waiting", error: null })
      yield* send(first, "the mail server answered 550")
      assert.deepInclude((yield* mail).last, { state: "failed", error: "the mail server answered 550" })
      assert.isFalse(yield* isTried)
      yield* send((yield* postTest("other@example.test"))!)
      assert.deepInclude((yield* mail).last, { to: "other@example.test", state: "sent", error: null })
      assert.isTrue(yield* isTried)
    })).pipe(Effect.provide(layer)))

  it.effect("is remembered for ever, but not for another server or another sender", () =>
    Effect.gen(function*() {
      yield* having(Effect.flatMap(postTest(TO), (id) => send(id!)))
      yield* (yield* Transaction).run(
        Effect.flatMap(Mails, ({ deleteSent }) => deleteSent(Number.MAX_SAFE_INTEGER, 10))
      )
      assert.isTrue(yield* having(isTried))
      assert.isTrue(yield* having(isTried, { smtpUrl: SMTP.replace("word", "other") }), "another password")
      assert.isFalse(yield* having(isTried, { smtpUrl: SMTP.replace("mail.", "mx.") }))
      assert.isFalse(yield* having(isTried, { mailFrom: "other@example.test" }))
    }).pipe(Effect.provide(layer)))

  it.effect("is none without a mail server, which the step says", () =>
    having(
      Effect.gen(function*() {
        assert.isUndefined(yield* postTest(TO))
        assert.deepInclude(yield* mail, { server: null, last: null })
        assert.isFalse(yield* isTried)
      }),
      { smtpUrl: "" }
    ).pipe(Effect.provide(layer)))
})
