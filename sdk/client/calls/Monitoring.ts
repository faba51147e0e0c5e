import type { AvailablePlan, LiveStatus, Metrics, TaskPage } from "../Records.ts"
import type { CallOptions, MetricsQuery, TasksQuery } from "../options/Options.ts"
import { read } from "./Endpoint.ts"

/** An instance's live status, usage and activity, and the plans it can be resized to. */
export const monitoring = {
  /** Returns the live status: power, boot mode, open task, snapshots used, and the newest usage sample. */
  status: read<(id: number, options?: CallOptions) => LiveStatus>("GET /instances/:instance_id/status"),

  /** Returns usage samples in bytes and bytes per second, 10 s (`1h`, the default) to 6 h (`30d`) apart. */
  metrics: read<(id: number, query?: MetricsQuery, options?: CallOptions) => Metrics>(
    "GET /instances/:instance_id/metrics",
    { query: ["range"] }
  ),

  /** Returns one page of the activity feed, newest first. `tasks.iterate` reads all pages. */
  tasks: read<(id: number, query?: TasksQuery, options?: CallOptions) => TaskPage>(
    "GET /instances/:instance_id/tasks",
    { query: ["limit", "offset"] }
  ),

  /** Lists the plans the instance can be resized to, with the charge for a resize now. 400 for a dedicated plan. */
  availablePlans: read<(id: number, options?: CallOptions) => Array<AvailablePlan>>(
    "GET /instances/:instance_id/available-plans",
    { list: true }
  )
}
