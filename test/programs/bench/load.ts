/**
 * The load generator, a process of its own so that its CPU is not the server's. Closed loop: each connection sends its
 * next request when the last was answered. Usage: load.ts JOB, where JOB is JSON (`Job`); prints JSON (`Load`).
 */
import { Client } from "undici"

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

/** One request: undici's lowest level, for what the generator takes of the machine the server does not get. */
const ask = (client: Client, job: Job, path: string, headers: Record<string, string>): Promise<void> =>
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
        if (status === job.expect) resolve()
        else reject(new Error(`${job.method} ${path}: ${status} ${refusal}`))
      },
      onResponseError: (_, error) => reject(error)
    })
  })

const run = async (job: Job): Promise<Load> => {
  const { origin, pathname } = new URL(job.url)
  const base = {
    authorization: `Bearer ${job.token}`,
    ...job.body !== undefined && { "content-type": "application/json" }
  }
  const nonce = `${process.pid}-${performance.timeOrigin}`
  const random = randomInts(process.pid)
  const millis: Array<number> = []
  let sent = 0

  const began = performance.now()
  const cpu = process.cpuUsage()
  const end = began + job.seconds * 1000
  const connection = async (): Promise<void> => {
    const client = new Client(origin)
    for (let start = began; start < end; start = performance.now()) {
      const path = `${pathname}${job.path.replace("{id}", String(1 + random(job.ids)))}`
      const headers = job.body === undefined ? base : { ...base, "idempotency-key": `${nonce}-${sent++}` }
      await ask(client, job, path, headers)
      millis.push(performance.now() - start)
    }
    await client.close()
  }
  await Promise.all(Array.from({ length: job.connections }, connection))
  const seconds = (performance.now() - began) / 1000
  const used = process.cpuUsage(cpu)
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
