/**
 * The load generator, a process of its own so that its CPU is not the server's. Closed loop: each connection sends its
 * next request when the last was answered. Usage: load.ts JOB, where JOB is JSON (`Job`); prints JSON (`Load`).
 */
import { Client } from "undici"

export interface Job {
  /** Replicas, each ending in /api/v1; the connections are spread evenly. */
  readonly urls: ReadonlyArray<string>
  /** API keys; the requests are spread evenly. */
  readonly tokens: ReadonlyArray<string>
  readonly method: "GET" | "POST"
  /** Under a URL; `{id}` becomes a random id of 1 to `ids`. */
  readonly path: string
  readonly ids: number
  /** Sent with a new Idempotency-Key each time. */
  readonly body?: string
  readonly expect: number
  readonly connections: number
  /** It ends after as many seconds, and after as many requests. */
  readonly seconds?: number
  readonly requests?: number
  /** Counts responses with 503 instead of failing at the first. */
  readonly mayRefuse?: boolean
}

export interface Load {
  readonly requests: number
  readonly refused: number
  readonly perSecond: number
  /** Latency in microseconds. */
  readonly p50: number
  readonly p99: number
  /** Share of one core that this process used: near 1 the rate is the generator's limit, not the server's. */
  readonly generatorCpu: number
}

/** A small generator of our own: the ids must be cheap to pick, and need not be unpredictable. */
const randomInts = (seed: number) => {
  let state = seed >>> 0
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(state / 4_294_967_296 * below)
  }
}

const percentile = (sorted: Float64Array, part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

/** One request: undici's lowest level, for what the generator takes of the machine the server does not get. */
const ask = (client: Client, job: Job, path: string, headers: Record<string, string>): Promise<"done" | "refused"> =>
  new Promise((resolve, reject) => {
    let status = 0
    let refusal = ""
    client.dispatch({ method: job.method, path, headers, body: job.body ?? null }, {
      onRequestStart: () => {},
      onResponseStart: (_, statusCode) => void (status = statusCode),
      onResponseData: (_, chunk) => {
        if (status !== job.expect) refusal += String(chunk)
      },
      onResponseEnd: () => {
        if (status === job.expect) resolve("done")
        else if (status === 503 && job.mayRefuse === true) resolve("refused")
        else reject(new Error(`${job.method} ${path}: ${status} ${refusal}`))
      },
      onResponseError: (_, error) => reject(error)
    })
  })

const run = async (job: Job): Promise<Load> => {
  const { body, requests = Number.POSITIVE_INFINITY, seconds = Number.POSITIVE_INFINITY, tokens, urls } = job
  const bases = tokens.map((token) => ({
    authorization: `Bearer ${token}`,
    ...body !== undefined && { "content-type": "application/json" }
  }))
  const nonce = `${process.pid}-${performance.timeOrigin}`
  const random = randomInts(process.pid)
  const millis: Array<number> = []
  let [sent, refused] = [0, 0]

  const began = performance.now()
  const cpu = process.cpuUsage()
  const end = began + seconds * 1000
  const connection = async (_: unknown, index: number): Promise<void> => {
    const { origin, pathname } = new URL(urls[index % urls.length]!)
    const client = new Client(origin)
    for (let start = began; start < end && sent < requests; start = performance.now()) {
      const path = `${pathname}${job.path.replace("{id}", String(1 + random(job.ids)))}`
      const base = bases[sent++ % bases.length]!
      const headers = body === undefined ? base : { ...base, "idempotency-key": `${nonce}-${sent}` }
      if (await ask(client, job, path, headers) === "refused") refused++
      else millis.push(performance.now() - start)
    }
    await client.close()
  }
  await Promise.all(Array.from({ length: job.connections }, connection))
  const passed = (performance.now() - began) / 1000
  const used = process.cpuUsage(cpu)
  const sorted = Float64Array.from(millis).toSorted()
  return {
    requests: millis.length,
    refused,
    perSecond: millis.length / passed,
    p50: percentile(sorted, 0.5) * 1000,
    p99: percentile(sorted, 0.99) * 1000,
    generatorCpu: (used.user + used.system) / 1e6 / passed
  }
}

const job = JSON.parse(process.argv[2] ?? "") as Job
try {
  process.stdout.write(`${JSON.stringify(await run(job))}\n`)
} catch (error) {
  process.stderr.write(String(error))
  process.exitCode = 1
}
