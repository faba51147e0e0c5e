/** The API port on the `World`: each call is noted, may be told to fail, and then does its work. */
import type { ActionResult, CreateInstance, DryRun, Reinstall, ResizeResult } from "#contract/Instance"
import type { LiveStatus } from "#contract/Monitoring"
import type { RescueResult } from "#contract/Rescue"
import type { AvailablePlan } from "#contract/Services"
import { minor } from "#provider/purchase/Money"
import type { Api, CreateResult } from "#provider/api/Api"
import { nameOf, OS_OPTIONS, plans, priceOf } from "./Catalogue.ts"
import { apiError, SNAPSHOTS_QUOTA } from "./Machine.ts"
import type { Bought, World } from "./World.ts"

/** `attempt` notes the call and lets it fail when the test said so. */
export const apiOf = (world: World, attempt: World["attempt"]): Api => ({
  whoami: () => attempt("whoami", () => whoami(world)),
  services: () => attempt("services", plans),
  osOptions: (id) => attempt("osOptions", () => ({ location_label: "Frankfurt", os_options: OS_OPTIONS }), `${id}`),
  list: () => attempt("list", () => world.owned().map((one) => world.show(one))),
  get: (id) => attempt("get", () => world.show(world.find(id)), `${id}`),
  create: (body, key) => attempt("create", () => create(world, body, key), JSON.stringify(body)),
  dryRun: (body, key) =>
    attempt("dryRun", () => dryRun(world, body, key), `${body.service_id}${key === undefined ? "" : " own key"}`),
  hostname: (id, hostname) => attempt("hostname", () => world.change(id, { hostname }), `${id} ${hostname}`),
  rdns: (id, ip, ptr) => attempt("rdns", () => void world.rdns.set(ip, ptr), `${id} ${ip} ${ptr}`),
  start: (id) => attempt("start", () => power(world, id, "start"), `${id}`),
  stop: (id, request) => attempt("stop", () => power(world, id, "stop", request), `${id}`),
  restart: (id) => attempt("restart", () => power(world, id, "restart"), `${id}`),
  resize: (id, plan, request) => attempt("resize", () => resize(world, id, plan, request), `${id} ${plan}`),
  reinstall: (id, body, request) =>
    attempt("reinstall", () => reinstall(world, id, body, request), `${id} ${JSON.stringify(body)}`),
  resetPassword: (id, request) => attempt("resetPassword", () => resetPassword(world, id, request), `${id}`),
  rescueEnter: (id, request) => attempt("rescueEnter", () => boot(world, id, "rescue", request), `${id}`),
  rescueExit: (id, request) => attempt("rescueExit", () => boot(world, id, "disk", request), `${id}`),
  isos: (id) => attempt("isos", () => world.machine(id).isos(), `${id}`),
  isoMount: (id, iso) => attempt("isoMount", () => drive(world, id, iso), `${id} ${iso}`),
  isoUnmount: (id) => attempt("isoUnmount", () => drive(world, id, null), `${id}`),
  snapshots: (id) => attempt("snapshots", () => world.machine(id).snapshots.map((one) => ({ ...one })), `${id}`),
  snapshotCreate: (id, name) =>
    attempt("snapshotCreate", () => world.machine(id).takeSnapshot(world.now, name), `${id} ${name}`),
  snapshotRestore: (id, snap, request) =>
    attempt("snapshotRestore", () => world.machine(id).restoreSnapshot(world.now, snap, request), `${id} ${snap}`),
  snapshotDelete: (id, snap) =>
    attempt("snapshotDelete", () => world.machine(id).deleteSnapshot(world.now, snap), `${id} ${snap}`),
  backups: (id) => attempt("backups", () => world.machine(id).backups.map((one) => ({ ...one })), `${id}`),
  backupRestore: (id, backup, request) =>
    attempt("backupRestore", () => world.machine(id).restoreBackup(world.now, backup, request), `${id} ${backup}`),
  status: (id) => attempt("status", () => status(world, id), `${id}`),
  metrics: (id, range = "1h") => attempt("metrics", () => ({ range, step_seconds: 10, samples: [] }), `${id}`),
  tasks: (id, query) => attempt("tasks", () => world.machine(id).page(query), `${id}`),
  availablePlans: (id) => attempt("availablePlans", () => availablePlans(world, id), `${id}`)
})

const whoami = ({ account, scopes, now }: World): Awaited<ReturnType<Api["whoami"]>> => ({
  account_id: account,
  email: `owner-${account}@example.test`,
  key: {
    id: 1,
    name: "test",
    prefix: "vps_test",
    last4: "0000",
    scopes,
    effective_scopes: scopes,
    created_at: new Date(now).toISOString(),
    expires_at: null,
    last_used_at: null
  }
})

const create = (world: World, body: CreateInstance, key: string): CreateResult => {
  const earlier = world.boughtWith(key)
  if (earlier === undefined) return { instance: world.show(world.buy(body, key)), replayed: false, mismatch: [] }
  return { instance: world.show(earlier), replayed: true, mismatch: mismatch(earlier, body) }
}

