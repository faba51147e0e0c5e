import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "#contract/Api"
import { METRICS_RANGE_DEFAULT, TASKS_LIMIT_DEFAULT } from "#contract/Monitoring"
import { taskPage } from "../instances/Feed.ts"
import { liveStatus, metrics } from "../instances/Monitoring.ts"
import { availablePlans } from "../instances/Resize.ts"
import { answer } from "./Answer.ts"

export const layer = HttpApiBuilder.group(Api, "monitoring", (handlers) =>
  handlers
    .handle("tasks", ({ params, query }) => {
      const page = { limit: query.limit ?? TASKS_LIMIT_DEFAULT, offset: query.offset ?? 0 }
      return answer((by) => taskPage(by, params.instance_id, page))
    })
    .handle("status", ({ params }) => answer((by) => liveStatus(by, params.instance_id)))
    .handle("metrics", ({ params, query }) =>
      answer((by) => metrics(by, params.instance_id, query.range ?? METRICS_RANGE_DEFAULT)))
    .handle("available_plans", ({ params }) =>
      answer((by) => availablePlans(by, params.instance_id))))
