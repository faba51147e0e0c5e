/** Labels of instances, which the panel has, and the API does not. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { columns, selectAll, update } from "./Columns.ts"
import { Sql } from "./Sql.ts"

export interface InstanceLabel {
  readonly instanceId: number
  readonly label: string
}

export class Labels extends Context.Service<Labels, {
  /** Of the instances that the account still has, by instance and label. */
  readonly ofAccount: (accountId: number) => Effect.Effect<ReadonlyArray<InstanceLabel>>
  /** Replaces the labels of an instance of the account, in a transaction of the caller. */
  readonly set: (accountId: number, instanceId: number, labels: ReadonlyArray<string>) => Effect.Effect<void>
}>()("@pulumi-vps/service/Labels") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const clear = update(sql, "DELETE FROM instance_labels WHERE instance_id = ?")
      const insert = update(sql, "INSERT INTO instance_labels (instance_id, label) VALUES (?, ?)")
      const count = update(sql, "UPDATE accounts SET labels_version = labels_version + 1 WHERE id = ?")
      return {
        ofAccount: selectAll(
          sql,
          INSTANCE_LABEL,
          `FROM instances i JOIN instance_labels l ON l.instance_id = i.id
           WHERE i.account_id = ? AND i.lifecycle <> 'deleted' ORDER BY i.id, l.label`
        ),
        set: (accountId, instanceId, labels) =>
          Effect.all([
            clear(instanceId),
            Effect.forEach(labels, (label) => insert(instanceId, label), { discard: true }),
            count(accountId)
          ], { discard: true })
      }
    })
  )
}

const INSTANCE_LABEL = columns<InstanceLabel>({ instanceId: "l.instance_id", label: "l.label" })
