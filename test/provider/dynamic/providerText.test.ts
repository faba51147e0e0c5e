import { createRequire } from "node:module"
import { assert, describe, it } from "vitest"
import {
  BACKUP_RESTORE_TEXT,
  INSTANCE_TEXT,
  REVERSE_DNS_TEXT,
  SNAPSHOT_RESTORE_TEXT,
  SNAPSHOT_TEXT
} from "#provider/dynamic/ProviderText"
import { backupRestore, instance, reverseDns, snapshot, snapshotRestore } from "#provider/runtime"

const TEXTS = {
  instance: INSTANCE_TEXT,
  reverseDns: REVERSE_DNS_TEXT,
  snapshot: SNAPSHOT_TEXT,
  snapshotRestore: SNAPSHOT_RESTORE_TEXT,
  backupRestore: BACKUP_RESTORE_TEXT
}
const SERVED = { instance, reverseDns, snapshot, snapshotRestore, backupRestore }

const published = (resource: string) =>
  `exports.handler=()=>{const c=n=>async(...a)=>(await import("pulumi-vps/provider/runtime")).${resource}[n](...a);`
  + "return Object.fromEntries([\"configure\",\"check\",\"diff\",\"create\",\"read\",\"update\",\"delete\"]"
  + ".map(n=>[n,c(n)]))};"

describe("the provider text that states hold", () => {
  it.each(Object.entries(TEXTS))(
    "of %s is never edited: states of every published version run the text they were written with",
    (resource, text) => assert.strictEqual(text, published(resource))
  )
  it.each(Object.entries(SERVED))("the runtime still serves %s to it", (resource, served) => {
    const requireFromString = createRequire(import.meta.url)("require-from-string") as (text: string) => {
      handler: () => Record<string, unknown>
    }
    const methods = Object.keys(requireFromString(published(resource)).handler())
    assert.deepStrictEqual(methods, ["configure", "check", "diff", "create", "read", "update", "delete"])
    for (const method of methods) assert.isFunction(Reflect.get(served, method))
  })
  it("is small: the engine stores it twice per resource", () => {
    assert.isBelow(Math.max(...Object.values(TEXTS).map(({ length }) => length)), 250)
  })
})
