/**
 * Runs in the network of a host, which the tests cannot reach: builds a machine on one host over TLS, moves it to
 * another while it runs, and prints what became of it. Arguments: the folder of certificates, that of the pool, the
 * guest's disk, and the URIs of both hosts.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import { Limits } from "#service/config/Limits"
import * as MetricsFiles from "#service/persistence/metrics/MetricsFiles"
import { type Operation, perform } from "#service/provisioning/Driver"
import * as Libvirt from "#service/provisioning/drivers/libvirt/Libvirt"
import { uuidOf } from "#service/provisioning/drivers/libvirt/MachineRecord"
import { Places } from "#service/provisioning/drivers/libvirt/MachinePlaces"
import { PROCEDURES } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
import { HostConnections } from "#service/provisioning/drivers/libvirt/HostConnection"
import { storeVolume } from "#service/provisioning/drivers/libvirt/Volumes"
import { HOST } from "../persistence/suite/hosts.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const [certificates, folder, disk, ...uris] = process.argv.slice(2)

const TAG = "instance-1"
const SIZE = { cpus: 1, memoryMib: 192, diskGib: 1 }
const ADDRESS = { address: "203.0.113.11", gateway: "203.0.113.1", prefix: 24 }
const OWN = { ...ADDRESS, ipv6: null, ipv6Gateway: null, ipv6Prefix: null }

const [source, target] = uris.map((uri, index) => {
  const used = { cpus: 0, memoryMib: 0, diskGib: 0 }
  const place = {
    uri,
    certificates: certificates!,
    accelerator: "qemu",
    used,
    diskLeftGib: null,
    unreachableSince: null
  } as const
  return { ...HOST, ...place, id: index + 1, name: `host-${index + 1}` }
})

const places = Places.of({
  of: () => Effect.succeed({ host: source!, size: SIZE, assignment: OWN, fenced: null }),
  hosts: Effect.succeed([source!, target!]),
  image: (hostId, slug) => {
    const image = { kind: "disk", volume: "image-debian-12.qcow2", sha256: "", createdAt: 0 } as const
    return Effect.succeed({ ...image, hostId, slug })
  }
})

const operation = (key: string, operation: Operation) => perform({ key, tag: TAG, providerId: null, operation })

const run = Effect.gen(function*() {
  const [from, to] = [source!, target!].map(yield* HostConnections)
  const pool = `<pool type="dir"><name>default</name><target><path>${folder!}</path></target></pool>`
  yield* from!.slow(PROCEDURES.poolCreate, [pool, 0])
  yield* to!.slow(PROCEDURES.poolCreate, [pool, 0])
  const content = readFileSync(disk!)
  const image = { name: "image-debian-12.qcow2", bytes: content.length, data: () => [content] }
  yield* storeVolume(from!, "default", image)
  const system = { hostname: "one", os: "debian-12", sshPublicKey: null, rootPassword: null } as const
  const plan = { plan: "p1", specs: null, dataCenter: "Helsinki" }
  yield* operation("build", { type: "provision", ...system, ...plan })
  const domain = yield* from!.call(PROCEDURES.lookup, [uuidOf(TAG)])
  const stateOf = (session: typeof from) =>
    Effect.orElseSucceed(session!.call(PROCEDURES.state, [domain, 0]), () => "missing")
  const [before] = yield* from!.call(PROCEDURES.counters, [[domain], 2, 0])
  yield* operation("move", { type: "move", host: target!.name, allowsDowntime: false })
  const definition = yield* to!.call(PROCEDURES.description, [domain, 0])
  return {
    ran: before!.cpuNanos > 0,
    source: yield* stateOf(from),
    target: yield* stateOf(to),
    listens: / listen='([^']+)'/.exec(definition)?.[1]
  }
})

const services = Libvirt.layer({ nameservers: [] }).pipe(
  Layer.provideMerge(HostConnections.layer),
  Layer.provide(Layer.mergeAll(
    Layer.succeed(Places, places),
    MetricsFiles.layer(undefined),
    Layer.succeedContext(Context.make(Limits, { ...DEFAULT_LIMITS, LIBVIRT_POOL_RESERVE_MIB: 0 }))
  ))
)

process.stdout.write(`${JSON.stringify(await Effect.runPromise(Effect.provide(run, services)))}\n`)
