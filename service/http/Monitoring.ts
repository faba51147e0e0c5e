import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "#contract/Api"
import { TASKS_LIMIT_DEFAULT } from "#contract/Monitoring"
import { taskPage } from "../instances/Feed.ts"
import { answer } from "./Answer.ts"
import { notBuiltYet } from "./NotBuiltYet.ts"

export const layer = HttpApiBuilder.group(Api, "monitoring", (handlers) =>
  handlers
    .handle("tasks", ({ params, query }) => {
      const page = { limit: query.limit ?? TASKS_LIMIT_DEFAULT, offset: query.offset ?? 0 }
      return answer((by) => taskPage(by, params.instance_id, page))
    })
    .handle("status", notBuiltYet)
    .handle("metrics", notBuiltYet)
    .handle("available_plans", notBuiltYet))
