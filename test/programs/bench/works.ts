/** The workloads of each system, and the rounds in which they are measured. A new one is a line in the table. */
import type { Job } from "./load.ts"
import type { Process } from "./Process.ts"
import { inTurn, type Sample, sayRound } from "./report.ts"

export interface Work {
  readonly name: string
  readonly job: Pick<Job, "method" | "path" | "body" | "expect" | "connections">
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
const create = { method: "POST", path: "/instances", body: ORDER, expect: 201 } as const

export const GETS: ReadonlyArray<Work> = [
  { name: "get by id, 1 connection", job: { ...get, connections: 1 } },
  { name: "get by id, 32 connections", job: { ...get, connections: 32 } }
]

export const WORKS: ReadonlyArray<Work> = [
  ...GETS,
  { name: "create, 1 connection", job: { ...create, connections: 1 } },
  { name: "create, 32 connections", job: { ...create, connections: 32 } }
]

/** All 1,000 instances of one account. */
export const LIST: Work = {
  name: "list of 1,000",
  job: { method: "GET", path: "/instances", expect: 200, connections: 4 }
}

/** A running system, called with random ids up to `ids`. */
export interface Subject {
  readonly name: string
  readonly server: Process
  readonly ids: number
}

interface Rounds {
  readonly rounds: number
  readonly seconds: number
  /** Seconds of the round that warms up. */
  readonly warm: number
}

/** All works on all systems, interleaved. The samples of round -1, which warms up, are among the results. */
export const measureRounds = async (
  subjects: ReadonlyArray<Subject>,
  works: ReadonlyArray<Work>,
  { rounds, seconds, warm }: Rounds
): Promise<ReadonlyArray<Sample>> => {
  const samples: Array<Sample> = []
  for (let round = -1; round < rounds; round++) {
    for (const { job, name: work } of works) {
      for (const { ids, name: system, server } of inTurn(subjects, round)) {
        const measured = await server.measure({ ...job, ids, seconds: round === -1 ? warm : seconds })
        samples.push({ ...measured, system, work, round })
      }
    }
    if (round >= 0) sayRound(round, rounds)
  }
  return samples
}
