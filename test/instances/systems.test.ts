/** A new system, a new root password. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { osOptions } from "#service/catalogue/Plans"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import type { Reinstall } from "#contract/Instance"
import { resetPassword } from "#service/operations/ResetPassword"
import { reinstall } from "#service/operations/Reinstall"
import { Instances } from "#service/persistence/Instances"
import { Database } from "#service/persistence/sqlite/Database"
import { Tasks } from "#service/persistence/Tasks"
import { Transaction } from "#service/persistence/Transaction"
import { Rejected, Unavailable } from "#service/provisioning/Driver"
import { WorkerNotifier } from "#service/runtime/WorkerNotifier"
import { IN_STATE, operationTime, running, waited } from "../support/instances.ts"
import { Mailbox } from "../support/mailbox.ts"
import { allTasks, elapse, owner, serviceLayer, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"
import { machineOf } from "../support/machineTag.ts"

const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3xGMmVq1NjYHcFdvtdsPxqvLEUGRqWnvRDTYG3Cugd me@example.test"

const machine = Effect.map(machineOf(1), (found) => found!)

/** Everything that is stored, as text. */
const everything = Effect.map(Database, ({ all }) => {
  const tables = all<[string]>("SELECT name FROM sqlite_schema WHERE type = 'table'")()
  return JSON.stringify(tables.map(([name]) => all(`SELECT * FROM ${name}`)()))
})

type Body = typeof Reinstall.Encoded

