/** One example for each record, body and error of the OpenAPI document, checked by the compiler. */
import type { ServiceInfo, Whoami } from "../Account.ts"
import type { Backup } from "../Backups.ts"
import type { ValidationItem } from "../Errors.ts"
import type * as Instances from "../Instance.ts"
import type { Iso, MountIso } from "../Isos.ts"
import type * as Monitoring from "../Monitoring.ts"
import { PLAN_SPEC_ENTRIES } from "../PlanSpecs.ts"
import type { RescueResult } from "../Rescue.ts"
import type * as Services from "../Services.ts"
import type * as Snapshots from "../Snapshots.ts"

const AT = "2026-11-21T09:30:00.000Z"
const ID = 42

const pricing: Instances.Pricing = {
  gross: 9.99,
  net: 8.39,
  vat_rate: 19,
  vat_amount: 1.6,
  treatment: "domestic",
  charge_amount: 9.99,
  display_amount: 9.99
}

const plan: Services.PublicPlan = {
  id: 2,
  name: "VPS M",
  slug: "vps-m",
  description: "For a busy site",
  price: 9.99,
  billing_cycle: "monthly",
  category: "vps",
  specs: Object.fromEntries(PLAN_SPEC_ENTRIES.map(([name, { example }]) => [name, example]))
}

const instance: Instances.Instance = {
  id: ID,
  user_id: 1,
  order_id: ID,
  status: "running",
  suspended_reason: null,
  provider_id: "machine-42",
  ipv4: "198.51.100.7",
  provider_data:
    "{\"hostname\":\"web-1.example.test\",\"os\":\"debian-12\",\"node\":\"fra-node-1\",\"ipv6\":\"2001:db8::7\"}",
  auto_renew: true,
  expires_at: "2026-12-21T09:30:00.000Z",
  created_at: AT,
  order: {
    id: ID,
    user_id: 1,
    service_id: plan.id,
    status: "paid",
    config: "{\"service_id\":2,\"hostname\":\"web-1.example.test\",\"os\":\"debian-12\"}",
    created_at: AT,
    paid_at: AT,
    service: {
      ...plan,
      description: "For a busy site",
      specs: JSON.stringify(plan.specs),
      is_active: true,
      out_of_stock: false,
      auto_deploy: true,
      created_at: "2026-01-01T00:00:00.000Z",
      pricing
    }
  }
}

const ok = { ok: true, status: "running", task_id: 108 }

const action = (verb: string, status = ok.status): Instances.ActionResult => ({ ...ok, action: verb, status })

const task: Monitoring.Task = {
  id: 107,
  instance_id: ID,
  kind: "operation",
  type: "provision",
  status: "succeeded",
  progress: 100,
  actor: "api_key",
  api_key_id: 3,
  request_id: "6f1d2c1e-8f0a-4b57-9d0c-2c3f7c1f5a10",
  error: null,
  charge_amount: null,
  currency: null,
  created_at: AT,
  started_at: "2026-11-21T09:30:00.004Z",
  finished_at: "2026-11-21T09:30:41.518Z"
}

const sample: typeof Monitoring.MetricsSample.Encoded = {
  at: AT,
  cpu_percent: 12.5,
  memory_bytes: 1_610_612_736,
  memory_total_bytes: 4_294_967_296,
  disk_read_bytes_per_second: 20_480,
  disk_write_bytes_per_second: 81_920,
  network_rx_bytes_per_second: 125_000,
  network_tx_bytes_per_second: 250_000
}

const snapshot: Snapshots.Snapshot = {
  id: 5,
  instance_id: ID,
  name: "before-upgrade",
  status: "available",
  size_bytes: 42_949_672_960,
  created_at: AT
}

const invalid: ValidationItem = {
  loc: ["body", "service_id"],
  msg: "Input should be greater than 0",
  type: "greater_than"
}

const detail = (text: string) => ({ detail: text })

