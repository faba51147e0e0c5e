/** All that happened in an account. */
import * as Effect from "effect/Effect"
import { toTimestamp } from "../../../domain/Timestamp.ts"
import { accountActivity, type ActivityItem as Item, type Place } from "../../../people/Activity.ts"
import type { ActivityItem } from "../../contract/Activity.ts"
import type { PanelHandlers } from "../Handlers.ts"
import type { Member } from "../Visitor.ts"

const LIMIT_DEFAULT = 50

const NEWEST: Place = { entry: Number.MAX_SAFE_INTEGER, task: Number.MAX_SAFE_INTEGER }

const placeOf = (after: string | undefined): Place => {
  if (after === undefined) return NEWEST
  const [entry, task] = after.split(".").map(Number)
  return { entry: entry!, task: task! }
}

const record = ({ action, at, by, error, id, instance, requestId, status, subject }: Item): ActivityItem => ({
  id,
  at: toTimestamp(at),
  by,
  action,
  subject,
  instance: instance === null ? null : { id: instance.id, name: instance.name, is_deleted: instance.isDeleted },
  status,
  error,
  request_id: requestId
})

export const activity: Pick<PanelHandlers<"account", Member>, "account_activity"> = {
  account_activity: Effect.fnUntraced(function*({ query }, { caller: { accountId } }) {
    const { after, kind = null, limit = LIMIT_DEFAULT, person: personId = null } = query
    const { items, next } = yield* accountActivity(accountId, { personId, kind, limit, place: placeOf(after) })
    return { items: items.map(record), next: next === null ? null : `${next.entry}.${next.task}` }
  })
}
