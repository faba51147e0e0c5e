/** The commands for hosts of machines. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Limits } from "../../config/Limits.ts"
import { toTimestamp } from "../../domain/Calendar.ts"
import { Catalogue } from "../../persistence/Catalogue.ts"
import { type Host, Hosts as HostsRepository } from "../../persistence/Hosts.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { idOf } from "../../provisioning/Driver.ts"
import { backupSpace } from "../../provisioning/drivers/libvirt/BackupChecks.ts"
import { capacityOf } from "../../provisioning/drivers/libvirt/Checks.ts"
import { listHost } from "../../provisioning/drivers/libvirt/Listing.ts"
import { openSession } from "../../provisioning/drivers/libvirt/Session.ts"
import { reject } from "../CommandRejected.ts"
import { backupsOf } from "./BackupSettings.ts"
import type { HostState } from "../../contract/Words.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"

export const toRecord = (host: Host) => ({
  name: host.name,
  state: host.state,
  unreachable_since: host.unreachableSince === null ? null : toTimestamp(host.unreachableSince),
  uri: host.uri,
  cpus: { used: host.used.cpus, total: host.capacity.cpus },
  memory_mib: { used: host.used.memoryMib, total: host.capacity.memoryMib },
  disk_gib: { used: host.used.diskGib, total: host.capacity.diskGib },
  accelerator: host.accelerator,
  pool: host.pool,
  bridge: host.bridge,
  shared_storage: host.sharedStorage,
  backup_pool: host.backupPool,
  shared_backups: host.sharedBackups
})

/** The id of a data center by its label. */
export const dataCenterNamed = Effect.fnUntraced(function*(label: string) {
  const { dataCenters } = yield* (yield* Catalogue).read
  const found = dataCenters.find((each) => each.label === label)
  if (found !== undefined) return found.id
  const available = dataCenters.map((each) => each.label).join(", ")
  return yield* reject(
    `Unknown data center "${label}". Available: ${available || "none; run \"catalogue import\" first"}.`
  )
})

/** The host of a name. */
export const hostNamed = Effect.fnUntraced(function*(name: string) {
  const hosts = yield* HostsRepository
  const host = yield* hosts.named(name)
  if (host !== undefined) return host
  const available = (yield* hosts.list).map((each) => each.name).join(", ")
  return yield* reject(`Host ${name} does not exist. Available: ${available || "none; run \"hosts add\""}.`)
})

/** Connections to a host, until the scope ends. */
export const connectionsTo = ({ certificates, uri }: Pick<Host, "uri" | "certificates">) =>
  Effect.flatMap(Limits, (limits) =>
    Effect.acquireRelease(
      Effect.sync(() => openSession(uri, certificates, limits)),
      (session) => Effect.sync(() => session.close())
    ))

/** Runs with connections to a host, which are closed afterwards. */
export const withHost = <A, E, R>(
  host: Pick<Host, "uri" | "certificates">,
  use: (session: ReturnType<typeof openSession>) => Effect.Effect<A, E, R>
) => Effect.scoped(Effect.flatMap(connectionsTo(host), use))

export const addHost = Effect.fnUntraced(function*(input: InputOf<"hosts.add">) {
  const dataCenterId = yield* dataCenterNamed(input.data_center)
  const hosts = yield* HostsRepository
  const exists = Effect.flatMap(
    hosts.named(input.name),
    (host) => host === undefined ? Effect.void : reject(`Host ${input.name} already exists. Choose another name.`)
  )
  yield* exists
  const { accelerator, bridge, certificates = null, name, overcommit, pool, reserved_mib: reserved, uri } = input
  const place = { name, uri, certificates, pool, bridge, accelerator, sharedStorage: input.shared_storage ?? null }
  const backups = yield* backupsOf({ ...place, backupPool: null, sharedBackups: null }, input)
  const capacity = yield* withHost(place, (session) =>
    Effect.tap(
      capacityOf(session, place, overcommit, reserved),
      backups.backupPool === null ? Effect.void : backupSpace({ host: place, session }, backups.backupPool)
    )).pipe(Effect.mapError(({ message }) => reject(message)))
  const at = yield* Clock.currentTimeMillis
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    yield* exists
    const id = yield* hosts.add({ ...place, ...backups, dataCenterId, capacity, state: "active", at })
    return toRecord((yield* hosts.find(id))!)
  }))
})

export const listHosts = Effect.map(
  Effect.flatMap(HostsRepository, ({ list }) => list),
  (hosts) => hosts.map(toRecord)
)

const setting = (state: HostState) =>
  Effect.fnUntraced(function*({ name }: InputOf<"hosts.drain">) {
    const hosts = yield* HostsRepository
    return yield* (yield* Transaction).run(Effect.gen(function*() {
      const { id } = yield* hostNamed(name)
      yield* hosts.setState(id, state)
      return toRecord((yield* hosts.find(id))!)
    }))
  })

export const drainHost = setting("draining")

/** A host that was fenced may still have what runs elsewhere now. */
const assertNoneElsewhere = Effect.fnUntraced(function*(host: Host) {
  const hosts = yield* HostsRepository
  const present = { ...host, state: "active", unreachableSince: null } as const
  const limits = yield* Limits
  const list = (session: ReturnType<typeof openSession>) => listHost(session, present, "machines", limits)
  const { failure, machines } = yield* withHost(host, list)
  if (failure !== null) return yield* reject(`Host ${host.name} does not respond: ${failure}`)
  for (const { tag } of machines) {
    const owner = yield* hosts.reservation(idOf(tag)!)
    if (owner?.hostId === host.id) continue
    return yield* reject(
      `Host ${host.name} has ${tag}, which it may not run any more. Remove it there first: virsh destroy ${tag}; `
        + `virsh undefine ${tag}.`
    )
  }
})

const activate = setting("active")

export const activateHost = Effect.fnUntraced(function*(input: InputOf<"hosts.drain">) {
  const host = yield* hostNamed(input.name)
  if (host.state === "offline") yield* assertNoneElsewhere(host)
  return yield* activate(input)
})
