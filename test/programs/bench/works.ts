/** The workloads of each system. A new one is a line in this table. */
import type { Job } from "./load.ts"

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

export const WORKS: ReadonlyArray<Work> = [
  { name: "get by id, 1 connection", job: { ...get, connections: 1 } },
  { name: "get by id, 32 connections", job: { ...get, connections: 32 } },
  { name: "create, 1 connection", job: { ...create, connections: 1 } },
  { name: "create, 32 connections", job: { ...create, connections: 32 } }
]

/** The requests to a database with one instance, and to one with 100,000 instances and 1,000,000 ledger entries. */
export const SIZE_WORKS: ReadonlyArray<Work> = [
  { name: "get by id, 1 connection", job: { ...get, connections: 1 } },
  { name: "get by id, 32 connections", job: { ...get, connections: 32 } }
]

/** All 1,000 instances of one account. */
export const LIST: Work = {
  name: "list of 1,000",
  job: { method: "GET", path: "/instances", expect: 200, connections: 4 }
}
