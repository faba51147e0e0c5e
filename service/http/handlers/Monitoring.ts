import { METRICS_RANGE_DEFAULT, TASKS_LIMIT_DEFAULT } from "#contract/Monitoring"
import { taskPage } from "../../instances/Feed.ts"
import { liveStatus, metrics } from "../../instances/Monitoring.ts"
import { availablePlans } from "../../operations/Resize.ts"
import type { Handlers } from "./ApiRoutes.ts"

export const monitoring: Handlers<"monitoring"> = {
  tasks: ({ params, query: { limit = TASKS_LIMIT_DEFAULT, offset = 0 } }, caller) =>
    taskPage(caller, params.instance_id, { limit, offset }),
  status: ({ params }, caller) => liveStatus(caller, params.instance_id),
  metrics: ({ params, query }, caller) => metrics(caller, params.instance_id, query.range ?? METRICS_RANGE_DEFAULT),
  available_plans: ({ params }, caller) => availablePlans(caller, params.instance_id)
}
