/** The texts of mails, as customers read them: host name, local date, amount, what to do, and where. */
import { assert, describe, it } from "vitest"
import { make } from "#service/config/Letterhead"
import { type Facts, TEXTS, withInstances, type Wording } from "#service/mail/MailTexts"
import { MAIL_KINDS, type MailKind } from "#service/contract/Words"
import { CUSTOMER_PATHS } from "../../.config/panelPaths.ts"

const HOST = make({ panelUrl: "https://vps.example.test/panel", timeZone: "Europe/Berlin" })

const WORDING: Wording = {
  dateOf: HOST.dateOf,
  howToPay: (missing, currency) => missing > 0 ? `\nTransfer ${missing / 100} ${currency}.\n` : ""
}

const at = Date.parse("2026-03-28T23:30:00.000Z")
const DAY = 86_400_000
const named = { instanceId: 1, hostname: "web.example.com" }
const money = { charge: 499, wallet: 200, currency: "EUR" }
const grace = { ...named, charge: 499, currency: "EUR", missing: 299, graceUntil: at, autoRenew: true }

const FACTS: Facts = {
  ordered: { ...named, ...money, planName: "VPS S", image: "Debian 13", renewal: { at, charge: 499 }, isHeld: false },
  payment_booked: {
    at,
    amount: 998,
    wallet: 0,
    currency: "EUR",
    renewed: [{ ...named, expiresAt: at }],
    notRenewed: [{ ...named, reason: "The wallet holds 0.00 EUR.", autoRenew: true, graceUntil: at }]
  },
  payment_taken_back: { at, amount: 499, wallet: -499, currency: "EUR", reason: "chargeback", until: at },
  corrected: { ...named, text: "A renewal was undone.", expiresAt: at },
  order_rejected: { ...named, planName: "VPS S", reason: "no address", refund: 499, currency: "EUR", at },
  price_announced: {
    planName: "VPS S",
    charge: 599,
    currency: "EUR",
    from: at,
    instances: [{ ...named, charge: 499, announced: 549 }, {
      instanceId: 2,
      hostname: null,
      charge: 499,
      announced: null
    }]
  },
  renewal_due: {
    due: [{ ...named, at, charge: 499, graceUntil: null }],
    wallet: 200,
    missing: 299,
    first: at,
    currency: "EUR",
    isLast: false
  },
  expired: grace,
  deletion_due: { ...grace, isLast: true },
  deleted: { ...named, byHost: false, at },
  suspended: { ...named, reason: "It sends spam.", isCharged: false, at },
  unsuspended: { ...named, at, expiresAt: at },
  deployment_failed: { ...named, refund: 499, currency: "EUR", at },
  announcement: {
    news: "planned",
    kind: "maintenance",
    title: "New switch",
    text: "Instances cannot be reached for some minutes.",
    startsAt: at,
    endsAt: at + DAY,
    instances: [named]
  }
}

const textOf = <K extends MailKind>(kind: K, facts: Partial<Facts[K]> = {}) =>
  TEXTS[kind]({ ...FACTS[kind], ...facts }, WORDING)

/** Of what costs data or money, by when something has to be done, and the amount. */
const DEADLINES: ReadonlyArray<readonly [MailKind, string]> = [
  ["renewal_due", "299"],
  ["expired", "299"],
  ["deletion_due", "299"],
  ["payment_taken_back", "499"]
]

describe("each mail", () => {
  it.each(MAIL_KINDS.filter((kind) => kind !== "payment_taken_back"))("of the kind %s names the instance", (kind) => {
    const { subject, text } = textOf(kind)
    assert.include(`${subject}\n${text}`, "web.example.com (instance 1)")
  })

  it.each(MAIL_KINDS)("of the kind %s has a date of the host's zone, and no other form of one", (kind) => {
    const { subject, text } = textOf(kind)
    assert.include(text, "March 29, 2026 at 00:30 GMT+1")
    assert.notMatch(`${subject}${text}`, /UTC|\d{4}-\d\d-\d\d|undefined|null|NaN/)
  })

  it.each(MAIL_KINDS)("of the kind %s leads to a page of the panel", (kind) => {
    const { page } = textOf(kind)
    assert.include(CUSTOMER_PATHS.map((path) => path.replace(/\/overview$/, "")), `/panel/${page}`)
    assert.strictEqual(HOST.pageOf(page), `https://vps.example.test/panel/${page}`)
  })

  it.each(DEADLINES)("of the kind %s has the way to pay, and until when", (kind, missing) => {
    const { text } = textOf(kind)
    assert.include(text, `Transfer ${Number(missing) / 100} EUR.`)
    assert.match(text, /before March 29, 2026 at 00:30 GMT\+1/)
  })

  it("names the zone with the difference that holds on the day", () => {
    const { text } = textOf("unsuspended", { expiresAt: at + DAY })
    assert.include(text, "paid until March 30, 2026 at 01:30 GMT+2")
  })

  it("has no link unless the panel has a public address", () => {
    assert.isUndefined(make({ panelUrl: "", timeZone: "UTC" }).pageOf("wallet"))
  })
})

describe("an instance whose renewal is off", () => {
  it("stays if that is turned on, which its mails say, with a link to it", () => {
    for (const kind of ["expired", "deletion_due"] as const) {
      const { page, text } = textOf(kind, { autoRenew: false })
      assert.include(text, "turn on its automatic renewal before March 29, 2026 at 00:30 GMT+1, with 4.99 EUR")
      assert.strictEqual(page, "instances/1")
    }
    assert.include(textOf("expired", { autoRenew: false }).text, "has ended, and its automatic renewal is off.")
    const notRenewed = [{ ...named, reason: "run: instances auto-renew 1 on", autoRenew: false, graceUntil: at }]
    const { text } = textOf("payment_booked", { renewed: [], notRenewed })
    assert.include(text, "web.example.com (instance 1) is still expired. Turn on its automatic renewal before March 29")
    assert.notInclude(text, "auto-renew", "a command of operators")
  })
})

describe("an announced price", () => {
  it("can be cut down to the instances that have it, and to none", () => {
    const { text } = textOf("price_announced")
    assert.strictEqual(withInstances(text, new Set([1, 2])), text)
    const second = withInstances(text, new Set([2, 12]))!
    assert.include(second, "  instance 2: now 4.99 EUR\n\nThat is charged for each period")
    assert.notInclude(second, "web.example.com")
    assert.isUndefined(withInstances(text, new Set([12])))
  })
})
