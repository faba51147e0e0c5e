/**
 * The peer's store: node:sqlite as people use it, rows as objects, one durable transaction per create. It works on a
 * copy of the service's own database file, so that both answer from the same rows and write the same rows.
 */
import { hash } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import { type Create, LIST, type Row, SHOW, toInstance, vatWithin } from "./Record.ts"

export interface Key {
  readonly id: number
  readonly accountId: number
  readonly scopes: ReadonlySet<string>
}

export type Placed = { readonly instance: object } | { readonly status: number; readonly detail: string }

/** The scopes that a scope implies. */
const IMPLIED: Record<string, Array<string>> = {
  "vps:create": ["vps:create", "vps:write", "vps:read"],
  "vps:write": ["vps:write", "vps:read"],
  "vps:read": ["vps:read"]
}

/** Milliseconds that a key look-up is cached, as in the service. */
const KEY_CACHE_MILLIS = 2_000

const SQL = {
  show: SHOW,
  list: LIST,
  key: "SELECT id, account_id, scopes, expires_at, revoked_at FROM api_keys WHERE digest = ?",
  claim: "SELECT instance_id FROM idempotency_keys WHERE api_key_id = ? AND digest = ?",
  plan: "SELECT * FROM plans WHERE id = ? AND is_active = 1 AND out_of_stock = 0",
  image: `SELECT m.slug FROM data_center_images d JOIN images m ON m.os_id = d.os_id
    WHERE d.data_center_id = ? AND (m.slug = ? OR (? IS NULL AND d.is_default = 1))`,
  account: "SELECT * FROM accounts WHERE id = ?",
  order: `INSERT INTO orders (account_id, plan_id, status, config, charge, created_at, paid_at)
    VALUES (?, ?, 'paid', ?, ?, ?, ?)`,
  debit: "UPDATE accounts SET wallet = wallet - ? WHERE id = ? AND wallet >= ?",
  journal: `INSERT INTO journals (account_id, kind, reference, currency, created_at)
    VALUES (?, 'instance_create', ?, ?, ?)`,
  entry: "INSERT INTO entries (journal_id, line, account, amount) VALUES (?, ?, ?, ?)",
  instance: `INSERT INTO instances (account_id, order_id, lifecycle, power, boot_mode, hostname, os, auto_renew,
    expires_at, created_at) VALUES (?, ?, 'pending', 'off', 'disk', ?, ?, 1, ?, ?)`,
  task: `INSERT INTO tasks (instance_id, kind, type, status, progress, actor, api_key_id, params, attempts, run_at,
    fence, created_at) VALUES (?, 'operation', 'provision', 'queued', 0, 'api_key', ?, ?, 0, ?, 0, ?)`,
  claimed: `INSERT INTO idempotency_keys (api_key_id, digest, fingerprint, instance_id, created_at)
    VALUES (?, ?, ?, ?, ?)`,
  begin: "BEGIN IMMEDIATE",
  commit: "COMMIT",
  rollback: "ROLLBACK"
}

export class Store {
  private readonly sql: Record<keyof typeof SQL, ReturnType<DatabaseSync["prepare"]>>
  private readonly keys = new Map<string, { readonly key: Key; readonly until: number }>()

  constructor(path: string) {
    const db = new DatabaseSync(path)
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000")
    const prepared = Object.entries(SQL).map(([name, sql]) => [name, db.prepare(sql)] as const)
    this.sql = Object.fromEntries(prepared) as Store["sql"]
  }

  key(token: string): Key | undefined {
    const digest = hash("sha256", token, "hex")
    const cached = this.keys.get(digest)
    if (cached !== undefined && cached.until > performance.now()) return cached.key
    const row = this.sql.key.get(digest) as Row | undefined
    if (row === undefined || row["revoked_at"] !== null) return undefined
    if (row["expires_at"] !== null && (row["expires_at"] as number) <= Date.now()) return undefined
    const granted = (row["scopes"] as string).match(/vps:\w+/g) ?? []
    const key = {
      id: row["id"] as number,
      accountId: row["account_id"] as number,
      scopes: new Set(granted.flatMap((scope) => IMPLIED[scope] ?? []))
    }
    this.keys.set(digest, { key, until: performance.now() + KEY_CACHE_MILLIS })
    return key
  }

