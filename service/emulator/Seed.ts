/** What an emulator starts with: the same every time, with the same key. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { fromBody } from "../auth/ApiKeyToken.ts"
import { createKey } from "../auth/Keys.ts"
import { HOME_RATE } from "../domain/Vat.ts"
import { topUp } from "../ledger/Ledger.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { Coupons, type NewCoupon } from "../persistence/Coupons.ts"
import { Catalogue, type DataCentre, type Image, type Plan } from "../persistence/Catalogue.ts"
import { type Iso, Isos } from "../persistence/Isos.ts"

/** The seeded account's key: fixed and public, as it opens an emulator only. */
export const SEED_KEY = fromBody("Emulator".repeat(4))

export const SEED_ACCOUNT = 1

const EMAIL = "owner@example.test"
const CURRENCY = "EUR"

/** 1000.00 EUR. */
const WALLET = 100_000

/** In basis points. */
const TEN_PERCENT = 1_000

const FRANKFURT: DataCentre = { id: 1, label: "Frankfurt" }
const HELSINKI: DataCentre = { id: 2, label: "Helsinki" }

const specs = (vcpu: number, ram: string, storage: string, traffic: string): string =>
  JSON.stringify({ vcpu, ram, storage, traffic })

const plan = (
  id: number,
  slug: string,
  name: string,
  price: number,
  more: Partial<Plan> = {}
): Omit<Plan, "createdAt"> => ({
  id,
  slug,
  name,
  description: null,
  price,
  currency: CURRENCY,
  billingCycle: "monthly",
  category: "vps",
  specs: null,
  dataCentreId: FRANKFURT.id,
  isActive: true,
  outOfStock: false,
  autoDeploy: true,
  ...more
})

const MEDIUM = { description: "For a busy site", specs: specs(2, "4 GB", "80 GB NVMe", "20 TB") }

const PLANS = [
  plan(1, "vps-s", "VPS S", 499, {
    description: "For small services",
    specs: specs(1, "2 GB", "40 GB NVMe", "20 TB")
  }),
  plan(2, "vps-m", "VPS M", 999, MEDIUM),
  plan(3, "vps-l", "VPS L", 1999, {
    description: "For databases",
    specs: specs(4, "8 GB", "160 GB NVMe", "20 TB")
  }),
  plan(4, "vps-m-hel", "VPS M Helsinki", 949, { ...MEDIUM, dataCentreId: HELSINKI.id }),
  plan(5, "ded-1", "Dedicated 1", 5900, {
    category: "dedicated",
    description: "A machine of your own",
    specs: specs(16, "64 GB", "2 x 1 TB NVMe", "unlimited")
  }),
  plan(6, "vps-old", "VPS Old", 399, { isActive: false, specs: specs(1, "1 GB", "20 GB SSD", "10 TB") }),
  plan(7, "web-1", "Web 1", 299, { category: "hosting", description: "Web space" })
]

const image = (osId: number, slug: string, label: string, version: string, family: Image["family"]): Image => ({
  osId,
  slug,
  label,
  version,
  icon: null,
  family
})

const IMAGES = [
  image(1, "debian-12", "Debian", "12", "linux"),
  image(2, "debian-13", "Debian", "13", "linux"),
  image(3, "ubuntu-24.04", "Ubuntu", "24.04", "linux"),
  image(4, "alma-9", "AlmaLinux", "9", "linux"),
  image(5, "freebsd-14", "FreeBSD", "14", "bsd"),
  image(6, "windows-2022", "Windows Server", "2022", "windows")
]

const DEFAULT_IMAGE = "debian-12"

const isOffered = (dataCentre: DataCentre, { family }: Image): boolean =>
  family !== "windows" || dataCentre === FRANKFURT

const seedCatalogue = Effect.fnUntraced(function*(at: number) {
  const catalogue = yield* Catalogue
  yield* Effect.forEach(IMAGES, catalogue.addImage)
  for (const dataCentre of [FRANKFURT, HELSINKI]) {
    yield* catalogue.addDataCentre(dataCentre)
    const offered = IMAGES.filter((each) => isOffered(dataCentre, each))
    yield* Effect.forEach(
      offered,
      ({ osId, slug }) => catalogue.offerImage(dataCentre.id, osId, slug === DEFAULT_IMAGE)
    )
  }
  yield* Effect.forEach(PLANS, (each) => catalogue.addPlan({ ...each, createdAt: at }))
})

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

const ISOS: ReadonlyArray<Iso> = [
  { id: 1, name: "rescue", fileName: "rescue.iso", sizeBytes: 850 * 2 ** 20 },
  { id: 2, name: "debian-netinst", fileName: "debian-netinst.iso", sizeBytes: 650 * 2 ** 20 }
]

const seedIsos = Effect.flatMap(Isos, ({ add }) => Effect.forEach(ISOS, add, { discard: true }))

/** Runs in a transaction, on an empty database. */
export const seed = Effect.gen(function*() {
  const at = yield* Clock.currentTimeMillis
  yield* seedCatalogue(at)
  yield* seedIsos
  yield* seedCoupons(at)
  const vat = { treatment: "domestic", rate: HOME_RATE } as const
  const accountId = yield* (yield* Accounts).create({ email: EMAIL, currency: CURRENCY, vat, at })
  yield* topUp({ accountId, amount: WALLET, reference: "top_up:seed", at })
  yield* createKey({ accountId, name: "emulator", scopes: ["vps:create"], expiresAt: null, token: SEED_KEY, at })
})

/** Seeds a database that holds no account yet; runs in a transaction. */
export const seedIfEmpty = Effect.gen(function*() {
  const wallets = yield* (yield* Accounts).wallets
  if (wallets.length === 0) yield* seed
})
