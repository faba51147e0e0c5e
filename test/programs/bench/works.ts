/** The workloads, and the rounds in which they are measured. A new one is a line in the table. */
import type { Job } from "./load.ts"
import { measure, type Process } from "./Process.ts"
import { inTurn, type Sample, sayRound } from "./report.ts"

export interface Work {
  readonly name: string
  readonly job: Pick<Job, "method" | "path" | "body" | "expect" | "connections">
  /** An active worker deploys what is bought, at once; the CPU and the time that it takes are counted. */
  readonly worker: "idle" | "active"
}

/** The seed's `vps-m`: 9.99 EUR a month. */
export const PLAN = 2

export const ORDER = JSON.stringify({
  service_id: PLAN,
  hostname: "web-1.example.com",
  os: "debian-12",
  ssh_pubkey: `ssh-ed25519 ${Buffer.from(`\0\0\0\x0bssh-ed25519\0\0\0 ${"k".repeat(32)}`).toString("base64")} bench`
})

const get = { method: "GET", path: "/instances/{id}", expect: 200 } as const
export const CREATE = { method: "POST", path: "/instances", body: ORDER, expect: 201 } as const

const GETS: ReadonlyArray<Work> = [
  { name: "get by id, 1 connection", worker: "idle", job: { ...get, connections: 1 } },
  { name: "get by id, 32 connections", worker: "idle", job: { ...get, connections: 32 } }
]

export const WORKS: ReadonlyArray<Work> = [
  ...GETS,
  ...(["idle", "active"] as const).flatMap((worker) =>
    [1, 32].map((connections): Work => ({
      name: `create, ${connections} connection${connections === 1 ? "" : "s"}, ${worker} worker`,
      worker,
      job: { ...CREATE, connections }
    }))
  )
]

/** A running system and its works, with random ids up to `ids`. */
export interface Subject {
  readonly name: string
  readonly server: Process
  readonly ids: number
  readonly works: ReadonlyArray<Work>
  /** False if nothing executes the tasks. */
  readonly hasWorker: boolean
}

/**
 * Requests of each method before anything is measured, spread over a subject's works. V8 optimizes a function after
 * some 3,000 calls: until then a request costs up to twice as much, and how many requests fit into some seconds depends
 * on the machine.
 */
const WARM = { GET: 4_000, POST: 3_000 } as const

/** All works on all systems, interleaved. The samples of round -1, which warms up, are among the results. */
export const measureRounds = async (
  subjects: ReadonlyArray<Subject>,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number }
): Promise<ReadonlyArray<Sample>> => {
  const works = [...new Set(subjects.flatMap((subject) => subject.works))]
  const samples: Array<Sample> = []
  for (let round = -1; round < rounds; round++) {
    for (const work of works) {
      for (const { hasWorker, ids, name: system, server, works: own } of inTurn(subjects, round)) {
        if (!own.includes(work)) continue
        const same = own.filter(({ job }) => job.method === work.job.method).length
        const length = round === -1 ? { requests: Math.ceil(WARM[work.job.method] / same) } : { seconds }
        const until = hasWorker && work.worker === "active" ? { until: () => server.hasNoOpenTask() } : {}
        const measured = await measure([server], { ...work.job, ids, ...length, ...until })
        samples.push({ ...measured, system, work: work.name, round })
      }
    }
    if (round >= 0) sayRound(round, rounds)
  }
  return samples
}
