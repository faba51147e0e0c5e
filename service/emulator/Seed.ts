/**
 * The initial data of an emulator: the same every time, with the same key, unless options change it. An owner of the
 * account and an operator may sign in to its panel.
 */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import * as Effect from "effect/Effect"
import * as Clock from "effect/Clock"
import { queryWord } from "@pulumi-vps/contract/Primitives"
import { CatalogueDocument, type ImageEntry, type PlanEntry } from "../contract/operator/Catalogue.ts"
import { Currency, Percent, Price, Time } from "../contract/Fields.ts"
import { DeployBody } from "../contract/Emulator.ts"
import { type Role, TREATMENTS } from "../contract/Words.ts"
import { linkTo, makeLink, newToken, signInTime } from "../people/Links.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { People } from "../persistence/people/People.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { applyDocument } from "../admin/catalogue/CatalogueImport.ts"
import { hundredths, millisOf } from "../admin/Input.ts"
import { tokenOf } from "../auth/ApiKeyToken.ts"
import { createKey } from "../auth/Keys.ts"
import { type CustomerVat, HOME_RATE } from "../domain/Vat.ts"
import { topUp } from "../ledger/Ledger.ts"
import { Coupons, type NewCoupon } from "../persistence/Coupons.ts"
import { SimulatedMachines } from "../persistence/SimulatedMachines.ts"
import { Limits } from "../config/Limits.ts"
import { deployOf } from "./ClockControls.ts"
import { EmulatedClock } from "./EmulatedClock.ts"

export const SeedOptions = Schema.Struct({
  wallet: Schema.optionalKey(Price),
  currency: Schema.optionalKey(Currency),
  vat_treatment: Schema.optionalKey(queryWord(TREATMENTS)),
  vat_rate: Schema.optionalKey(Percent),
  // The largest part by far, and rarely used, so its parser is created on demand.
  catalogue: Schema.optionalKey(Schema.suspend((): typeof CatalogueDocument => CatalogueDocument)),
  deploy: Schema.optionalKey(DeployBody),
  clock: Schema.optionalKey(
    Schema.Struct({ now: Schema.optionalKey(Time), frozen: Schema.optionalKey(Schema.Boolean) })
  )
})
export type SeedOptions = typeof SeedOptions.Type

/** The options with which the emulator was started; a reset applies them again. */
export const SeedOverrides = Context.Reference<SeedOptions>("@pulumi-vps/service/SeedOverrides", {
  defaultValue: () => ({})
})

const PEOPLE = {
  customer: { email: "owner@example.test", name: "Emulated customer" },
  operator: { email: "operator@example.test", name: "Emulated operator" }
} as const

const ensure = Effect.fnUntraced(function*(role: Role) {
  const people = yield* People
  const { email, name } = PEOPLE[role]
  const existing = yield* people.findByEmail(email)
  return existing?.id
    ?? (yield* people.create({ email, name, role, handle: newToken(), createdAt: yield* signInTime }))
})

/** Adds those that are missing, in a transaction of the caller; returns their ids. */
const ensurePeople = Effect.fnUntraced(function*(accountId: number) {
  const [customer, operator] = [yield* ensure("customer"), yield* ensure("operator")]
  const account = yield* (yield* Accounts).find(accountId)
  if (account !== undefined) yield* (yield* People).join(customer, accountId, yield* signInTime)
  return { customer, operator }
})

/** Links that sign each of them in once. */
export const makeLinks = Effect.fnUntraced(function*(accountId: number, origin: string) {
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    const { customer, operator } = yield* ensurePeople(accountId)
    return {
      customer: linkTo(origin, (yield* makeLink(customer)).token),
      operator: linkTo(origin, (yield* makeLink(operator)).token)
    }
  }))
})

/** The seeded account's key: fixed and public, as it opens an emulator only. */
export const SEED_KEY = tokenOf("Emulator".repeat(4))

export const SEED_ACCOUNT = 1

const EMAIL = "owner@example.test"
const CURRENCY = "EUR"

/** 1000.00 EUR. */
const WALLET = 100_000

/** In basis points. */
const TEN_PERCENT = 1_000

const FRANKFURT = "Frankfurt"
const HELSINKI = "Helsinki"

const plan = (
  id: number,
  slug: string,
  name: string,
  price: number,
  more: Partial<PlanEntry> = {}
): PlanEntry => ({ id, slug, name, price, currency: CURRENCY, category: "vps", data_center: FRANKFURT, ...more })

const MEDIUM = {
  description: "For a busy site",
  specs: { vcpu: 2, ram: "4 GB", storage: "80 GB NVMe", traffic: "20 TB" }
}

const PLANS = [
  plan(1, "vps-s", "VPS S", 4.99, {
    description: "For small services",
    specs: { vcpu: 1, ram: "2 GB", storage: "40 GB NVMe", traffic: "20 TB" }
  }),
  plan(2, "vps-m", "VPS M", 9.99, MEDIUM),
  plan(3, "vps-l", "VPS L", 19.99, {
    description: "For databases",
    specs: { vcpu: 4, ram: "8 GB", storage: "160 GB NVMe", traffic: "20 TB" }
  }),
  plan(4, "vps-m-hel", "VPS M Helsinki", 9.49, { ...MEDIUM, data_center: HELSINKI }),
  plan(5, "ded-1", "Dedicated 1", 59, {
    category: "dedicated",
    description: "A machine of your own",
    specs: { vcpu: 16, ram: "64 GB", storage: "2 x 1 TB NVMe", traffic: "unlimited" }
  }),
  plan(6, "vps-old", "VPS Old", 3.99, {
    is_active: false,
    specs: { vcpu: 1, ram: "1 GB", storage: "20 GB SSD", traffic: "10 TB" }
  }),
  plan(7, "web-1", "Web 1", 2.99, { category: "hosting", description: "Web space" })
]

