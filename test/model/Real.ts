/** The service for the model's commands: over HTTP, with an account of its own and a frozen clock. */
import { openAccount, type Service } from "../support/wallet.ts"
import type { Real, Reply } from "./Commands.ts"

const CENTS = 100

const read = async (response: Response): Promise<Reply> => ({
  status: response.status,
  replayed: response.headers.get("idempotent-replayed") === "true",
  body: await response.json()
})

/** Deploys at once with a frozen clock: no task ends unless a command waits for it. */
export const realOf = async (service: Service, cents: number): Promise<Real> => {
  const origin = service.origins[0]!
  const control = async (method: string, path: string, body?: object): Promise<Reply> => {
    const answer = await fetch(`${origin}/_emulator${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
    })
    const reply = await read(answer)
    if (reply.status >= 400) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply
  }
  await control("PUT", "/deploy", { mode: "instant" })
  await control("POST", "/clock", { freeze: true })
  const { accountId, apiKey } = await openAccount(service, cents)
  return {
    api: async (method, path, body, key) => {
      const headers = {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(key === undefined ? {} : { "idempotency-key": key })
      }
      const content = body === undefined ? {} : { body: JSON.stringify(body) }
      return read(await fetch(`${origin}/api/v1${path}`, { method, headers, ...content }))
    },
    fill: async (amount) => {
      await control("POST", "/wallet", { account_id: accountId, amount: amount / CENTS })
    },
    balance: async () => Math.round(CENTS * (await control("GET", `/wallet/${accountId}`)).body.balance),
    refuse: async (operation) => {
      await control("POST", "/faults", { operation: `driver.${operation}`, driver: "rejected", count: 1 })
    },
    settle: async () => {
      await control("POST", "/clock", { advance_ms: 0 })
    }
  }
}
