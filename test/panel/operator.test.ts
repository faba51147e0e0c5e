/** Operators work in the panel with the commands of the host, and see today's numbers. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fromAmount } from "#service/domain/Money"
import { Accounts } from "#service/persistence/Accounts"
import { AuditEntries } from "#service/persistence/AuditEntries"
import { Transaction } from "#service/persistence/Transaction"
import { deployed, startApp } from "../support/app.ts"
import { type PanelBrowser, signInAs } from "../support/panel.ts"

const started = Effect.gen(function*() {
  const app = yield* startApp()
  return { app, browser: yield* signInAs(app, "operator") }
})

const command = (browser: PanelBrowser, name: string, body: object = {}) =>
  browser.call({ method: "POST", path: `/operator/commands/${name}`, body })

describe("an operator's command in the panel", () => {
  it.live("has the command's own input, result and errors", () =>
    Effect.scoped(Effect.gen(function*() {
      const { browser } = yield* started
      const { body, status } = yield* command(browser, "accounts.show", { id: 1 })
      assert.strictEqual(status, 200)
      assert.deepInclude(body, { id: 1, email: "owner@example.test", wallet: 1_000 })
      const invalid = yield* command(browser, "accounts.show", { id: "1" })
      assert.deepInclude(invalid, { status: 400, body: { detail: "id: Input should be a valid integer" } })
      const missing = yield* command(browser, "accounts.show", { id: 9 })
      assert.match(missing.body.detail, /^Account 9 not found\./)
      assert.match((yield* command(browser, "toString")).body.detail, /^Unknown command toString\./)
    })))

  it.live("is in the audit log with the person and the address", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* started
      const input = { account_id: 1, amount: 5, reason: "fee", payout: false, reference: "d" }
      assert.strictEqual((yield* command(browser, "wallet.debit", input)).body.wallet, 995)
      const { head } = yield* app.inside(AuditEntries)
      const { seq } = (yield* head)!
      const [entry] = yield* app.inside(Effect.flatMap(AuditEntries, ({ after }) => after(seq - 1, 1)))
      assert.deepInclude(entry, { action: "wallet.debit", accountId: 1, outcome: "done" })
      assert.deepInclude(entry!.actor, { kind: "person", name: "operator@example.test", from: "127.0.0.1" })
      assert.isNumber(entry!.actor.personId)
      assert.isString(entry!.actor.requestId)
    })))

  it.live("that is about files or secrets of the host does not exist", () =>
    Effect.scoped(Effect.gen(function*() {
      const { browser } = yield* started
      for (const name of ["database.copy", "secret.list", "images.import"]) {
        const { body, status } = yield* command(browser, name, { path: "/tmp/x" })
        assert.strictEqual(status, 403, name)
        assert.include(body.detail, "only possible on the host itself")
      }
    })))

  it.live("suspends with a public reason and a private note, and terminates without a refund", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* started
      const { body: { id } } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      yield* deployed(app, id)
      yield* command(browser, "instances.suspend", { id, reason: "spam", note: "second time" })
      const { body: seen } = yield* app.api({ path: `/instances/${id}` })
      assert.deepStrictEqual([seen.suspended_reason, JSON.stringify(seen).includes("second time")], ["spam", false])
      yield* deployed(app, id, "suspended")
      const settled = Effect.andThen(app.control("POST", "/clock", { advance_ms: 1_000 }), Effect.void)
      yield* settled
      const ended = yield* command(browser, "instances.terminate", { id, reason: "asked" })
      assert.deepInclude(ended.body, { instance_id: id, lifecycle: "expired" })
      yield* settled
      assert.strictEqual((yield* app.api({ path: `/instances/${id}` })).status, 404)
      const { body: accounts } = yield* command(browser, "accounts.list", { after: 0, limit: 1 })
      assert.deepInclude(accounts[0], { wallet: 995.01, instances: 0 })
      assert.match((yield* command(browser, "instances.terminate", { id, reason: "x" })).body.detail, /not found/)
    })))
})

describe("the operators' first page", () => {
  it.live("counts tasks, instances, money and what ends soon", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* started
      const buy = (body: object) => app.api({ method: "POST", path: "/instances", body })
      const { body: { id } } = yield* buy({ service_id: 1 })
      yield* deployed(app, id)
      yield* command(browser, "instances.auto_renew", { id, auto_renew: false })
      yield* app.control("POST", "/clock", { advance_ms: 26 * 86_400_000 })
      yield* app.control("POST", "/faults", { operation: "driver.provision", driver: "rejected", count: 1 })
      const { body: second } = yield* buy({ service_id: 2 })
      yield* deployed(app, second.id, "failed")
      const { body, status } = yield* browser.call({ path: "/operator/today" })
      assert.strictEqual(status, 200)
      assert.deepInclude(body.tasks, { running: 0, held: 0, failed: 1 })
      assert.deepStrictEqual(body.instances, { active: 1, failed: 1 })
      assert.deepStrictEqual(body.money, [{ currency: "EUR", top_ups: 0, payouts: 0, charges: -9.99, refunds: 9.99 }])
      assert.deepInclude(body.endings.shown[0], { instance_id: id, why: "not_renewed" })
      assert.deepInclude(body, { hosts: [], clock_trusted: true })
    })))

  it.live("says whether the books balance, from a check that is repeated after five minutes", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* started
      const books = Effect.map(browser.call({ path: "/operator/today" }), ({ body }) => body.books)
      const first = yield* books
      assert.isTrue(first.balanced)
      yield* app.inside(Effect.gen(function*() {
        yield* (yield* Transaction).run((yield* Accounts).debit(1, fromAmount(1)!))
      }))
      assert.deepStrictEqual(yield* books, first)
      yield* app.control("POST", "/clock", { advance_ms: 300_000 })
      const second = yield* books
      assert.isFalse(second.balanced)
      assert.isAbove(Date.parse(second.checked_at), Date.parse(first.checked_at))
    })))

  it.live("names instances that the wallet cannot renew", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* started
      const { body: { id } } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      yield* deployed(app, id)
      yield* app.control("PUT", "/wallet", { balance: 4.98 })
      yield* app.control("POST", "/clock", { advance_ms: 26 * 86_400_000 })
      const { body } = yield* browser.call({ path: "/operator/today" })
      assert.deepInclude(body.endings.shown[0], { instance_id: id, why: "unpaid" })
    })))

  it.live("finds accounts, instances and tasks by anything that names them", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* started
      const bought = yield* app.api({
        method: "POST",
        path: "/instances",
        body: { service_id: 1, hostname: "web.test" }
      })
      const { ipv4 } = yield* deployed(app, bought.body.id)
      const search = (q: string) =>
        Effect.map(browser.call({ path: `/operator/search?q=${encodeURIComponent(q)}` }), ({ body }) => ({
          accounts: body.accounts.map(({ email }: { email: string }) => email),
          instances: body.instances.map(({ hostname }: { hostname: string }) => hostname),
          people: body.people.map(({ email }: { email: string }) => email),
          tasks: body.tasks.length
        }))
      const [email, none] = ["owner@example.test", { accounts: [], instances: [], people: [], tasks: 0 }]
      assert.deepStrictEqual(yield* search("OWNER@"), { ...none, accounts: [email], people: [email] })
      assert.deepStrictEqual(yield* search("Operator"), { ...none, people: ["operator@example.test"] })
      assert.deepStrictEqual(yield* search("web"), { ...none, instances: ["web.test"] })
      assert.deepStrictEqual(yield* search(ipv4!), { ...none, instances: ["web.test"] })
      assert.deepStrictEqual(yield* search("1"), { ...none, accounts: [email], instances: ["web.test"], tasks: 1 })
      assert.deepStrictEqual(yield* search("%_"), none)
      assert.strictEqual((yield* browser.call({ path: "/operator/search?q=" })).status, 422)
    })))
})
