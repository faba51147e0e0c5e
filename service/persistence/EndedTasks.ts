/** Tasks that are over: how long the feed remembers them, and what failed ones left to do for an operator. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Task } from "./Tasks.ts"

export class EndedTasks extends Context.Service<EndedTasks, {
  /** When the oldest task was made, ended or not, in epoch milliseconds. */
  readonly oldest: Effect.Effect<number | undefined>
  /** Forgets those that were made until a moment, oldest first, at most `limit` of them; answers how many. */
  readonly forget: (madeUntil: number, limit: number) => Effect.Effect<number>
  /**
   * Failed tasks after which the upstream may not be as our record says, and which nobody has begun anew or given up:
   * newest first. They are never forgotten.
   */
  readonly left: (limit: number) => Effect.Effect<ReadonlyArray<Task>>
  /** One of them. */
  readonly findLeft: (id: number) => Effect.Effect<Task | undefined>
  /** Nobody goes on with it: it counts as cancelled, for this reason. */
  readonly giveUp: (id: number, reason: string) => Effect.Effect<void>
}>()("pulumi-vps/service/EndedTasks") {}