const mismatch = (earlier: Bought, body: CreateInstance): ReadonlyArray<string> =>
  (["service_id", "hostname", "os", "ssh_pubkey", "root_password"] as const)
    .filter((field) => (earlier.body[field] ?? null) !== (body[field] ?? null))

const dryRun = (world: World, body: CreateInstance, key: string | undefined): DryRun => {
  const owned = key !== undefined && world.boughtWith(key) !== undefined
  const price = priceOf(body.service_id)
  if (price === undefined) throw apiError(404, `no plan ${body.service_id}`)
  const sufficient = owned || world.wallet >= price
  return {
    dry_run: true,
    would_create: sufficient && !owned,
    service_id: body.service_id,
    plan_name: nameOf(body.service_id),
    billing_cycle: "monthly",
    charge_amount: owned ? 0 : price,
    discount_amount: 0,
    currency: "EUR",
    wallet_balance: world.wallet,
    sufficient_funds: sufficient
  }
}

const chargeFor = ({ serviceId }: Bought, plan: number): number =>
  Math.max(0, minor(priceOf(plan) ?? 0) - minor(priceOf(serviceId) ?? 0)) / 100

/** A no-op when it is there already. */
const power = (world: World, id: number, type: "start" | "stop" | "restart", request?: string): ActionResult => {
  const one = world.find(id)
  if (one.status === "stopped") Object.assign(one, { status: undefined }).machine.power = "off"
  const { machine } = one
  const to = type === "stop" ? "off" : "on"
  if (type !== "restart" && machine.power === to && machine.task === null) {
    return { ok: true, action: type, status: machine.status, task_id: null }
  }
  return machine.begin(world.now, type, () => void (machine.power = to), request)
}

const drive = (world: World, id: number, iso: number | null): ActionResult => {
  const { machine } = world.find(id)
  return machine.begin(world.now, iso === null ? "iso_unmount" : "iso_mount", () => void (machine.isoId = iso))
}

/** The charge is taken at once and given back when the task fails; the plan changes when it ends. */
const resize = (world: World, id: number, plan: number, request: string): ResizeResult => {
  const one = world.find(id)
  one.machine.refuse("rescue", "A resize")
  if (priceOf(plan) === undefined) throw apiError(404, `no plan ${plan}`)
  if (one.serviceId === plan) throw apiError(409, `The server is on plan ${plan} already.`)
  const charge_amount = chargeFor(one, plan)
  if (world.wallet < charge_amount) throw apiError(402, `the wallet holds ${world.wallet}`)
  const result = one.machine.begin(world.now, "resize", () => void (one.serviceId = plan), request)
  world.wallet -= one.machine.failing === "resize" ? 0 : charge_amount
  return { ...result, charge_amount, currency: "EUR" }
}

const availablePlans = (world: World, id: number): ReadonlyArray<AvailablePlan> => {
  const one = world.find(id)
  return plans().filter((plan) => plan.id !== one.serviceId).map((plan) => ({
    ...plan,
    direction: plan.price > (priceOf(one.serviceId) ?? 0) ? "upgrade" : "downgrade",
    charge_amount: chargeFor(one, plan.id),
    currency: "EUR"
  }))
}

const reinstall = (world: World, id: number, body: Reinstall, request: string): ActionResult => {
  const { machine } = world.find(id)
  return machine.begin(world.now, "reinstall", () => {
    machine.os = body.os
    machine.power = "on"
    machine.bootMode = "disk"
    machine.disk = `installed ${body.os} with ${body.ssh_pubkey ?? "no key"}`
  }, request)
}

const resetPassword = (world: World, id: number, request: string): Awaited<ReturnType<Api["resetPassword"]>> => {
  const { machine } = world.find(id)
  machine.refuse("rescue", "A new password")
  machine.passwords++
  machine.note(world.now, "reset_password", request)
  const password = `fresh-${machine.passwords}`
  return { ok: true, action: "reset_password", provider_id: `machine-${id}`, password, show_once: true }
}

const boot = (world: World, id: number, mode: "disk" | "rescue", request: string): RescueResult => {
  const { machine } = world.find(id)
  const action = mode === "rescue" ? "rescue_enter" : "rescue_exit"
  if (machine.bootMode === mode && machine.power === "on") {
    return { ok: true, action, boot_mode: mode, restarted: true }
  }
  machine.bootMode = mode
  machine.note(world.now, action, request)
  if (machine.restarts) machine.power = "on"
  return { ok: true, action, boot_mode: mode, restarted: machine.restarts }
}

const status = (world: World, id: number): LiveStatus => {
  const { machine, ...one } = world.find(id)
  const shown = world.show({ machine, ...one }).status
  return {
    instance_id: id,
    status: shown,
    power: shown === "stopped" ? "off" : "on",
    boot_mode: machine.bootMode,
    iso_id: machine.isoId,
    task: machine.task,
    snapshots: { used: machine.snapshots.length, quota: SNAPSHOTS_QUOTA },
    uptime_seconds: 0,
    sample: null
  }
}
