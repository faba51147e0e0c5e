import type {
  ActionResult,
  CreateInstance,
  DryRun,
  Hostname,
  HostnameResult,
  Instance,
  Rdns,
  RdnsResult,
  Reinstall,
  ResetPasswordResult,
  Resize,
  ResizeResult
} from "../Records.ts"
import type { CallOptions, ChargeOptions, CreateOptions } from "../options/Options.ts"
import { idempotent, mutation, once, purchase, read } from "./Endpoint.ts"

/** Buying, reading and changing instances. */
export const instances = {
  /**
   * Lists the account's instances.
   *
   * @example
   * const instances = await vps.instances.list()
   * const running = instances.filter(({ status }) => status === "running")
   * console.log(running.map(({ id, ipv4 }) => `${id} ${ipv4}`))
   */
  list: read<(options?: CallOptions) => Array<Instance>>("GET /instances", { list: true }),

  /**
   * Returns one instance. 404 also if it belongs to another account.
   *
   * @example
   * const { ipv4, order, status } = await vps.instances.get(42)
   * console.log(status, ipv4, order.service.slug)
   */
  get: read<(id: number, options?: CallOptions) => Instance>("GET /instances/:instance_id"),

  /**
   * Buys an instance. Charges the wallet and returns before the instance is deployed; `createAndWait` waits for that.
   * All attempts of one call send the same idempotency key, so it never buys twice. Every error carries the key:
   * repeat the call with it to resume the purchase.
   *
   * @example
   * const instance = await vps.instances.create({ service_id: 1 }, { idempotencyKey: "web-1" })
   * console.log(instance.id, instance.status)
   */
  create: purchase<(body: CreateInstance, options?: CreateOptions) => Instance>("POST /instances", {
    body: true,
    check: ({ id }) =>
      Number.isSafeInteger(id) ? undefined : "The server accepted the create but returned no instance ID"
  }),

  /**
   * Returns what a create would charge and whether the wallet covers it, without buying anything.
   * With `idempotencyKey`, returns what a create with that key would do.
   *
   * @example
   * const { charge_amount, currency, sufficient_funds } = await vps.instances.dryRun({ service_id: 1 })
   * if (!sufficient_funds) console.log(`Top up the wallet: this costs ${charge_amount} ${currency}`)
   */
  dryRun: read<(body: CreateInstance, options?: CreateOptions) => DryRun>("POST /instances", {
    body: true,
    fixedQuery: { dry_run: true },
    check: ({ dry_run }) =>
      dry_run === true ? undefined : "The server did not return a dry run. Check whether it bought an instance"
  }),

  /**
   * Reinstalls the operating system. All data on the disk is lost. `password` is not shown again.
   * Not retried after a lost response: check the activity feed before you call this again.
   *
   * @example
   * await vps.instances.reinstall(42, { os: "debian-13", ssh_pubkey: "ssh-ed25519 AAAA..." })
   */
  reinstall: once<(id: number, body: Reinstall, options?: CallOptions) => ActionResult>(
    "POST /instances/:instance_id/reinstall",
    { body: true, unshown: "ActionResult" }
  ),

  /**
   * Sets a new root password and returns it once. Not retried after a lost response.
   *
   * @example
   * const { password } = await vps.instances.resetPassword(42)
   * console.log(password)
   */
  resetPassword: once<(id: number, options?: CallOptions) => ResetPasswordResult>(
    "POST /instances/:instance_id/reset-password"
  ),

  /**
   * Sets the hostname. 409 with `retryAfter` while another task runs.
   *
   * @example
   * await vps.instances.hostname(42, { hostname: "web.example.com" })
   */
  hostname: idempotent<(id: number, body: Hostname, options?: CallOptions) => HostnameResult>(
    "PATCH /instances/:instance_id/hostname",
    { body: true, unshown: "HostnameResult" }
  ),

  /**
   * Sets the reverse DNS (PTR) record of one of the instance's IP addresses.
   *
   * @example
   * const { ipv4 } = await vps.instances.get(42)
   * if (ipv4 != null) await vps.instances.rdns(42, { ip: ipv4, ptr: "web.example.com" })
   */
  rdns: idempotent<
    (id: number, body: Rdns, options?: CallOptions) => RdnsResult
  >("POST /instances/:instance_id/rdns", { body: true, unshown: "RdnsResult" }),

  /**
   * Changes the plan, in place. An upgrade charges the rest of the billing cycle immediately (402 if the wallet does
   * not cover it); a downgrade refunds nothing. `monitoring.availablePlans` returns the charge in advance. 409 if the
   * instance is already on that plan.
   *
   * @example
   * const plans = await vps.monitoring.availablePlans(42)
   * const larger = plans.find(({ direction }) => direction === "upgrade")
   * if (larger !== undefined) {
   *   const maxCharge = { amount: larger.charge_amount, currency: larger.currency }
   *   const { charge_amount, currency } = await vps.instances.resize(42, { service_id: larger.id }, { maxCharge })
   *   console.log(`Charged ${charge_amount} ${currency}`)
   * }
   */
  resize: mutation<(id: number, body: Resize, options?: ChargeOptions) => ResizeResult>(
    "POST /instances/:instance_id/resize",
    { body: true, unshown: "ResizeResult" }
  )
}
