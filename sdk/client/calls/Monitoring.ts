import type { AvailablePlan, LiveStatus, Metrics, TaskPage } from "../Records.ts"
import type { CallOptions, MetricsQuery, TasksQuery } from "../options/Options.ts"
import { read } from "./Endpoint.ts"

/** An instance's live status, usage and activity, and the plans it can be resized to. */
export const monitoring = {
  /**
   * Returns the live status: power, boot mode, open task, snapshots used, and the newest usage sample.
   *
   * @example
   * const { power, sample, task } = await vps.monitoring.status(42)
   * console.log(power, task?.type ?? "idle", sample?.cpu_percent)
   */
  status: read<(id: number, options?: CallOptions) => LiveStatus>("GET /instances/:instance_id/status"),

  /**
   * Returns usage samples in bytes and bytes per second, 10 s (`1h`, the default) to 6 h (`30d`) apart.
   *
   * @example
   * const { samples } = await vps.monitoring.metrics(42, { range: "24h" })
   * console.log(Math.max(...samples.map(({ cpu_percent }) => cpu_percent)))
   */
  metrics: read<(id: number, query?: MetricsQuery, options?: CallOptions) => Metrics>(
    "GET /instances/:instance_id/metrics",
    { query: ["range"] }
  ),

  /**
   * Returns one page of the activity feed, newest first. `tasks.iterate` reads all pages.
   *
   * @example
   * const { items, total } = await vps.monitoring.tasks(42, { limit: 5 })
   * console.log(`${items.length} of ${total}`, items.map(({ status, type }) => `${type} ${status}`))
   */
  tasks: read<(id: number, query?: TasksQuery, options?: CallOptions) => TaskPage>(
    "GET /instances/:instance_id/tasks",
    { query: ["limit", "offset"] }
  ),

  /**
   * Lists the plans the instance can be resized to, with the charge for a resize now. 400 for a dedicated plan.
   *
   * @example
   * for (const { charge_amount, currency, direction, slug } of await vps.monitoring.availablePlans(42)) {
   *   console.log(direction, slug, charge_amount, currency)
   * }
   */
  availablePlans: read<(id: number, options?: CallOptions) => Array<AvailablePlan>>(
    "GET /instances/:instance_id/available-plans",
    { list: true }
  )
}
