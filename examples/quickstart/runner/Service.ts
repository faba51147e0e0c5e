/** The service that the quickstart buys from: the built one, as emulator, on a database file. */
import { join } from "node:path"
import { cleanEnvironment, serve } from "./Children.ts"
import type { Project } from "./Project.ts"
import { tell } from "./Show.ts"

export interface Ready {
  /** With `/api/v1`. */
  readonly url: string
  readonly api_key: string
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

export const startService = async ({ folder, service }: Project, parent: string): Promise<Ready> => {
  const args = [service, "--emulator", "--port", "0", "--database", join(parent, "vps.db")]
  const line = await serve({ file: process.execPath, args, cwd: folder, env: cleanEnvironment() })
  return JSON.parse(line) as Ready
}

const euros = (amount: number): string => `${amount.toFixed(2)} EUR`

/** Asks the emulator's ledger, which is kept by double entry in cents. */
export const readAccount = async ({ url }: Ready): Promise<Account> => {
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

export const tellAccount = ({ charges, wallet }: Account): void => {
  const times = charges.length === 1 ? "one purchase" : `${charges.length} purchases`
  const list = charges.length === 0 ? "" : `: ${charges.map(euros).join(", ")}`
  tell(`The service's ledger has ${times}${list}. The wallet holds ${euros(wallet)}.`)
}

export interface Machine {
  readonly id: number
  readonly status: string
}

export const listMachines = async ({ api_key, url }: Ready): Promise<ReadonlyArray<Machine>> => {
  const response = await fetch(`${url}/instances`, { headers: { authorization: `Bearer ${api_key}` } })
  return await response.json() as ReadonlyArray<Machine>
}
