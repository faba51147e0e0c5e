/**
 * The cost of metrics for 1,000 machines, by `npm run bench -- sampling`: CPU per round as a part of one core, and
 * memory over hours of rounds. A peer in a process of its own replays what a real libvirt replied for one machine.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { strict as assert } from "node:assert"
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Limits } from "#service/config/Limits"
import { Hosts } from "#service/persistence/Hosts"
import * as MetricsFiles from "#service/persistence/metrics/MetricsFiles"
import { MetricsStore } from "#service/persistence/metrics/MetricsStore"
import { makeRound } from "#service/provisioning/drivers/libvirt/metrics/Sampler"
import { HostConnections } from "#service/provisioning/drivers/libvirt/HostConnection"
import { DEFAULT_LIMITS } from "../../support/limits.ts"
import { HOST } from "../../persistence/suite/hosts.ts"

const { values: flags } = parseArgs({
  options: {
    machines: { type: "string", default: "1000" },
    hosts: { type: "string", default: "20" },
    rounds: { type: "string", default: "360" },
    /** Rounds before the code is compiled and the files exist. */
    warm: { type: "string", default: "60" }
  }
})
const [machines, hosts, rounds] = [Number(flags.machines), Number(flags.hosts), Number(flags.rounds)]
const warm = Number(flags.warm)
const STEP_MILLIS = 10_000
const SIZE = { cpus: 2, memoryMib: 4_096, diskGib: 40 }
const START = Date.UTC(2026, 5, 15)
const MIB = 2 ** 20

/** Hosts in one process: each needs two files, of which a process has 20,000. */
const HOSTS_PER_PEER = 5_000

/** Each host runs an equal part of the machines. */
const peers = Array.from({ length: Math.ceil(hosts / HOSTS_PER_PEER) }, (_, index) => {
  const range = [index * HOSTS_PER_PEER, Math.min(hosts, (index + 1) * HOSTS_PER_PEER) - 1]
  return fork(
    fileURLToPath(new URL("samplingPeer.ts", import.meta.url)),
    [machines, hosts, ...range].map(String),
    { execArgv: ["--conditions=pulumi-vps-source"] }
  )
})
const paths = (await Promise.all(peers.map((peer) => once(peer, "message")))).flat(2) as ReadonlyArray<string>

const rows = paths.map((path, index) => ({
  ...HOST,
  id: index + 1,
  name: `host-${index}`,
  uri: `unix:${path}`,
  used: HOST.capacity,
  diskLeftGib: null,
  unreachableSince: null
}))
const reservations = rows.map(({ id }) =>
  Array.from({ length: Math.ceil(machines / hosts) }, (_, index) => id - 1 + index * hosts)
    .filter((instanceId) => instanceId > 0)
    .map((instanceId) => ({
      instanceId,
      tag: `instance-${instanceId}`,
      hostId: id,
      targetId: null,
      isFenced: false,
      backupId: null,
      size: SIZE
    }))
)

const services = Layer.mergeAll(
  MetricsFiles.layer(undefined),
  HostConnections.layer,
  TestClock.layer(),
  Layer.mock(Hosts, {
    list: Effect.succeed(rows),
    reservationsOn: (id) => Effect.succeed(reservations[id - 1]!)
  })
).pipe(Layer.provideMerge(Layer.succeed(Limits, DEFAULT_LIMITS)))

const usedMib = (): number => {
  globalThis.gc?.()
  return Math.round(process.memoryUsage().heapUsed / MIB)
}

/** Milliseconds of CPU of this process for some rounds. */
const measure = Effect.fnUntraced(function*<E, R>(round: Effect.Effect<void, E, R>, from: number, count: number) {
  const before = process.cpuUsage()
  for (let index = from; index < from + count; index++) {
    yield* TestClock.setTime(START + index * STEP_MILLIS)
    yield* round
  }
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1_000
})

const program = Effect.gen(function*() {
  const round = yield* makeRound
  yield* measure(round, 0, warm)
  const before = usedMib()
  const millis = yield* measure(round, warm, rounds)
  const after = usedMib()
  const end = START + (warm + rounds - 1) * STEP_MILLIS
  const { read } = yield* MetricsStore
  const stored = yield* read("instance-1", { stepSeconds: 10, from: end - 3_600_000, to: end })
  // The first round only reads counters.
  assert.strictEqual(stored.length, Math.min(360, warm + rounds - 1))
  return { millis: millis / rounds, before, after }
})

const { after, before, millis } = await Effect.runPromise(Effect.scoped(Effect.provide(program, services)))
for (const peer of peers) peer.kill()
const share = (100 * millis / STEP_MILLIS).toFixed(2)
process.stdout.write(
  `${machines} machines on ${hosts} hosts, ${rounds} rounds (${(rounds * STEP_MILLIS / 3_600_000).toFixed(1)} h)\n`
    + `CPU per round: ${millis.toFixed(1)} ms, ${share} % of a core\n`
    + `heap in use: ${before} MiB after ${warm} rounds, ${after} MiB at the end\n`
)
