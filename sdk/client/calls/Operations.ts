/**
 * Every operation of the contract by name: where it is, what it carries, and when it may be repeated.
 * The contract itself is schemas, which take 280 ms to load; this table is what the client needs of it at run time.
 * A test holds the two equal.
 */

/**
 * How an operation may be repeated:
 * - `read`: changes nothing, so always
 * - `purchase`: costs money, and is made repeatable by its idempotency key
 * - `mutation`: only when the host did not do it: it said so, or nothing was sent
 * - `once`: like `mutation`, and not after a 502 either, which may hide that it was done: a second password, system or
 *   snapshot would be made, or a disk put back once more, with what was written since the first time
 */
export type RetryKind = "read" | "purchase" | "mutation" | "once"

export interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  /** Below the base URL; `:name` stands for a path argument. */
  readonly path: string
  readonly retry: RetryKind
  /** Names of the query parameters. */
  readonly query?: ReadonlyArray<string>
  readonly body?: true
  /** Answers an array, which some hosts wrap as `{ items: [...] }`. */
  readonly list?: true
  /** Differs from the named endpoint of the contract only in how it is called. */
  readonly variantOf?: string
}

export const operations = {
  "account.root": { method: "GET", path: "/", retry: "read" },
  "account.whoami": { method: "GET", path: "/whoami", retry: "read" },

  "services.list": { method: "GET", path: "/services", retry: "read", list: true },
  "services.os_options": { method: "GET", path: "/services/:service_id/os-options", retry: "read" },

  "instances.list": { method: "GET", path: "/instances", retry: "read", list: true },
  "instances.create": { method: "POST", path: "/instances", retry: "purchase", query: ["dry_run"], body: true },
  "instances.dry_run": {
    method: "POST",
    path: "/instances",
    retry: "read",
    query: ["dry_run"],
    body: true,
    variantOf: "instances.create"
  },
  "instances.get": { method: "GET", path: "/instances/:instance_id", retry: "read" },
  "instances.reinstall": { method: "POST", path: "/instances/:instance_id/reinstall", retry: "once", body: true },
  "instances.reset_password": { method: "POST", path: "/instances/:instance_id/reset-password", retry: "once" },
  "instances.hostname": { method: "PATCH", path: "/instances/:instance_id/hostname", retry: "mutation", body: true },
  "instances.rdns": { method: "POST", path: "/instances/:instance_id/rdns", retry: "mutation", body: true },
  "instances.resize": { method: "POST", path: "/instances/:instance_id/resize", retry: "mutation", body: true },

  "monitoring.status": { method: "GET", path: "/instances/:instance_id/status", retry: "read" },
  "monitoring.metrics": { method: "GET", path: "/instances/:instance_id/metrics", retry: "read", query: ["range"] },
  "monitoring.tasks": {
    method: "GET",
    path: "/instances/:instance_id/tasks",
    retry: "read",
    query: ["limit", "offset"]
  },
  "monitoring.available_plans": {
    method: "GET",
    path: "/instances/:instance_id/available-plans",
    retry: "read",
    list: true
  },

  "power.start": { method: "POST", path: "/instances/:instance_id/start", retry: "mutation" },
  "power.stop": { method: "POST", path: "/instances/:instance_id/stop", retry: "mutation" },
  "power.restart": { method: "POST", path: "/instances/:instance_id/restart", retry: "mutation" },

  "snapshots.list": { method: "GET", path: "/instances/:instance_id/snapshots", retry: "read", list: true },
  "snapshots.create": { method: "POST", path: "/instances/:instance_id/snapshots", retry: "once", body: true },
  "snapshots.restore": {
    method: "POST",
    path: "/instances/:instance_id/snapshots/:snap_id/restore",
    retry: "once"
  },
  "snapshots.delete": { method: "DELETE", path: "/instances/:instance_id/snapshots/:snap_id", retry: "mutation" },

  "backups.list": { method: "GET", path: "/instances/:instance_id/backups", retry: "read", list: true },
  "backups.restore": {
    method: "POST",
    path: "/instances/:instance_id/backups/:backup_id/restore",
    retry: "once"
  },

  "isos.list": { method: "GET", path: "/instances/:instance_id/isos", retry: "read", list: true },
  "isos.mount": { method: "POST", path: "/instances/:instance_id/iso", retry: "mutation", body: true },
  "isos.unmount": { method: "DELETE", path: "/instances/:instance_id/iso", retry: "mutation" },

  "rescue.enter": { method: "POST", path: "/instances/:instance_id/rescue", retry: "mutation" },
  "rescue.exit": { method: "DELETE", path: "/instances/:instance_id/rescue", retry: "mutation" }
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof operations