  show(accountId: number, id: number): object | undefined {
    const row = this.sql.show.get(id, accountId) as Row | undefined
    return row === undefined ? undefined : toInstance(row)
  }

  list(accountId: number): Array<object> {
    return (this.sql.list.all(accountId) as Array<Row>).map(toInstance)
  }

  create(key: Key, body: Create, idempotencyKey: string | undefined): Placed {
    this.sql.begin.run()
    try {
      const placed = this.place(
        key,
        body,
        idempotencyKey === undefined ? undefined : hash("sha256", idempotencyKey, "hex")
      )
      this.sql["instance" in placed ? "commit" : "rollback"].run()
      return placed
    } catch (cause) {
      this.sql.rollback.run()
      throw cause
    }
  }

  private place(key: Key, body: Create, digest: string | undefined): Placed {
    if (digest !== undefined) {
      const claim = this.sql.claim.get(key.id, digest) as Row | undefined
      if (claim !== undefined) return { instance: this.show(key.accountId, claim["instance_id"] as number)! }
    }
    const plan = this.sql.plan.get(body.service_id) as Row | undefined
    if (plan === undefined) return { status: 404, detail: "Plan not found" }
    const os = body.os ?? null
    const image = this.sql.image.get(plan["data_center_id"] as number, os, os) as Row | undefined
    if (image === undefined) return { status: 422, detail: "Image not offered for this plan" }
    const account = this.sql.account.get(key.accountId) as Row
    const at = Date.now()
    const orderId = this.pay({ account, plan, image, body, digest: digest ?? null, at })
    if (orderId === undefined) return { status: 402, detail: "Insufficient funds" }
    const id = this.deploy(key, { orderId, body, os: image["slug"] as string, at })
    if (digest !== undefined) {
      this.sql.claimed.run(key.id, digest, hash("sha256", JSON.stringify(body), "hex"), id, at)
    }
    return { instance: this.show(key.accountId, id)! }
  }

  /** Order, guarded debit, journal and its entries; undefined when the wallet is too low. */
  private pay(sale: { account: Row; plan: Row; image: Row; body: Create; digest: string | null; at: number }) {
    const { account, at, body, digest, image, plan } = sale
    const accountId = account["id"] as number
    const charge = plan["price"] as number
    const vat = vatWithin(charge, account["vat_rate"] as number)
    const config = JSON.stringify({
      service_id: body.service_id,
      hostname: body.hostname ?? null,
      os: image["slug"],
      ssh_key_fingerprint: body.ssh_pubkey == null ? null : hash("sha256", body.ssh_pubkey, "base64"),
      idempotency_key_sha256: digest
    })
    const orderId = Number(
      this.sql.order.run(accountId, plan["id"] as number, config, charge, at, at).lastInsertRowid
    )
    if (Number(this.sql.debit.run(charge, accountId, charge).changes) === 0) return undefined
    const reference = `instance_create:order:${orderId}`
    const journal = Number(this.sql.journal.run(accountId, reference, plan["currency"]!, at).lastInsertRowid)
    this.sql.entry.run(journal, 0, `wallet:${accountId}`, -charge)
    this.sql.entry.run(journal, 1, "revenue", charge - vat)
    if (vat !== 0) this.sql.entry.run(journal, 2, "vat", vat)
    return orderId
  }

  private deploy(key: Key, sale: { orderId: number; body: Create; os: string; at: number }): number {
    const { at, body, orderId, os } = sale
    const expires = new Date(at)
    expires.setUTCMonth(expires.getUTCMonth() + 1)
    const hostname = body.hostname ?? null
    const instance = this.sql.instance.run(key.accountId, orderId, hostname, os, expires.getTime(), at)
    const id = Number(instance.lastInsertRowid)
    this.sql.task.run(id, key.id, JSON.stringify({ ssh_pubkey: body.ssh_pubkey ?? null }), at, at)
    return id
  }
}
