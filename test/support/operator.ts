/** Operator commands to a service that is not an emulator, over its socket. */
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import type { CommandName, InputOf, ResultOf } from "#service/contract/operator/Commands"
import { socketPath } from "#service/admin/AdminSocket"
import type { ServiceProcess } from "./serviceProcess.ts"

/** The service refused; the message is its own. */
export class RefusedCommand extends Error {}

/** Has a command done by the service over a database file. Throws `RefusedCommand`, or the socket's own error. */
export const command = async <Name extends CommandName>(
  database: string,
  name: Name,
  input: InputOf<Name>
): Promise<ResultOf<Name>> => {
  const socket = connect(socketPath(database))
  socket.end(`${JSON.stringify({ command: name, input })}\n`)
  const reply = JSON.parse(await text(socket)) as { readonly refused: string } | { readonly result: ResultOf<Name> }
  if ("refused" in reply) throw new RefusedCommand(reply.refused)
  return reply.result
}

const plan = (id: number, slug: string, price: number) =>
  ({ id, slug, name: slug, price, currency: "EUR", category: "vps", data_center: "Frankfurt" }) as const

/** Three plans in one data center. */
export const SHOP = {
  data_centers: [{ id: 1, label: "Frankfurt" }],
  images: [{
    os_id: 1,
    slug: "debian-13",
    label: "Debian",
    version: "13",
    family: "linux",
    data_centers: ["Frankfurt"],
    default_in: ["Frankfurt"]
  }],
  plans: [plan(1, "vps-s", 4.99), plan(2, "vps-m", 9.99), plan(3, "vps-l", 19.99)]
} as const

/** A catalogue, and an account with so much money and a key that may buy. */
export const openShop = async (database: string, wallet: number): Promise<string> => {
  await command(database, "catalogue.import", { document: SHOP, dry_run: false })
  await command(database, "accounts.create", { email: "a@example.test", currency: "EUR", vat_treatment: "domestic" })
  await command(database, "wallet.top_up", { account_id: 1, amount: wallet, reference: "first" })
  return (await command(database, "keys.create", { account_id: 1, name: "test", scopes: ["vps:create"] })).api_key
}

/** A request with a key; returns the status, the headers and the body. */
export const request =
  (service: ServiceProcess, key: string) =>
  async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    // oxlint-disable-next-line typescript/no-explicit-any
    const answer: any = await response.json()
    return { status: response.status, headers: response.headers, body: answer }
  }
