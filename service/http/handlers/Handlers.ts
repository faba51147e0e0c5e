/** The use case of each endpoint. */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { ServiceInfo } from "@pulumi-vps/contract/Account"
import { API_PREFIX, API_VERSION } from "@pulumi-vps/contract/Api"
import { parseMaxCharge, unquote } from "@pulumi-vps/contract/PurchaseHeaders"
import type { Instance } from "@pulumi-vps/contract/Instance"
import { METRICS_RANGE_DEFAULT, TASKS_LIMIT_DEFAULT } from "@pulumi-vps/contract/Monitoring"
import { whoami } from "../../auth/Authentication.ts"
import { dueRecord } from "../../billing/AmountDue.ts"
import { osOptions, plansForSale } from "../../catalogue/Plans.ts"
import { Config } from "../../config/Config.ts"
import { type ChargeLimit, fromAmount } from "../../domain/Money.ts"
import { announcementRecords } from "../../instances/Announcements.ts"
import { getInstance, listInstances, taskPage } from "../../instances/Read.ts"
import { liveStatus, metrics } from "../../instances/Monitoring.ts"
import { listBackups, restoreBackup } from "../../operations/Backups.ts"
import { listIsos, mountIso, unmountIso } from "../../operations/Isos.ts"
import { operate } from "../../operations/Power.ts"
import { reinstall } from "../../operations/Reinstall.ts"
import { enterRescue, exitRescue } from "../../operations/Rescue.ts"
import { resetPassword } from "../../operations/ResetPassword.ts"
import { availablePlans, resize } from "../../operations/Resize.ts"
import { setHostname } from "../../operations/SetHostname.ts"
import { setRdns } from "../../operations/SetRdns.ts"
import { createSnapshot, deleteSnapshot, listSnapshots, restoreSnapshot } from "../../operations/Snapshots.ts"
import { buy, type Placed } from "../../orders/PlaceOrder.ts"
import { type Previewed, previewOrder } from "../../orders/PreviewOrder.ts"
import { TrustedProxies } from "../connection/ClientAddress.ts"
import { rateLimitHeaders } from "../middleware/RateLimitHeaders.ts"
import type { AllHandlers } from "./ApiRoutes.ts"

/** The panel is at its configured address, else where the API was reached. */
const info = (origin: string, panelUrl: string): ServiceInfo => ({
  name: "vps-service",
  version: API_VERSION,
  documentation_url: `${origin}/docs`,
  openapi_url: `${origin}/openapi.json`,
  panel_url: `${panelUrl === "" ? origin : new URL(panelUrl).origin}/panel`
})

const CREATED = 201

const mismatchHeader = (fields: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  fields.length > 0 ? { "idempotent-mismatch": fields.join(", ") } : {}

const chargeLimitOf = (header: string | undefined): ChargeLimit | undefined => {
  if (header === undefined) return undefined
  const { amount, currency } = parseMaxCharge(header)
  return { amount: fromAmount(amount)!, currency }
}

/** A replayed create is marked and names the fields in which its body differs from the original. */
const created = ({ instance, mismatch, rates, replayed }: Placed) =>
  HttpServerResponse.jsonUnsafe(instance, {
    status: CREATED,
    headers: {
      location: `${API_PREFIX}/instances/${instance.id}`,
      ...(replayed ? { "idempotent-replayed": "true" } : {}),
      ...(rates === undefined ? {} : rateLimitHeaders(rates)),
      ...mismatchHeader(mismatch)
    }
  })

const previewed = ({ mismatch, preview }: Previewed) =>
  HttpServerResponse.jsonUnsafe(preview, { headers: mismatchHeader(mismatch) })

const render = (instance: Instance) => HttpServerResponse.jsonUnsafe(instance)

const USE_CASES: Omit<AllHandlers, "account"> = {
  services: {
    list: (_, caller) => plansForSale(caller),
    os_options: ({ params }, caller) => osOptions(caller, params.service_id)
  },
  instances: {
    list: (_, caller) => listInstances(caller),
    get: ({ params }, caller) => getInstance(caller, params.instance_id, render),
    create: ({ headers, payload: body, query }, caller) => {
      const header = headers["idempotency-key"]
      const maxCharge = chargeLimitOf(headers["vps-max-charge"])
      const command = { caller, body, key: header === undefined ? undefined : unquote(header), maxCharge }
      return query.dry_run === true ? Effect.map(previewOrder(command), previewed) : Effect.map(buy(command), created)
    },
    hostname: ({ params, payload }, caller) => setHostname(caller, params.instance_id, payload.hostname),
    rdns: ({ params, payload }, caller) => setRdns(caller, params.instance_id, payload.ip, payload.ptr),
    reinstall: ({ params, payload }, caller) => reinstall(caller, params.instance_id, payload),
    reset_password: ({ params }, caller) => resetPassword(caller, params.instance_id),
    resize: ({ headers, params, payload }, caller) =>
      resize(caller, params.instance_id, payload.service_id, chargeLimitOf(headers["vps-max-charge"]))
  },
  power: {
    start: ({ params }, caller) => operate(caller, params.instance_id, "start"),
    stop: ({ params }, caller) => operate(caller, params.instance_id, "stop"),
    restart: ({ params }, caller) => operate(caller, params.instance_id, "restart")
  },
  snapshots: {
    list: ({ params }, caller) => listSnapshots(caller, params.instance_id),
    create: ({ params, payload }, caller) => createSnapshot(caller, params.instance_id, payload.name),
    restore: ({ params }, caller) => restoreSnapshot(caller, params.instance_id, params.snap_id),
    delete: ({ params }, caller) => deleteSnapshot(caller, params.instance_id, params.snap_id)
  },
  backups: {
    list: ({ params }, caller) => listBackups(caller, params.instance_id),
    restore: ({ params }, caller) => restoreBackup(caller, params.instance_id, params.backup_id)
  },
  isos: {
    list: ({ params }, caller) => listIsos(caller, params.instance_id),
    mount: ({ params, payload }, caller) => mountIso(caller, params.instance_id, payload.iso_id),
    unmount: ({ params }, caller) => unmountIso(caller, params.instance_id)
  },
  rescue: {
    enter: ({ params }, caller) => enterRescue(caller, params.instance_id),
    exit: ({ params }, caller) => exitRescue(caller, params.instance_id)
  },
  monitoring: {
    tasks: ({ params, query: { limit = TASKS_LIMIT_DEFAULT, offset = 0 } }, caller) =>
      taskPage(caller, params.instance_id, { limit, offset }),
    status: ({ params }, caller) => liveStatus(caller, params.instance_id),
    metrics: ({ params, query }, caller) => metrics(caller, params.instance_id, query.range ?? METRICS_RANGE_DEFAULT),
    available_plans: ({ params }, caller) => availablePlans(caller, params.instance_id)
  }
}

/** Built with the layer, because the trusted proxies are a setting. */
export const handlers = Effect.map(TrustedProxies, ({ origin }): AllHandlers => ({
  ...USE_CASES,
  account: {
    root: ({ request }) => Effect.map(Config, ({ panelUrl }) => info(origin(request), panelUrl)),
    whoami: (_, caller) =>
      Effect.all([whoami(caller), dueRecord(caller), announcementRecords(caller)]).pipe(
        Effect.map(([who, due, announcements]) => ({ ...who, ...due, announcements }))
      )
  }
}))
