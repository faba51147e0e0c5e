/** Clients that send one request after the other, and count the answers. */
import { Agent, request } from "node:http"
import { setTimeout } from "node:timers/promises"
import { SEED_KEY } from "#service/emulator/Seed"

interface Sent {
  readonly method: string
  readonly path: string
  readonly key?: string
}

/** The status, or the code of the error. */
export const send = (origin: string, agent: Agent, { key, method, path }: Sent): Promise<number | string> =>
  new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${SEED_KEY}`,
      "content-type": "application/json",
      ...(key === undefined ? {} : { "idempotency-key": key })
    }
    const sent = request(`${origin}/api/v1${path}`, { agent, method, headers }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode!))
    })
    sent.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    sent.end(key === undefined ? undefined : JSON.stringify({ service_id: 1 }))
  })

/** Each client sends one request after the other; of `every`, one is a purchase, and none if it is 0. */
export const startClients = (origin: string, clients: number, every: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const seen = new Map<number | string, number>()
  const over = new AbortController()
  let sent = 0
  const client = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const number = sent++
      const isPurchase = every > 0 && number % every === 0
      const answer = await send(
        origin,
        agent,
        isPurchase ? { method: "POST", path: "/instances", key: `key-${number}` } : { method: "GET", path: "/services" }
      )
      seen.set(answer, (seen.get(answer) ?? 0) + 1)
      if (answer === "ECONNREFUSED") await setTimeout(1)
    }
  }
  const running = Array.from({ length: clients }, client)
  return {
    seen,
    sent: () => sent,
    stop: async () => {
      over.abort()
      await Promise.all(running)
      agent.destroy()
    }
  }
}
