/** The file that a restore puts in place of a database. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync } from "node:fs"
import { makeBackup, restoreBackup } from "#service/admin/cli/BackupFiles"
import { resolve } from "#service/config/Config"
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
