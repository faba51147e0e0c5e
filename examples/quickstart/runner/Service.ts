/** The built service, as an emulator with a database file. */
import { join } from "node:path"
import { cleanEnvironment, serve } from "./Processes.ts"
import type { Project } from "./Project.ts"
import { print } from "./Output.ts"

export interface Endpoint {
  /** Includes the prefix `/api/v1`. */
  readonly url: string
  readonly api_key: string
  readonly account: () => Promise<Account>
  /** Signs in to the panel as the customer, once; absent for real instances, whose service invites people. */
  readonly signIn?: string
}

interface Ready extends Pick<Endpoint, "url" | "api_key"> {
  readonly sign_in: { readonly customer: string }
}

interface Ledger {
  readonly balanced: boolean
  readonly journals: ReadonlyArray<{
    readonly kind: string
    readonly entries: ReadonlyArray<{ readonly account: string; readonly amount: number }>
  }>
}

export interface Account {
  /** Amounts of every purchase, in EUR. */
  readonly charges: ReadonlyArray<number>
  /** In EUR. */
  readonly wallet: number
}

export const startService = async ({ folder, service }: Project, parent: string): Promise<Endpoint> => {
  const args = [service, "--emulator", "--port", "0", "--database", join(parent, "vps.db")]
  const line = await serve({ file: process.execPath, args, cwd: folder, env: cleanEnvironment() })
  const { api_key, sign_in, url } = JSON.parse(line) as Ready
  return { url, api_key, signIn: sign_in.customer, account: () => readLedger(url) }
}

const euros = (amount: number): string => `${amount.toFixed(2)} EUR`

/** Reads the double-entry ledger of the emulator, which is in cents. */
const readLedger = async (url: string): Promise<Account> => {
  const response = await fetch(new URL("/_emulator/ledger", url))
  const { balanced, journals } = await response.json() as Ledger
  if (!balanced) throw new Error("the ledger does not balance")
  const ofWallet = journals.flatMap(({ entries, kind }) =>
    entries.filter(({ account }) => account.startsWith("wallet:")).map(({ amount }) => ({ kind, amount: amount / 100 }))
  )
  return {
    charges: ofWallet.filter(({ kind }) => kind === "instance_create").map(({ amount }) => -amount),
    wallet: ofWallet.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0) / 100
  }
}

export const printAccount = ({ charges, wallet }: Account): void => {
  const times = charges.length === 1 ? "one purchase" : `${charges.length} purchases`
  const list = charges.length === 0 ? "" : `: ${charges.map(euros).join(", ")}`
  print(`The ledger has ${times}${list}. The wallet balance is ${euros(wallet)}.`)
}

export interface Instance {
  readonly id: number
  readonly status: string
}

export const listInstances = async ({ api_key, url }: Endpoint): Promise<ReadonlyArray<Instance>> => {
  const response = await fetch(`${url}/instances`, { headers: { authorization: `Bearer ${api_key}` } })
  return await response.json() as ReadonlyArray<Instance>
}
