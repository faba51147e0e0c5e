/**
 * The load generator, a process of its own so that its CPU is not the server's. Closed loop: each connection sends its
 * next request when the last was answered. Usage: load.ts JOB, where JOB is JSON (`Job`); prints JSON (`Load`).
 */
import { Pool } from "undici"

export interface Job {
  readonly url: string
  readonly token: string
  readonly method: "GET" | "POST"
  /** Under `url`; `{id}` becomes a random id of 1 to `ids`. */
  readonly path: string
  readonly ids: number
  /** Sent with a new Idempotency-Key each time. */
  readonly body?: string
  readonly expect: number
  readonly connections: number
  readonly seconds: number
}

export interface Load {
  readonly requests: number
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

const run = async (job: Job): Promise<Load> => {
  const { origin, pathname } = new URL(job.url)
  const pool = new Pool(origin, { connections: job.connections, pipelining: 1 })
  const base = {
    authorization: `Bearer ${job.token}`,
    ...job.body !== undefined && { "content-type": "application/json" }
  }
  const nonce = `${process.pid}-${performance.timeOrigin}`
  const random = randomInts(process.pid)
  const millis: Array<number> = []
  let sent = 0

  const once = async (): Promise<void> => {
    const path = `${pathname}${job.path.replace("{id}", String(1 + random(job.ids)))}`
    const headers = job.body === undefined ? base : { ...base, "idempotency-key": `${nonce}-${sent++}` }
    const start = performance.now()
    const response = await pool.request({ method: job.method, path, headers, body: job.body ?? null })
    const text = await response.body.text()
    millis.push(performance.now() - start)
    if (response.statusCode !== job.expect) throw new Error(`${job.method} ${path}: ${response.statusCode} ${text}`)
  }
  const began = performance.now()
  const cpu = process.cpuUsage()
  const end = began + job.seconds * 1000
  const connection = async (): Promise<void> => {
    while (performance.now() < end) await once()
  }
  await Promise.all(Array.from({ length: job.connections }, connection))
  const seconds = (performance.now() - began) / 1000
  const used = process.cpuUsage(cpu)
  await pool.close()
  const sorted = Float64Array.from(millis).toSorted()
  return {
    requests: millis.length,
    perSecond: millis.length / seconds,
    p50: percentile(sorted, 0.5) * 1000,
    p99: percentile(sorted, 0.99) * 1000,
    generatorCpu: (used.user + used.system) / 1e6 / seconds
  }
}

const job = JSON.parse(process.argv[2] ?? "") as Job
process.stdout.write(`${JSON.stringify(await run(job))}\n`)
