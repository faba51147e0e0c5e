/** The operators' commands, and the records that they return. */
import { post } from "../../api/client.ts"
import { type Query, refresh, useQuery, withInput } from "../../api/query.ts"

const COMMANDS = "/operator/commands/"

/** Rows that a list shows at most; the search finds the rest. */
export const ROWS = 1000

export const useCommand = <T>(name: string, input: object = {}): Query<T> =>
  useQuery<T>(withInput(COMMANDS + name, input))

/** Executes a command, and then reads the operators' lists again: most commands change several lists. */
export const execute = async <T>(name: string, input: object = {}): Promise<T> => {
  const result = await post<T>(COMMANDS + name, input)
  refresh("/operator")
  return result
}

/** A function that executes a command and reports a text as success. */
export const act = (name: string, input: object, text: string) => async (): Promise<string> => {
  await execute(name, input)
  return text
}

export interface AccountRecord {
  readonly id: number
  readonly email: string
  readonly currency: string
  readonly wallet: number
  readonly vat_treatment: string
  readonly vat_rate: number
  readonly instances: number
  readonly keys: number
  readonly created_at: string
  readonly closed_at?: string | null
}

export interface PersonRecord {
  readonly name: string
  readonly email: string
  readonly role: string
  /** Ids of those that they are members of. */
  readonly accounts: ReadonlyArray<number>
}

export interface InstanceRecord {
  readonly id: number
  readonly account_id: number
  readonly status: string
  readonly plan: string
  readonly hostname: string | null
  readonly ipv4: string | null
  readonly task: string | null
  readonly suspended_reason: string | null
  readonly suspended_note: string | null
  readonly created_at: string
  readonly expires_at: string | null
  readonly auto_renew: boolean
}

export interface TaskRecord {
  readonly id: number
  readonly instance_id: number
  readonly type: string
  readonly status: string
  readonly progress: number
  readonly actor: string
  readonly error: string | null
  readonly attempts: number
  /** Waits for an operator's approval. */
  readonly held: boolean
  readonly created_at: string
  readonly finished_at: string | null
}

/** A failed task after which the machine may differ from the record. */
export interface UnreconciledRecord {
  readonly id: number
  readonly instance_id: number
  readonly machine: string
  readonly type: string
  readonly left: string
  readonly error: string | null
  readonly finished_at: string | null
}

export interface PlanRecord {
  readonly id: number
  readonly slug: string
  readonly name: string
  readonly description: string | null
  readonly price: number
  readonly currency: string
  readonly billing_cycle: string
  readonly category: string
  readonly specs: Readonly<Record<string, unknown>> | null
  readonly data_center: string
  readonly is_active: boolean
  readonly out_of_stock: boolean
  readonly auto_deploy: boolean
}

export interface ImageRecord {
  readonly os_id: number
  readonly slug: string
  readonly label: string
  readonly version: string
  readonly family: string
  readonly icon: string | null
  readonly data_centers: ReadonlyArray<string>
  readonly default_in: ReadonlyArray<string>
}

export interface IsoRecord {
  readonly id: number
  readonly name: string
  readonly file_name: string
  readonly size_bytes: number
}

export interface CatalogueRecord {
  readonly data_centers: ReadonlyArray<{ readonly id: number; readonly label: string }>
  readonly images: ReadonlyArray<ImageRecord>
  readonly plans: ReadonlyArray<PlanRecord>
  readonly isos: ReadonlyArray<IsoRecord>
}

export interface CouponRecord {
  readonly code: string
  readonly kind: "percent" | "fixed"
  readonly value: number
  readonly currency: string | null
  readonly valid_from: string | null
  readonly valid_until: string | null
  readonly uses: number
  readonly max_uses: number | null
  readonly once_per_account: boolean
}

export interface HostRecord {
  readonly name: string
  readonly state: string
  readonly unreachable_since: string | null
  readonly uri: string
  /** Used and total, as "4/16". */
  readonly cpus: string
  readonly memory_mib: string
  readonly disk_gib: string
  readonly accelerator: string
  readonly pool: string
  readonly bridge: string
  readonly shared_storage: string | null
  readonly backup_pool: string | null
  readonly shared_backups: string | null
}

export interface PoolRecord {
  readonly network: string
  readonly gateway: string
  /** Null for IPv6, whose addresses are made with their instances. */
  readonly addresses: number | null
  readonly assigned: number
}

export interface AuditRecord {
  readonly seq: number
  readonly at: string
  readonly actor_kind: string
  readonly actor: string
  readonly from: string | null
  readonly action: string
  readonly account_id: number | null
  readonly instance_id: number | null
  readonly details: Readonly<Record<string, unknown>>
  readonly outcome: string
  readonly error: string | null
  readonly hash: string
}

export interface KeyListRecord {
  readonly id: number
  readonly name: string
  readonly key: string
  readonly scopes: ReadonlyArray<string>
  readonly state: string
  /** The member's address; null for the host. */
  readonly made_by: string | null
  readonly expires_at: string | null
  readonly last_used_at: string | null
}
