import { METRICS_RANGE_DEFAULT, TASKS_LIMIT_DEFAULT } from "#contract/Monitoring"
import { taskPage } from "../../instances/Feed.ts"
import { liveStatus, metrics } from "../../instances/Monitoring.ts"
import { availablePlans } from "../../instances/Resize.ts"
import { answer } from "./Answer.ts"
import type { Handlers } from "./ApiRoutes.ts"

export const monitoring: Handlers<"monitoring"> = {
  tasks: ({ params, query }, by) => {
    const page = { limit: query.limit ?? TASKS_LIMIT_DEFAULT, offset: query.offset ?? 0 }
    return answer(taskPage(by, params.instance_id, page))
  },
  status: ({ params }, by) => answer(liveStatus(by, params.instance_id)),
  metrics: ({ params, query }, by) => answer(metrics(by, params.instance_id, query.range ?? METRICS_RANGE_DEFAULT)),
  available_plans: ({ params }, by) => answer(availablePlans(by, params.instance_id))
}
