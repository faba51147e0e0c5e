/** The file that a restore puts in place of a database. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { chmodSync, chownSync, existsSync, rmSync, statSync } from "node:fs"
import { makeBackup, restoreBackup } from "#service/admin/cli/BackupCommands"
import { resolve } from "#service/config/Resolve"
import { Limits } from "#service/config/Limits"
import * as Storage from "#service/persistence/Storage"
import { temporaryFolder } from "../support/temporary.ts"

const settingsOf = (database: string, emulator: boolean) =>
  resolve(["--database", database, `--emulator=${emulator}`], {})

/** A backup of an empty database. */
const backupOf = Effect.fnUntraced(function*(folder: string, emulator: boolean) {
  const settings = settingsOf(`${folder}/original.db`, emulator)
  yield* Effect.scoped(Layer.build(Layer.fresh(Layer.provide(
    Storage.layer(settings.database, settings),
    Layer.succeed(Limits, settings.limits)
  ))))
  return (yield* makeBackup(settings, `${folder}/backup.db`, false)).file
})

describe("a restore", () => {
  it.live("keeps the mode of the database; by root, also its owner, or that of the folder", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const backup = yield* backupOf(folder, false)
      const database = `${folder}/vps.db`
      const [uid, gid] = process.geteuid?.() === 0 ? [1_234, 1_235] : [statSync(backup).uid, statSync(backup).gid]
      const access = () => [statSync(database).uid, statSync(database).gid, statSync(database).mode & 0o777]
      chownSync(folder, uid, gid)
      yield* restoreBackup(settingsOf(database, false), backup)
      assert.deepStrictEqual(access(), [uid, gid, 0o600])
      rmSync(`${database}.before-restore`, { force: true })
      chmodSync(database, 0o640)
      yield* restoreBackup(settingsOf(database, false), backup)
      assert.deepStrictEqual(access(), [uid, gid, 0o640])
    }))

  it.live.each([[true, "Pass --emulator"], [false, "Omit --emulator"]] as const)(
    "of the other kind is rejected before anything is replaced (an emulator's: %s)",
    ([emulator, remedy]) =>
      Effect.gen(function*() {
        const folder = yield* temporaryFolder
        const backup = yield* backupOf(folder, emulator)
        const database = `${folder}/vps.db`
        const { message } = yield* Effect.flip(restoreBackup(settingsOf(database, !emulator), backup))
        assert.include(message, remedy)
        assert.isFalse(existsSync(database))
        yield* restoreBackup(settingsOf(database, emulator), backup)
        assert.isTrue(existsSync(database))
      })
  )
})
