/**
 * When the worker has something to do next: one query for the queue and for everything that the calendar makes due,
 * because an idle worker runs it at every poll, and a busy one after each task.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { NEXT_EXPIRY } from "./IdempotencyKeys.ts"
import { NEXT_MAIL } from "./Mails.ts"
import { NEXT_DELETION, NEXT_ENDING } from "./instances/Subscriptions.ts"
import { NEXT_BACKUP } from "./Snapshots.ts"
import { Sql } from "./Sql.ts"
import { NEXT_DUE } from "./tasks/TaskClaims.ts"
import { OLDEST_CREATION } from "./tasks/Unreconciled.ts"

/** Moments in epoch milliseconds; undefined when there is nothing of the kind. Each reads one row of an index. */
export interface Moments {
  /** The next task falls due, by `run_at` or by an ending lease. */
  readonly task: number | undefined
  /** The paid period of an active or suspended instance ends. */
  readonly ending: number | undefined
  /** An instance is to be deleted: the end of its grace period, of its termination, or of its retention. */
  readonly deletion: number | undefined
  /** An active instance is to be backed up. */
  readonly backup: number | undefined
  /** Idempotency keys expire. */
  readonly keyExpiry: number | undefined
  /** The oldest task of the activity feed was created. */
  readonly oldestTask: number | undefined
  /** A mail is to be sent. */
  readonly mail: number | undefined
}

const QUESTIONS = [NEXT_DUE, NEXT_ENDING, NEXT_DELETION, NEXT_BACKUP, NEXT_EXPIRY, OLDEST_CREATION, NEXT_MAIL]

type Row = readonly [...ReadonlyArray<number | null>]

const momentsOf = (row: Row): Moments => {
  const [task, ending, deletion, backup, keyExpiry, oldestTask, mail] = row.map((moment) => moment ?? undefined)
  return { task, ending, deletion, backup, keyExpiry, oldestTask, mail }
}

export class DueTimes extends Context.Service<DueTimes, { readonly next: Effect.Effect<Moments> }>()(
  "@pulumi-vps/service/DueTimes"
) {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const next = sql.one<Row>(`SELECT ${QUESTIONS.map((question) => `(${question})`).join(", ")}`)
      return { next: Effect.map(next(), (row) => momentsOf(row!)) }
    })
  )
}