const RECORDS = {
  ServiceInfo: {
    name: "vps-service",
    version: "1.0.0",
    documentation_url: "https://api.example.test/docs",
    openapi_url: "https://api.example.test/openapi.json",
    panel_url: "https://api.example.test/panel"
  } satisfies ServiceInfo,
  Whoami: {
    account_id: 1,
    email: "owner@example.test",
    key: {
      id: 3,
      name: "deploy",
      prefix: "vps_live_",
      last4: "7H7b",
      scopes: ["vps:write"],
      effective_scopes: ["vps:write", "vps:read"],
      created_at: AT,
      expires_at: null,
      last_used_at: AT
    }
  } satisfies Whoami,
  PublicPlan: plan,
  AvailablePlan: {
    ...plan,
    direction: "upgrade",
    charge_amount: 4.62,
    currency: "EUR"
  } satisfies Services.AvailablePlan,
  OsOptions: {
    location_label: "Frankfurt",
    os_options: [{ slug: "debian-12", label: "Debian", version: "12", os_id: 1, icon: null }]
  } satisfies Services.OsOptions,
  Instance: instance,
  DryRun: {
    dry_run: true,
    would_create: true,
    service_id: plan.id,
    plan_name: plan.name,
    billing_cycle: plan.billing_cycle,
    charge_amount: 8.99,
    discount_amount: 1,
    currency: "EUR",
    wallet_balance: 100,
    sufficient_funds: true
  } satisfies Instances.DryRun,
  ActionResult: action("stop"),
  HostnameResult: { ...action("set_hostname"), hostname: "web-1.example.test" } satisfies Instances.HostnameResult,
  RdnsResult: { ...action("set_rdns"), ip: "198.51.100.7", ptr: "web-1.example.test" } satisfies Instances.RdnsResult,
  ResizeResult: {
    ...action("resize", "resizing"),
    charge_amount: 4.62,
    currency: "EUR"
  } satisfies typeof Instances.ResizeResult.Encoded,
  ResetPasswordResult: {
    ok: true,
    action: "reset_password",
    provider_id: "machine-42",
    password: "shown-this-one-time",
    show_once: true
  } satisfies typeof Instances.ResetPasswordResult.Encoded,
  RescueResult: { ok: true, action: "rescue_enter", boot_mode: "rescue", restarted: true } satisfies RescueResult,
  Task: task,
  TaskPage: { items: [task], total: 1, limit: 20, offset: 0 } satisfies Monitoring.TaskPage,
  Metrics: { range: "1h", step_seconds: 10, samples: [sample] } satisfies typeof Monitoring.Metrics.Encoded,
  LiveStatus: {
    instance_id: ID,
    status: "running",
    power: "on",
    paused: null,
    boot_mode: "disk",
    booted: "disk",
    iso_id: null,
    task: null,
    snapshots: { used: 1, quota: 3 },
    uptime_seconds: 86_400,
    sample
  } satisfies typeof Monitoring.LiveStatus.Encoded,
  Snapshot: snapshot,
  SnapshotResult: { ...action("snapshot_create"), snapshot: { ...snapshot, status: "creating", size_bytes: null } },
  Backup: {
    id: 9,
    instance_id: ID,
    kind: "scheduled",
    status: "available",
    size_bytes: 42_949_672_960,
    created_at: AT,
    expires_at: "2026-11-28T09:30:00.000Z"
  } satisfies Backup,
  Iso: { id: 2, name: "debian-netinst", file_name: "debian-netinst.iso", size_bytes: 681_574_400, mounted: false }
} satisfies Record<string, object> & {
  readonly Iso: Iso
  readonly SnapshotResult: typeof Snapshots.SnapshotResult.Encoded
}

const BODIES = {
  CreateInstance: {
    service_id: plan.id,
    hostname: "web-1.example.test",
    os: "debian-12"
  } satisfies Instances.CreateInstance,
  Reinstall: { os: "debian-13" } satisfies typeof Instances.Reinstall.Encoded,
  Hostname: { hostname: "web-1.example.test" } satisfies typeof Instances.Hostname.Encoded,
  Rdns: { ip: "198.51.100.7", ptr: "web-1.example.test" } satisfies typeof Instances.Rdns.Encoded,
  Resize: { service_id: 3 } satisfies typeof Instances.Resize.Encoded,
  CreateSnapshot: { name: "before-upgrade" } satisfies typeof Snapshots.CreateSnapshot.Encoded,
  MountIso: { iso_id: 2 } satisfies typeof MountIso.Encoded
}

const ERRORS = {
  BadRequest: detail("Plan 7 has category hosting. Only vps and dedicated plans can be ordered."),
  Unauthorized: detail("The API key is invalid."),
  PaymentRequired: detail("Insufficient funds: the wallet holds 3.00 EUR, but this costs 9.99 EUR. Top it up."),
  Forbidden: detail("The API key lacks the scope vps:create."),
  NotFound: detail("Instance not found."),
  Conflict: detail("The server is busy with another task (provision); retry shortly."),
  PayloadTooLarge: detail("The body is larger than 65536 bytes."),
  ValidationError: { detail: [invalid] },
  TooManyRequests: detail("Too many requests: 300 per minute, and 60 at once, are allowed (key). Try again in 1 s."),
  InternalServerError: detail("Internal error. The operator's log has the details under this request's id."),
  BadGateway: detail(
    "The upstream provider could not complete set_rdns: timed out. Nothing was changed. Retry shortly."
  ),
  ServiceUnavailable: detail("The service is shutting down. Retry shortly."),
  GatewayTimeout: detail(
    "The outcome is unknown. Check the resource, or retry a create with the same Idempotency-Key."
  )
}

/** By the name of the component. */
export const EXAMPLES: Readonly<Record<string, object>> = { ...RECORDS, ...BODIES, ...ERRORS }
