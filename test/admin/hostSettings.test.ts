/** The storage of a host, as operators change it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { COMMANDS } from "#service/admin/Commands"
import { serviceLayer } from "../support/service.ts"
import { add, daemon, message } from "./FakeHost.ts"

describe("hosts set", () => {
  const set = (more: object) => COMMANDS["hosts.set"].run({ name: "alpha", no_backup_pool: false, ...more })
  const backups = (pool: string | null, shared: string | null) => ({ backup_pool: pool, shared_backups: shared })

  it.live("changes the pool for backups, which is shared only if that is said", () =>
    Effect.gen(function*() {
      const { path } = yield* daemon()
      assert.deepInclude(yield* add(path), backups(null, null))
      assert.deepInclude(yield* set({ backup_pool: "one" }), backups("one", null))
      assert.deepInclude(yield* set({ shared_backups: "nas" }), backups("one", "nas"))
      assert.deepInclude(yield* set({ backup_pool: "one" }), backups("one", "nas"))
      assert.deepInclude(yield* set({ backup_pool: "two" }), backups("two", null))
      assert.deepInclude(yield* set({ shared_storage: "ceph" }), { ...backups("two", null), shared_storage: "ceph" })
      assert.deepInclude(yield* set({ no_backup_pool: true }), { ...backups(null, null), shared_storage: "ceph" })
      const named = { name: "beta", backup_pool: "one", shared_backups: "nas" }
      assert.deepInclude(yield* add(path, named), backups("one", "nas"))
    }).pipe(Effect.scoped, Effect.provide(serviceLayer())))

  it.live("rejects what cannot be, and changes nothing", () =>
    Effect.gen(function*() {
      const fails: Record<string, number> = {}
      const { path } = yield* daemon({ fails, volumes: ["instance-7.backup-1.qcow2", "instance-7.snapshot-1.qcow2"] })
      const rejects = <A, R>(attempt: Effect.Effect<A, { readonly message: string }, R>, expected: RegExp) =>
        Effect.map(message(attempt), (text) => assert.match(text, expected))
      yield* rejects(add(path, { shared_backups: "nas" }), /a shared --backup-pool. Give both/)
      yield* add(path, { backup_pool: "one" })
      yield* rejects(set({}), /Nothing to change/)
      yield* rejects(set({ backup_pool: "default" }), /"default" is the pool of the disks. Choose another one/)
      yield* rejects(set({ no_backup_pool: true, shared_backups: "nas" }), /excludes --backup-pool/)
      const left = /"one" of host alpha has backups of instance-7. Move their files to the new pool first/
      yield* rejects(set({ no_backup_pool: true }), left)
      yield* rejects(set({ backup_pool: "two" }), left)
      fails["volumeList"] = 55
      yield* rejects(set({ no_backup_pool: true }), /"one" of host alpha cannot be read: .* "virsh pool-undefine one"/)
      fails["poolLookup"] = 49
      yield* rejects(
        set({ backup_pool: "two" }),
        /no storage pool "two". Create it with .* --target \/var\/lib\/libvirt\/two/
      )
      assert.deepInclude((yield* COMMANDS["hosts.list"].run({}))[0]!, backups("one", null))
      assert.deepInclude(yield* set({ no_backup_pool: true }), backups(null, null), "the old pool was given up")
    }).pipe(Effect.scoped, Effect.provide(serviceLayer())))
})
