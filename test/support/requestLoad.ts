/** Clients that send one request after the other, and count the answers. */
import { Agent, request } from "node:http"
import { setTimeout } from "node:timers/promises"
import { SEED_KEY } from "#service/emulator/Seed"

interface Sent {
  readonly method: string
  readonly path: string
  /** Of a purchase. */
  readonly key?: string
  /** Default: the seeded account's. */
  readonly apiKey?: string
}

interface Reply {
  /** The status, or the code of the error. */
  readonly answer: number | string
  readonly body: string
}

/** Longest wait for an answer, in milliseconds: a client would wait no longer. */
const PATIENCE_MILLIS = 30_000

const exchange = (origin: string, agent: Agent, { apiKey = SEED_KEY, key, method, path }: Sent): Promise<Reply> =>
  new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      ...(key === undefined ? {} : { "idempotency-key": key })
    }
    const options = { agent, method, headers, timeout: PATIENCE_MILLIS }
    const failed = ({ code, message }: NodeJS.ErrnoException) => resolve({ answer: code ?? message, body: "" })
    const sent = request(`${origin}/api/v1${path}`, options, (response) => {
      let body = ""
      response.on("data", (chunk) => {
        body += String(chunk)
      })
      response.once("error", failed)
      response.once("end", () => resolve({ answer: response.statusCode!, body }))
    })
    sent.once("error", failed)
    sent.once("timeout", () => sent.destroy(new Error("no answer")))
    sent.end(key === undefined ? undefined : JSON.stringify({ service_id: 1 }))
  })

/** The status, or the code of the error. */
export const send = async (origin: string, agent: Agent, sent: Sent): Promise<number | string> =>
  (await exchange(origin, agent, sent)).answer

const increment = (seen: Map<number | string, number>, answer: number | string) =>
  seen.set(answer, (seen.get(answer) ?? 0) + 1)

const idIn = (body: string): number => (JSON.parse(body) as { readonly id: number }).id

/** Each client sends one request after the other; of `every`, one is a purchase, and none if it is 0. */
export const startClients = (origin: string, clients: number, every: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const seen = new Map<number | string, number>()
  const bought: Array<number> = []
  const over = new AbortController()
  let sent = 0
  const client = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const number = sent++
      const isPurchase = every > 0 && number % every === 0
      const { answer, body } = await exchange(
        origin,
        agent,
        isPurchase ? { method: "POST", path: "/instances", key: `key-${number}` } : { method: "GET", path: "/services" }
      )
      increment(seen, answer)
      if (answer === 201) bought.push(idIn(body))
      if (answer === "ECONNREFUSED") await setTimeout(1)
    }
  }
  const running = Array.from({ length: clients }, client)
  return {
    seen,
    /** The ids of the purchases that were acknowledged. */
    bought,
    sent: () => sent,
    stop: async () => {
      over.abort()
      await Promise.all(running)
      agent.destroy()
    }
  }
}

export interface Purchase {
  readonly buyer: number
  readonly apiKey: string
  readonly key: string
  readonly id: number
  /** The time of its acknowledgement, of `performance.now`. */
  readonly at: number
}

/** Milliseconds between two purchases of a buyer, and before one is sent again. */
const PAUSE_MILLIS = 25
const RETRY_MILLIS = 100

/**
 * Each buyer sends a purchase with its key until it is acknowledged, and then the next one. Each
 * customer has as many of them.
 */
export const startBuyers = (origins: ReadonlyArray<string>, apiKeys: ReadonlyArray<string>, buyersOfEach: number) => {
  const buyers = apiKeys.length * buyersOfEach
  const agent = new Agent({ keepAlive: true })
  const seen = new Map<number | string, number>()
  const bought: Array<Purchase> = []
  const stopping = new AbortController()
  const giveUp = new AbortController()
  const buyOne = async (buyer: number, key: string): Promise<void> => {
    const apiKey = apiKeys[buyer % apiKeys.length]!
    for (let tries = 0; !giveUp.signal.aborted; tries++) {
      const origin = origins[(buyer + tries) % origins.length]!
      const { answer, body } = await exchange(origin, agent, { method: "POST", path: "/instances", key, apiKey })
      increment(seen, answer)
      if (answer === 201) return void bought.push({ buyer, apiKey, key, id: idIn(body), at: performance.now() })
      await setTimeout(RETRY_MILLIS)
    }
  }
  let keys = 0
  const run = async (_: unknown, buyer: number): Promise<void> => {
    while (!stopping.signal.aborted) {
      await buyOne(buyer, `purchase-${++keys}`)
      await setTimeout(PAUSE_MILLIS)
    }
  }
  const running = Array.from({ length: buyers }, run)
  return {
    /** The answers, with their number. */
    seen,
    bought,
    /** The time at which the last of the buyers has bought again after another time; undefined until then. */
    backSince: (since: number): number | undefined => {
      const firsts = Array.from(
        { length: buyers },
        (_, buyer) => bought.find((each) => each.buyer === buyer && each.at > since)?.at
      )
      return firsts.every((at) => at !== undefined) ? Math.max(...firsts) : undefined
    },
    /** Waits for the purchases in progress; returns the number of those that are not acknowledged in time. */
    stop: async (millis: number): Promise<number> => {
      stopping.abort()
      const end = new AbortController()
      const late = setTimeout(millis, undefined, { signal: end.signal }).then(() => giveUp.abort(), () => undefined)
      await Promise.all(running)
      end.abort()
      await late
      agent.destroy()
      return keys - bought.length
    }
  }
}
