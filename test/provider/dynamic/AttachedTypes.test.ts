import type { CustomResource } from "@pulumi/pulumi"
import { describe, expect, it } from "vitest"
import type { Definition } from "#provider/definition/Definition"
import type { BackupRestoreArgs, ReverseDnsArgs, SnapshotArgs, SnapshotRestoreArgs } from "#provider/classes/Attached"
import type { BackupRestore, SnapshotRestore } from "#provider/dynamic/Restores"
import type { ReverseDns } from "#provider/dynamic/ReverseDns"
import type { Snapshot } from "#provider/dynamic/Snapshot"
import { BACKUP_RESTORE, SNAPSHOT_RESTORE } from "#provider/restore/Definition"
import { REVERSE_DNS } from "#provider/reverse-dns/Definition"
import { SNAPSHOT } from "#provider/snapshot/Definition"

/** "agree" when both have the same names. */
type Same<A, B> = Exclude<A, B> | Exclude<B, A> extends never ? "agree" : never
type Inputs<Args, D extends Definition> = Same<keyof Args, keyof D["inputs"]>
type Outputs<Class, D extends Definition> = Same<
  Exclude<keyof Class, keyof CustomResource>,
  keyof D["inputs"] | keyof D["outputs"]
>

describe("the classes of what belongs to an instance, and their definitions", () => {
  it("name the same inputs (held by the compiler)", () => {
    const snapshot: Inputs<SnapshotArgs, typeof SNAPSHOT> = "agree"
    const reverseDns: Inputs<ReverseDnsArgs, typeof REVERSE_DNS> = "agree"
    const snapshotRestore: Inputs<SnapshotRestoreArgs, typeof SNAPSHOT_RESTORE> = "agree"
    const backupRestore: Inputs<BackupRestoreArgs, typeof BACKUP_RESTORE> = "agree"
    expect(new Set([snapshot, reverseDns, snapshotRestore, backupRestore])).toEqual(new Set(["agree"]))
  })
  it("name the same outputs (held by the compiler)", () => {
    const snapshot: Outputs<Snapshot, typeof SNAPSHOT> = "agree"
    const reverseDns: Outputs<ReverseDns, typeof REVERSE_DNS> = "agree"
    const snapshotRestore: Outputs<SnapshotRestore, typeof SNAPSHOT_RESTORE> = "agree"
    const backupRestore: Outputs<BackupRestore, typeof BACKUP_RESTORE> = "agree"
    expect(new Set([snapshot, reverseDns, snapshotRestore, backupRestore])).toEqual(new Set(["agree"]))
  })
  it.each(
    [SNAPSHOT, REVERSE_DNS, SNAPSHOT_RESTORE, BACKUP_RESTORE].map((one): [string, Definition] => [one.name, one])
  )(
    "%s: each input says what it is, and another instance replaces it",
    (_, { inputs }) => {
      for (const { description } of Object.values(inputs)) expect(description).toMatch(/\.$/)
      expect(inputs["instanceId"]).toMatchObject({ change: "replaced", required: expect.any(String) })
    }
  )
})