describe("a reinstall", () => {
  it.effect.each(["running", "stopped", "rescue"] as const)(
    "of a %s instance boots the new system from disk",
    (from) =>
      Effect.gen(function*() {
        const id = yield* IN_STATE[from]
        const body = { os: "ubuntu-24.04", os_id: 3, password: "correct-horse", ssh_pubkey: KEY }
        const result = yield* reinstall(owner, id, body)
        const task = (yield* allTasks).at(-1)!
        assert.deepStrictEqual(result, { ok: true, action: "reinstall", status: "reinstalling", task_id: task.id })
        assert.strictEqual((yield* show(id)).status, "reinstalling")
        assert.notInclude(yield* everything, "correct-horse")
        yield* operationTime
        assert.notInclude(yield* everything, "correct-horse")
        assert.deepInclude(yield* machine, { os: "ubuntu-24.04", power: "on", bootMode: "disk", sshKey: KEY })
        const shown = yield* show(id)
        assert.strictEqual(shown.status, "running")
        assert.deepInclude(JSON.parse(shown.provider_data!), { os: "ubuntu-24.04", hostname: "web.example.test" })
        assert.isNull((yield* (yield* Tasks).find(task.id))!.sealed)
      }).pipe(Effect.provide(serviceLayer()))
  )

  it.effect("does not carry keys over from the system before", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* reinstall(owner, id, { os: "debian-13", ssh_pubkey: KEY })
      yield* operationTime
      yield* reinstall(owner, id, { os: "debian-13", os_id: null, password: null, ssh_pubkey: null })
      yield* operationTime
      assert.isNull((yield* machine).sshKey)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("that the upstream cannot put the key into fails, and says so in the feed", () =>
    Effect.gen(function*() {
      const id = yield* running()
      ;(yield* Upstream).mishaps.push(new Rejected({ reason: "the SSH key cannot be installed" }))
      yield* reinstall(owner, id, { os: "debian-13", ssh_pubkey: KEY })
      yield* operationTime
      assert.deepInclude((yield* allTasks).at(-1), {
        type: "reinstall",
        status: "failed",
        error: "the SSH key cannot be installed"
      })
      assert.strictEqual((yield* show(id)).status, "running")
      assert.strictEqual((yield* (yield* Instances).find(id))!.os, "debian-12")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect.each<readonly [string, Body, string]>([
    ["an image that is not offered", { os: "windows-95" }, "os"],
    ["an os_id of another image", { os: "debian-12", os_id: 2 }, "os_id"],
    ["an os_id of no image", { os: "debian-12", os_id: 99 }, "os_id"],
    ["a key for Windows", { os: "windows-2022", ssh_pubkey: KEY }, "ssh_pubkey"],
    ["a key that is none", { os: "debian-12", ssh_pubkey: "ssh-rsa AAAA" }, "ssh_pubkey"],
    ["several, of which the first is told", { os: "debian-12", os_id: 2, ssh_pubkey: "x" }, "os_id"]
  ])("is refused with %s", ([, body, field]) =>
    Effect.gen(function*() {
      const id = yield* running()
      assert.deepInclude(yield* Effect.flip(reinstall(owner, id, body)), { _tag: "InvalidField", field })
      assert.strictEqual((yield* allTasks).length, 1)
    }).pipe(Effect.provide(serviceLayer())))
})

describe("the images of a plan that is no longer sold", () => {
  it.effect("are listed for those who have it, who may reinstall, and for no others", () =>
    Effect.gen(function*() {
      yield* running(2)
      ;(yield* Database).connection.exec("UPDATE plans SET is_active = 0")
      assert.isNotEmpty((yield* osOptions(owner, 2)).os_options)
      for (const [caller, planId] of [[owner, 3], [{ ...owner, accountId: 2 }, 2]] as const) {
        assert.strictEqual((yield* Effect.flip(osOptions(caller, planId)))._tag, "PlanNotFound")
      }
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a reset of the root password", () => {
  it.effect("returns the password once, mails a copy, and does not store it", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const { password, ...rest } = yield* waited(resetPassword(owner, id))
      assert.deepStrictEqual(rest, { ok: true, action: "reset_password", provider_id: "sim-1", show_once: true })
      assert.match(password, /^(?=.*[a-z])(?=.*[A-Z])(?=.*[2-9])[A-Za-z2-9]{20}$/)
      assert.deepInclude((yield* allTasks).at(-1), { type: "reset_password", status: "succeeded", kind: "operation" })
      assert.notInclude(yield* everything, password)
      const [mail, ...others] = (yield* Mailbox).received
      assert.deepStrictEqual(others, [])
      assert.deepInclude(mail, {
        to: "owner@example.test",
        subject: "New root password of web.example.test (instance 1)"
      })
      assert.include(Redacted.value(mail!.text), password)
      const next = yield* waited(resetPassword(owner, id))
      assert.notStrictEqual(next.password, password)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect.each([[1, "succeeds at last"], [2, "succeeds at last"], [3, "is told in the feed"]] as const)(
    "whose mail is refused %i times %s",
    ([refusals, outcome]) =>
      Effect.gen(function*() {
        const id = yield* running()
        const box = yield* Mailbox
        box.refusals = refusals
        const { password } = yield* waited(resetPassword(owner, id))
        assert.lengthOf(password, 20)
        yield* elapse(10_000)
        assert.lengthOf(box.received, outcome === "succeeds at last" ? 1 : 0)
        const told = (yield* allTasks).filter(({ kind }) => kind === "audit")
        if (outcome === "succeeds at last") return assert.deepStrictEqual(told, [])
        assert.lengthOf(told, 1)
        assert.deepInclude(told[0], { type: "reset_password", status: "failed", actor: "system", requestId: "r-1" })
        assert.include(told[0]!.error, "could not be mailed")
        assert.notInclude(yield* everything, password)
      }).pipe(Effect.provide(serviceLayer()))
  )

  it.effect.each([new Unavailable({ reason: "away" }), new Rejected({ reason: "no" })])(
    "that fails upstream (%s) mails nothing and frees the instance",
    (fault) =>
      Effect.gen(function*() {
        const id = yield* running()
        const upstream = yield* Upstream
        upstream.mishaps.push(fault)
        const { length } = upstream.calls
        const failed = yield* Effect.flip(waited(resetPassword(owner, id)))
        assert.deepInclude(failed, { _tag: "UpstreamFailed", operation: "reset_password", reason: fault.reason })
        assert.strictEqual(upstream.calls.length, length + 1)
        assert.deepStrictEqual((yield* Mailbox).received, [])
        assert.lengthOf((yield* waited(resetPassword(owner, id))).password, 20)
      }).pipe(Effect.provide(serviceLayer()))
  )

  it.effect("that a crash cut off is failed, and never done again", () =>
    Effect.gen(function*() {
      const upstream = yield* Upstream
      yield* running()
      const submitted = upstream.calls.length
      const tasks = yield* Tasks
      const cut = { type: "reset_password", params: "{}", sealed: null, actor: "api_key", apiKeyId: 1 } as const
      const lost = { ...cut, instanceId: 1, requestId: "r-1", runAt: 0, leaseUntil: 5_000, at: 0 }
      yield* (yield* Transaction).run(tasks.insert(lost))
      yield* (yield* WorkerNotifier).notify
      yield* elapse(70_000, 1_000)
      const task = (yield* allTasks).at(-1)!
      assert.deepInclude(task, { type: "reset_password", status: "failed" })
      assert.include(task.error, "request another one")
      assert.strictEqual(upstream.calls.length, submitted)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("whose caller goes away still ends, and the copy reaches the owner", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const call = yield* Effect.forkChild(resetPassword(owner, id))
      yield* elapse(100)
      yield* Fiber.interrupt(call)
      yield* elapse(600)
      assert.deepInclude((yield* allTasks).at(-1), { type: "reset_password", status: "succeeded" })
      assert.isUndefined(yield* (yield* Tasks).open(id))
      assert.lengthOf((yield* Mailbox).received, 1)
    }).pipe(Effect.provide(serviceLayer())))
})
