/** The tasks of an account's instances, as its members follow them. */
import type * as Effect from "effect/Effect"
import { operationsWith } from "@pulumi-vps/contract/OperationPower"
import { isInstanceOperation } from "../../domain/InstanceMachine.ts"
import { among, columns, selectAll, selectOne, updateOne } from "../Columns.ts"
import type { Sql } from "../Sql.ts"
import { TASK, type Task } from "./Task.ts"

/** A task with the host name of its instance; null if the customer chose none. */
export interface NamedTask extends Task {
  readonly hostname: string | null
}

export interface AccountTasks {
  /** Undefined if it belongs to no instance of the account. */
  readonly ofAccount: (accountId: number, id: number) => Effect.Effect<NamedTask | undefined>
  /**
   * Failed requests of customers that ended after a moment, newest first: without those that are dismissed, and those
   * that a later request of the same kind has replaced.
   */
  readonly failures: (accountId: number, since: number, limit: number) => Effect.Effect<ReadonlyArray<NamedTask>>
  /** False unless it is a failed task of the account. */
  readonly dismiss: (accountId: number, id: number, at: number) => Effect.Effect<boolean>
}

const NAMED = columns<NamedTask>({ ...TASK.definition("t"), hostname: "i.hostname" })

const OF_ACCOUNT = "FROM instances i JOIN tasks t ON t.instance_id = i.id WHERE i.account_id = ?1"

/** The requests that leave an instance on or off: a later one replaces an earlier one. */
const POWER = among(operationsWith("on", "off").filter(isInstanceOperation))

const FAILURES = `${OF_ACCOUNT} AND i.lifecycle <> 'deleted'
    AND t.status = 'failed' AND t.kind = 'operation' AND t.purpose = 'request' AND t.actor IN ('api_key', 'panel')
    AND t.finished_at > ?2 AND t.dismissed_at IS NULL
    AND NOT EXISTS (
      SELECT 1 FROM tasks n WHERE n.instance_id = t.instance_id AND n.id > t.id AND n.kind = 'operation'
        AND n.status IN ('succeeded', 'failed') AND n.purpose = 'request'
        AND (n.type = t.type OR (n.type ${POWER} AND t.type ${POWER} AND t.type <> 'reinstall')))
  ORDER BY t.id DESC LIMIT ?3`

export const accountTasks = (sql: Sql["Service"]): AccountTasks => ({
  ofAccount: selectOne(sql, NAMED, `${OF_ACCOUNT} AND t.id = ?2`),
  failures: selectAll(sql, NAMED, FAILURES),
  dismiss: updateOne(
    sql,
    `UPDATE tasks SET dismissed_at = ?3 WHERE id = ?2 AND status = 'failed'
       AND instance_id IN (SELECT id FROM instances WHERE account_id = ?1)`
  )
})
