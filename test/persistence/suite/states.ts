/** Everything at once: wiped, saved under a name, and put back. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Accounts } from "#service/persistence/Accounts"
import { Catalogue } from "#service/persistence/Catalogue"
import { EmulatorSettings } from "#service/persistence/EmulatorSettings"
import { IdempotencyKeys } from "#service/persistence/IdempotencyKeys"
import { Instances } from "#service/persistence/Instances"
import { Isos } from "#service/persistence/Isos"
import { Journals } from "#service/persistence/Journals"
import { SavedStates, Wipe } from "#service/persistence/SavedStates"
import { SimulatedMachines } from "#service/persistence/SimulatedMachines"
import { Snapshots } from "#service/persistence/Snapshots"
import { Sql } from "#service/persistence/Sql"
import { Tasks } from "#service/persistence/Tasks"
import { editable } from "../../support/catalogue.ts"
import { account, apiKey, firstInstance, NOW, stock, task } from "./Fixtures.ts"
import { isRefused, type Rules, write } from "./Rules.ts"

/** Rows in tables that refer to each other in every way there is. */
const full = Effect.gen(function*() {
  const { accountId, id } = yield* firstInstance
  const apiKeyId = yield* apiKey(accountId)
  yield* (yield* editable).addIso({ id: 3, name: "rescue", fileName: "rescue.iso", sizeBytes: 5_000_000_000 })
  yield* (yield* Instances).setIso(id, 3)
  yield* task(id, { params: "{\"text\":\"'quoted' ? ä\"}" })
  yield* (yield* Snapshots).insert({ instanceId: id, name: "s", os: "debian-12", at: NOW })
  yield* (yield* IdempotencyKeys).insert({
    owner: { accountId, apiKeyId },
    digest: "d",
    fingerprint: "{}",
    instanceId: id,
    at: NOW
  })
  yield* (yield* EmulatorSettings).setClock({ ahead: 5, frozenAt: null })
  yield* (yield* SimulatedMachines).countPoll("a")
  const entries = [{ account: "bank", amount: -5 }, { account: `wallet:${accountId}`, amount: 5 }]
  yield* (yield* Journals).append({ accountId, kind: "top_up", reference: "a", currency: "EUR", at: NOW, entries })
  return { accountId, id }
})

/** A fingerprint of the data: one query of each of many tables. */
const look = Effect.gen(function*() {
  return {
    accounts: yield* (yield* Accounts).wallets,
    plans: yield* (yield* Catalogue).forSale,
    instances: yield* (yield* Instances).list(1),
    tasks: yield* (yield* Tasks).all,
    snapshots: yield* (yield* Snapshots).list(1),
    journals: yield* (yield* Journals).all,
    key: yield* (yield* IdempotencyKeys).find({ accountId: 1, apiKeyId: 1 }, "d"),
    clock: yield* (yield* EmulatorSettings).clock,
    polls: yield* (yield* SimulatedMachines).polls("a"),
    iso: yield* (yield* Isos).find(3)
  }
})

const wiped = write(Effect.flatMap(Wipe, ({ everything }) => everything))

const save = (name: string) => write(Effect.flatMap(SavedStates, (states) => states.save({ name, savedAt: NOW })))
const restore = (name: string) => write(Effect.flatMap(SavedStates, (states) => states.restore(name)))

export const states: Rules = {
  "a wipe leaves no row, and ids start again at 1": Effect.gen(function*() {
    const empty = yield* look
    yield* full
    yield* wiped
    assert.deepStrictEqual(yield* look, empty)
    assert.strictEqual(yield* account(), 1)
    yield* stock
  }),

  "a wipe that is undone leaves everything": Effect.gen(function*() {
    yield* full
    const before = yield* look
    const { everything } = yield* Wipe
    assert.isTrue(yield* isRefused(write(Effect.andThen(everything, Effect.fail("no")))))
    assert.deepStrictEqual(yield* look, before)
  }),

  "the ledger is append-only after a wipe as before": Effect.gen(function*() {
    yield* full
    yield* wiped
    yield* full
    const sql = yield* Sql
    assert.isTrue(yield* isRefused(sql.run("DELETE FROM entries")()))
    assert.isTrue(yield* isRefused(sql.run("UPDATE journals SET kind = 'x'")()))
  }),

  "a state is restored as it was saved, and IDs continue": Effect.gen(function*() {
    const { accountId } = yield* full
    const next = yield* account()
    const before = yield* look
    yield* save("full")
    yield* wiped
    yield* restore("full")
    assert.deepStrictEqual(yield* look, before)
    assert.strictEqual(yield* account(), next + 1)
    assert.strictEqual(accountId, 1)
  }),

  "the ID of a deleted row is not reused after a restore": Effect.gen(function*() {
    const { id } = yield* full
    const snapshots = yield* Snapshots
    const gone = yield* snapshots.insert({ instanceId: id, name: "t", os: "debian-12", at: NOW })
    yield* snapshots.remove(gone)
    yield* save("full")
    yield* wiped
    yield* restore("full")
    assert.strictEqual(yield* snapshots.insert({ instanceId: id, name: "u", os: "debian-12", at: NOW }), gone + 1)
  }),

  "an empty state comes back empty, with ids from 1": Effect.gen(function*() {
    const empty = yield* look
    yield* save("empty")
    yield* full
    yield* restore("empty")
    assert.deepStrictEqual(yield* look, empty)
    assert.strictEqual(yield* account(), 1)
  }),

  "states are listed by name, replaced, and survive a wipe and a restore": Effect.gen(function*() {
    const states = yield* SavedStates
    yield* save("b-2")
    yield* save("B")
    yield* save("b")
    yield* account()
    yield* write(states.save({ name: "B", savedAt: NOW + 1 }))
    yield* wiped
    const [first, ...rest] = yield* states.list
    assert.deepStrictEqual(first, { name: "B", savedAt: NOW + 1 })
    assert.deepStrictEqual(rest.map(({ name }) => name), ["b", "b-2"])
    assert.deepStrictEqual(yield* states.find("b"), { name: "b", savedAt: NOW })
    assert.isUndefined(yield* states.find("c"))
    yield* restore("B")
    assert.lengthOf(yield* (yield* Accounts).wallets, 1)
    assert.lengthOf(yield* states.list, 3)
    assert.isTrue(yield* isRefused(restore("c")))
  })
}
