/**
 * Half a year of a customer of the built service, with a real mail server and a browser: every mail in order with its
 * date and its amount, and what the panel, `vps account`, and the operator's first page say.
 */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { hasChromium } from "../support/browser.ts"
import { startWorld } from "../support/customerYear.ts"
import { isAvailable } from "../support/postgres.ts"

/** The next one: an emulator's clock only runs forward. Berlin's difference from UTC is the same on these days. */
const YEAR = new Date().getUTCFullYear() + 1
const WINTER = "GMT+1"
const SUMMER = "GMT+2"

/** A moment of the year in UTC. */
const at = (text: string): number => Date.parse(`${YEAR}-${text}:00Z`)

/**
 * After the moment of a purchase, so that its period has ended, and in the same minute: a grace period begins when the
 * service finds the end.
 */
const END_MILLIS = 50_000

/** Longest wait of a step, which starts some processes and a browser. */
const PATIENCE = 120_000

const BANK = "reference VPS-2 to:\n\n  Nordwind GmbH\n  IBAN DE02 1203 0000 0000 2020 51\n"

const payPage = (amount: string) => `https://pay.nordwind.test/?account=2&amount=${amount}&currency=EUR`

const CASES = [
  { on: "sqlite", title: "SQLite", isMissing: !hasChromium },
  { on: "postgres", title: "PostgreSQL", isMissing: !hasChromium || !isAvailable() }
] as const

/** The subject of a mail, and texts that it contains. */
type Expected = readonly [subject: string, ...texts: ReadonlyArray<string>]

