/** An instance's live status, metrics, activity feed and available plans. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import {
  Amount,
  type Encoded,
  NullableInt,
  NullableString,
  NullableTimestamp,
  openSet,
  PathId,
  queryInt,
  queryWord,
  Timestamp,
  UNSHOWN
} from "./Primitives.ts"
import { BadGateway, BadRequest, NotFound } from "./Errors.ts"
import { InstanceStatus } from "./Instance.ts"
import { operation } from "./Operation.ts"
import { AvailablePlan } from "./Services.ts"

/** Most tasks on one page of the activity feed. */
export const TASKS_LIMIT_MAX = 100
export const TASKS_LIMIT_DEFAULT = 20

export const Task = Schema.Struct({
  id: Schema.Int,
  instance_id: Schema.Int,
  kind: openSet(["operation", "audit"], "operation or audit"),
  type: Schema.String.annotate({ description: "The operation, for example provision" }),
  status: openSet(
    ["queued", "running", "succeeded", "failed", "cancelled"],
    "queued, running, succeeded, failed or cancelled"
  ),
  progress: Schema.Int.annotate({ description: "0 to 100" }),
  actor: openSet(["api_key", "system", "panel", "admin"], "api_key, system, panel or admin"),
  api_key_id: NullableInt,
  request_id: NullableString,
  error: NullableString,
  charge_amount: Schema.NullOr(Amount).annotate({ description: "The amount charged by a renewal; null otherwise" }),
  currency: NullableString.annotate({ description: "The currency of charge_amount" }),
  created_at: Timestamp,
  started_at: NullableTimestamp,
  finished_at: NullableTimestamp
}).annotate({
  identifier: "Task",
  ...UNSHOWN,
  description: "An operation on an instance, or an entry of its audit log"
})
export interface Task extends Encoded<typeof Task> {}

export const TaskPage = Schema.Struct({
  items: Schema.Array(Task).annotate({ description: "Newest first" }),
  total: Schema.Int,
  limit: Schema.Int,
  offset: Schema.Int
}).annotate({ identifier: "TaskPage", ...UNSHOWN, description: "A page of the activity feed" })
export interface TaskPage extends Encoded<typeof TaskPage> {}

export const MetricsSample = Schema.Struct({
  at: Timestamp,
  cpu_percent: Schema.Finite,
  memory_bytes: Schema.Int,
  memory_total_bytes: Schema.Int,
  disk_read_bytes_per_second: Schema.Finite,
  disk_write_bytes_per_second: Schema.Finite,
  network_rx_bytes_per_second: Schema.Finite,
  network_tx_bytes_per_second: Schema.Finite
}).annotate({ identifier: "MetricsSample", ...UNSHOWN, description: "The usage of an instance at a moment" })
export interface MetricsSample extends Encoded<typeof MetricsSample> {}

export const METRICS_RANGES = ["1h", "6h", "24h", "7d", "30d"] as const
export const METRICS_RANGE_DEFAULT = "1h"
export type MetricsRange = typeof METRICS_RANGES[number]

export const Metrics = Schema.Struct({
  range: Schema.String,
  step_seconds: Schema.Int,
  samples: Schema.Array(MetricsSample)
}).annotate({ identifier: "Metrics", ...UNSHOWN, description: "The usage of an instance over time" })
export interface Metrics extends Encoded<typeof Metrics> {}

export const LiveStatus = Schema.Struct({
  instance_id: Schema.Int,
  status: InstanceStatus,
  power: openSet(["on", "off"], "on or off"),
  paused: NullableString.annotate({
    description: "The reason for which its host has paused it, although its power is on: storage_full. null otherwise"
  }),
  boot_mode: openSet(["disk", "rescue"], "The mode that is set for the next boot: disk or rescue"),
  booted: openSet(["disk", "rescue"], "The mode of the last boot: disk or rescue"),
  iso_id: NullableInt,
  task: Schema.NullOr(Task).annotate({ description: "The open task, if any" }),
  snapshots: Schema.NullOr(
    Schema.Struct({ used: Schema.Int, quota: Schema.Int }).annotate({
      description: "The snapshots that an instance has and may have"
    })
  ).annotate({
    description: "null if instances of this category have none"
  }),
  uptime_seconds: Schema.Int,
  sample: Schema.NullOr(MetricsSample).annotate({ description: "The newest sample, if any" })
}).annotate({ identifier: "LiveStatus", ...UNSHOWN, description: "The state of an instance now" })
export interface LiveStatus extends Encoded<typeof LiveStatus> {}

const params = { instance_id: PathId }

export class Monitoring extends HttpApiGroup.make("monitoring")
  .add(
    HttpApiEndpoint.get("status", "/instances/:instance_id/status", {
      params,
      success: LiveStatus,
      error: [NotFound, BadGateway]
    })
      .annotateMerge(operation({ scope: "vps:read", retry: "read", signIn: "any" }, "Get the live status")),
    HttpApiEndpoint.get("metrics", "/instances/:instance_id/metrics", {
      params,
      query: { range: Schema.optionalKey(queryWord(METRICS_RANGES)) },
      success: Metrics,
      error: [NotFound, BadGateway]
    })
      .annotateMerge(
        operation({ scope: "vps:read", retry: "read", signIn: "any" }, "Get usage samples; the default range is 1h")
      ),
    HttpApiEndpoint.get("tasks", "/instances/:instance_id/tasks", {
      params,
      query: {
        limit: Schema.optionalKey(queryInt(1, TASKS_LIMIT_MAX)),
        offset: Schema.optionalKey(queryInt(0))
      },
      success: TaskPage,
      error: NotFound
    })
      .annotateMerge(
        operation({ scope: "vps:read", retry: "read", signIn: "any" }, "Read the activity feed, newest first")
      ),
    HttpApiEndpoint.get("available_plans", "/instances/:instance_id/available-plans", {
      params,
      success: Schema.Array(AvailablePlan),
      error: [BadRequest, NotFound]
    })
      .annotateMerge(
        operation({ scope: "vps:read", retry: "read", signIn: "any" }, "List the plans the instance can be resized to")
      )
  )
  .annotate(OpenApi.Description, "Status, metrics, activity and possible plans of an instance")
{}