const image = (
  os_id: number,
  slug: string,
  label: string,
  version: string,
  family: ImageEntry["family"],
  more: Partial<ImageEntry> = {}
): ImageEntry => ({ os_id, slug, label, version, family, data_centers: [FRANKFURT, HELSINKI], ...more })

const IMAGES = [
  image(1, "debian-12", "Debian", "12", "linux", { default_in: [FRANKFURT, HELSINKI] }),
  image(2, "debian-13", "Debian", "13", "linux"),
  image(3, "ubuntu-24.04", "Ubuntu", "24.04", "linux"),
  image(4, "alma-9", "AlmaLinux", "9", "linux"),
  image(5, "freebsd-14", "FreeBSD", "14", "bsd"),
  image(6, "windows-2022", "Windows Server", "2022", "windows", { data_centers: [FRANKFURT] })
]

/** In the format of `vps-service admin catalogue import`. */
export const SEED_CATALOGUE: CatalogueDocument = {
  data_centers: [{ id: 1, label: FRANKFURT }, { id: 2, label: HELSINKI }],
  images: IMAGES,
  plans: PLANS,
  isos: [
    { id: 1, name: "rescue", file_name: "rescue.iso", size_bytes: 850 * 2 ** 20 },
    { id: 2, name: "debian-netinst", file_name: "debian-netinst.iso", size_bytes: 650 * 2 ** 20 }
  ]
}

const coupon = (code: string, more: Partial<NewCoupon>): Omit<NewCoupon, "at"> => ({
  code,
  kind: "percent",
  value: TEN_PERCENT,
  currency: null,
  validFrom: null,
  validUntil: null,
  maxUses: null,
  oncePerAccount: false,
  ...more
})

/** `EXPIRED` was valid until the moment of the seed. */
const seedCoupons = Effect.fnUntraced(function*(at: number) {
  const all = [
    coupon("WELCOME10", {}),
    coupon("MINUS5", { kind: "fixed", value: 500, currency: CURRENCY, oncePerAccount: true }),
    coupon("EXPIRED", { validUntil: at }),
    coupon("LIMITED", { maxUses: 3 })
  ]
  const coupons = yield* Coupons
  yield* Effect.forEach(all, (each) => coupons.add({ ...each, at }))
})

const seedAccount = Effect.fnUntraced(function*(at: number) {
  const { currency = CURRENCY, vat_rate: rate, vat_treatment: treatment = "domestic", wallet } = yield* SeedOverrides
  const vat: CustomerVat = { treatment, rate: rate === undefined ? HOME_RATE : hundredths(rate) }
  const accountId = yield* (yield* Accounts).create({ email: EMAIL, currency, vat, at })
  const amount = wallet === undefined ? WALLET : hundredths(wallet)
  yield* Effect.orDie(topUp({ accountId, amount, reference: "top_up:seed", at }))
  yield* createKey({ accountId, name: "emulator", scopes: ["vps:create"], expiresAt: null, token: SEED_KEY, at })
})

/** Runs in a transaction on an empty database. Fails with `CommandRejected` if the options' catalogue is invalid. */
export const seed = Effect.gen(function*() {
  const at = yield* Clock.currentTimeMillis
  const { catalogue, deploy } = yield* SeedOverrides
  // A test proves that it is valid.
  yield* Effect.orDie(applyDocument(SEED_CATALOGUE))
  if (catalogue !== undefined) yield* applyDocument(catalogue)
  yield* seedCoupons(at)
  yield* seedAccount(at)
  yield* ensurePeople(SEED_ACCOUNT)
  if (deploy !== undefined) yield* (yield* SimulatedMachines).setDeploy(deployOf(deploy, yield* Limits))
})

/** True when there is no data that a seed could conflict with. */
export const isEmpty = Effect.gen(function*() {
  return (yield* (yield* Accounts).wallets).length === 0
})

/** Clears the database, seeds it, and sets the clock to its initial time, all in one transaction. */
export const resetToSeed = Effect.fnUntraced(function*<R>(clear: Effect.Effect<void, never, R>) {
  const { clock } = yield* SeedOverrides
  const time = yield* EmulatedClock
  const { run } = yield* Transaction
  const now = millisOf(clock?.now)
  const initial = yield* time.initial({
    ...(now === null ? {} : { now }),
    ...(clock?.frozen === undefined ? {} : { frozen: clock.frozen })
  })
  // A clock without a configured time is not stored: it follows the system's.
  const set = clock === undefined ? Effect.void : time.store
  yield* time.at(initial, run(clear.pipe(Effect.andThen(seed), Effect.andThen(set))))
})

/** Seeds an empty database. Existing data stays. */
export const seedIfEmpty = Effect.flatMap(isEmpty, (empty) => empty ? resetToSeed(Effect.void) : Effect.void)