for (const { isMissing, on, title } of CASES) {
  describe.skipIf(isMissing)(`the year of a customer on ${title} (needs Chromium, and PostgreSQL)`, () => {
    let world: Awaited<ReturnType<typeof startWorld>>
    let key: string
    let ada: number
    let operator: number
    beforeAll(async () => {
      world = await startWorld(on, at("01-08T09:00"))
    }, PATIENCE)
    afterAll(() => world?.end())

    /** All mails since the last call, in order. */
    const assertMails = async (...expected: ReadonlyArray<Expected>) => {
      const mails = await world.newMails()
      assert.deepStrictEqual(mails.map(({ subject }) => subject), expected.map(([subject]) => subject))
      for (const [index, [, ...texts]] of expected.entries()) {
        assert.strictEqual(mails[index]!.to, "ada@example.test")
        for (const text of texts) assert.include(mails[index]!.text, text)
      }
    }
    const assertAccount = async (...lines: ReadonlyArray<string>) => {
      const shown = (await world.vpsAccount(key)).replaceAll(/ +/g, " ")
      for (const line of lines) assert.include(shown, line)
      return shown
    }
    /** The texts of the list and of the wallet, which the banner begins, and of the operator's first page. */
    const assertPages = async (list: string, wallet: ReadonlyArray<string>, today: ReadonlyArray<string>) => {
      const own = await world.pages(ada, { list: "/instances", wallet: "/wallet" })
      assert.match(own.list, new RegExp(list.replaceAll(/[.()+€]/g, String.raw`\$&`).replaceAll(" … ", ".*")))
      for (const text of wallet) assert.include(own.wallet, text)
      const { first } = await world.pages(operator, { first: "/operator" })
      for (const text of today) assert.include(first, text)
      return own
    }
    const balance = async (): Promise<number> => (await world.admin("accounts", "show", "2")).wallet
    const pay = (amount: number, reference: string) =>
      world.admin("wallet", "top-up", "2", String(amount), "--reference", reference)
    const buy = async (hostname: string) => {
      const answer = await fetch(`${world.service.url}/instances`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ service_id: 1, hostname })
      })
      assert.strictEqual(answer.status, 201, await answer.text())
    }

    it("begins with an invitation, a payment, and an order", { timeout: PATIENCE }, async () => {
      operator = await world.join("host@example.test", "--role", "operator")
      await world.newMails()
      const account = await world.admin(
        "accounts",
        "create",
        "--email",
        "ada@example.test",
        "--vat-treatment",
        "domestic"
      )
      assert.strictEqual(account.id, 2)
      ada = await world.join("ada@example.test", "2")
      key = (await world.admin("keys", "create", "2", "--scope", "vps:create")).api_key
      await assertMails(["Invitation to the account ada@example.test", "invites you to work with the account"])
      await pay(15, "bank-1")
      await assertMails([
        "Your payment of 15.00 EUR is booked",
        `was booked on January 8, ${YEAR} at 10:00 ${WINTER}. Your wallet holds 15.00 EUR now.`,
        "/panel/wallet\n"
      ])
      // Its periods end half past, however long the steps before took.
      await world.to(at("01-08T09:30"))
      await buy("web.example.com")
      await assertMails([
        "Your order of VPS S: web.example.com (instance 1)",
        "4.99 EUR were charged to your wallet, which holds 10.01 EUR now.",
        `It is renewed on February 8, ${YEAR} at 10:30 ${WINTER} for 4.99 EUR`,
        "/panel/instances/1\n"
      ])
      await assertPages(
        `^Instances … web.example.com … Running … €4.99 monthly Feb 8, ${YEAR}`,
        ["€10.01 The wallet pays for everything that is due in the next 60 days."],
        ["Paid in, EUR €15.00 Charged -€4.99", "Active 1", "Wallet too low for 7 days 0"]
      )
      assert.notInclude(await assertAccount("Wallet 10.01 EUR\n"), "Missing")
    })

    it("returns the money for an order whose deployment fails", { timeout: PATIENCE }, async () => {
      await world.failing(() => buy("db.example.com"))
      await assertMails(["Your order of VPS S: db.example.com (instance 2)", "holds 5.02 EUR now"], [
        "The deployment of db.example.com (instance 2) failed",
        `could not be deployed on January 8, ${YEAR} at 10:3`,
        "4.99 EUR are back in your wallet."
      ])
      await assertPages(
        `db.example.com … Failed Order failed`,
        ["Refund of line 4, VPS S", "+€4.99 €10.01"],
        ["Failed today 1", "Refunded €4.99"]
      )
      assert.strictEqual(await balance(), 10.01)
    })

    it("renews without a mail while the wallet pays, and reminds 7, 3 and 1 days before it does not", {
      timeout: PATIENCE
    }, async () => {
      await world.to(at("02-08T10:00"))
      await world.to(at("03-08T10:00"))
      await assertMails()
      const end = `April 8, ${YEAR} at 11:30 ${SUMMER}`
      const reminder = `4.96 EUR are missing for your renewals, from ${end}`
      const texts = [
        `  web.example.com (instance 1): 4.99 EUR on ${end}\n`,
        `Your wallet holds 0.03 EUR, so 4.96 EUR are missing. Top it up before ${end}.`,
        payPage("4.96"),
        BANK,
        "/panel/wallet\n"
      ]
      await world.to(at("04-01T12:00"))
      await assertMails([reminder, ...texts])
      await assertPages(
        `^€4.96 are missing for your instances … does not pay for one instance, from Apr 8, ${YEAR}, 11:30 AM on. `
          + `… web.example.com … Running Not paid for`,
        [`The wallet lasts until Apr 8, ${YEAR}.`, "Pay €4.96 Transfer to Nordwind GmbH"],
        ["Wallet too low for 7 days 1", "Is powered off the wallet is too low"]
      )
      await assertAccount(`Missing 4.96 EUR until ${YEAR}-04-08 11:30 +02:00\n`, `Pay at ${payPage("4.96")}\n`)
      await world.to(at("04-05T12:00"))
      await assertMails([reminder, ...texts])
      await world.to(at("04-07T12:00"))
      await assertMails([`Last reminder: ${reminder}`, ...texts])
      assert.strictEqual(await balance(), 0.03)
    })

    it("expires unpaid, and returns with a payment", { timeout: PATIENCE }, async () => {
      await world.to(at("04-08T09:30") + END_MILLIS)
      const deletion = `April 15, ${YEAR} at 11:30 ${SUMMER}`
      await assertMails([
        `web.example.com (instance 1) has expired, and will be deleted on ${deletion}`,
        `top up your wallet until it holds 4.99 EUR, before ${deletion}.`,
        payPage("4.96"),
        BANK
      ])
      await assertPages(
        `is deleted with its data on Apr 15, ${YEAR}, 11:30 AM, unless you pay … Expired Not paid for … deleted then`,
        ["€4.96 are missing"],
        ["Wallet too low for 7 days 1", "Expired 1", "Is deleted it has expired"]
      )
      await assertAccount(`Deletion ${YEAR}-04-15 11:30 +02:00, unless it is paid before\n`)
      await pay(4.96, "bank-2")
      await assertMails([
        "Your payment of 4.96 EUR is booked",
        "Your wallet holds 0.00 EUR now.",
        `(instance 1) is renewed until May 8, ${YEAR} at 11:30 ${SUMMER}, and powered on if it was before`
      ])
      const { list } = await assertPages(`web.example.com … Running … May 8, ${YEAR}`, ["€0.00"], [
        "Wallet too low for 7 days 0"
      ])
      assert.notInclude(list, "missing")
      assert.notInclude(await assertAccount("Wallet 0.00 EUR\n"), "Missing")
    })

    it("says why another instance is suspended, and that this costs nothing", { timeout: PATIENCE }, async () => {
      await world.to(at("04-10T12:00"))
      await pay(4.99, "bank-3")
      await buy("shop.example.com")
      await world.admin("instances", "suspend", "3", "--reason", "It sends spam.")
      await assertMails(
        ["Your payment of 4.99 EUR is booked"],
        ["Your order of VPS S: shop.example.com (instance 3)", `on May 10, ${YEAR} at 14:00 ${SUMMER} for 4.99 EUR`],
        [
          "shop.example.com (instance 3) is suspended",
          `Your host suspended shop.example.com (instance 3) on April 10, ${YEAR} at 14:0`,
          ": It sends spam.",
          "Its paid period pauses, so the suspension costs nothing.",
          "/panel/instances/3\n"
        ]
      )
      await assertPages("shop.example.com … Suspended", ["€0.00"], ["Suspended 1"])
      await world.to(at("04-15T12:00"))
      await world.admin("instances", "unsuspend", "3")
      await assertMails([
        "The suspension of shop.example.com (instance 3) has ended",
        `has ended on April 15, ${YEAR} at 14:00 ${SUMMER}.`,
        `It is paid until May 15, ${YEAR} at `
      ])
      assert.strictEqual(await balance(), 0)
    })

    it("announces a price for all instances of the plan, which the list shows", { timeout: PATIENCE }, async () => {
      await world.admin("plans", "reprice", "1", "--price", "5.99", "--from", `${YEAR}-06-01`)
      await assertMails([
        `New price of VPS S: 5.99 EUR from June 1, ${YEAR} at 02:00 ${SUMMER}`,
        "  web.example.com (instance 1): now 4.99 EUR\n  shop.example.com (instance 3): now 4.99 EUR\n",
        `each period that begins on June 1, ${YEAR} at 02:00 ${SUMMER} or later`,
        "/panel/instances\n"
      ])
      await assertPages(`web.example.com … €4.99 monthly €5.99 from Jun 1, ${YEAR}`, [], [])
      await pay(9.98, "bank-4")
      await world.to(at("05-16T12:00"))
      await assertMails(["Your payment of 9.98 EUR is booked", "Your wallet holds 9.98 EUR now."])
      assert.strictEqual(await balance(), 0)
    })

    it("says that the host has ended an instance", { timeout: PATIENCE }, async () => {
      await world.admin("instances", "terminate", "3", "--reason", "abuse")
      await assertMails([
        "shop.example.com (instance 3) is deleted",
        `was deleted on May 16, ${YEAR} at 14:00 ${SUMMER}`,
        "because your host has ended it"
      ])
      assert.strictEqual(await balance(), 0)
    })

    it(
      "reminds of the new price, of the expiry, and 3 and 1 days before the deletion",
      { timeout: PATIENCE },
      async () => {
        const end = `June 8, ${YEAR} at 11:30 ${SUMMER}`
        const reminder = `5.99 EUR are missing for your renewals, from ${end}`
        await world.to(at("06-01T12:00"))
        await world.to(at("06-05T12:00"))
        await world.to(at("06-07T12:00"))
        await assertMails([reminder, payPage("5.99")], [reminder], [`Last reminder: ${reminder}`])
        await world.to(at("06-08T09:30") + END_MILLIS)
        const deletion = `June 15, ${YEAR} at 11:30 ${SUMMER}`
        const notice = `web.example.com (instance 1) will be deleted on ${deletion}`
        await assertMails([`web.example.com (instance 1) has expired, and will be deleted on ${deletion}`])
        await world.to(at("06-12T12:00"))
        await assertMails([notice, `it holds 5.99 EUR, before ${deletion}`, payPage("5.99"), BANK, "/panel/wallet\n"])
        await assertPages(
          `^€5.99 are missing … is deleted with its data on Jun 15, ${YEAR}, 11:30 AM … Expired Not paid for`,
          ["€5.99 are missing"],
          ["Wallet too low for 7 days 1", "Is deleted it has expired"]
        )
        await assertAccount("Missing 5.99 EUR", `Deletion ${YEAR}-06-15 11:30 +02:00`)
        await world.to(at("06-14T12:00"))
        await assertMails([`Last reminder: ${notice}`])
        assert.strictEqual(await balance(), 0)
      }
    )

    it("says what was deleted, and why, and that nothing is due any more", { timeout: PATIENCE }, async () => {
      await world.to(at("06-16T12:00"))
      await assertMails([
        "web.example.com (instance 1) is deleted",
        "because its paid period had ended, and was not renewed in time",
        "/panel/instances\n"
      ])
      const { list } = await assertPages(
        `Deleted in the last 30 days … web.example.com … Its paid period ended on Jun 8, ${YEAR}`,
        ["€0.00 Nothing is due in the next 60 days."],
        ["Wallet too low for 7 days 0"]
      )
      assert.notInclude(list, "missing")
      assert.notInclude(await assertAccount("Wallet 0.00 EUR\n"), "Missing")
    })
  })
}
