/** The commands for hosts of machines. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { toTimestamp } from "../../domain/Calendar.ts"
import { Catalogue } from "../../persistence/Catalogue.ts"
import { type Host, Hosts as HostsRepository } from "../../persistence/Hosts.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { idOf } from "../../provisioning/Driver.ts"
import { HostAdmin } from "../../provisioning/HostAdmin.ts"
import { reject } from "../CommandRejected.ts"
import { backupsOf } from "./BackupSettings.ts"
import type { HostState } from "../../contract/Words.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

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

const addHost = Effect.fnUntraced(function*(input: InputOf<"hosts.add">) {
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
  const capacity = yield* (yield* HostAdmin).capacity({ ...place, ...backups }, overcommit, reserved).pipe(
    Effect.mapError(({ message }) => reject(message))
  )
  const at = yield* Clock.currentTimeMillis
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    yield* exists
    const id = yield* hosts.add({ ...place, ...backups, dataCenterId, capacity, state: "active", at })
    return toRecord((yield* hosts.find(id))!)
  }))
})

const listHosts = Effect.map(
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

const drainHost = setting("draining")

/** A host that was fenced may still have what runs elsewhere now. */
const assertNoneElsewhere = Effect.fnUntraced(function*(host: Host) {
  const hosts = yield* HostsRepository
  const { byHand, machines } = yield* HostAdmin
  const tags = yield* Effect.mapError(
    machines(host),
    ({ message }) => reject(`Host ${host.name} does not respond: ${message}`)
  )
  for (const tag of tags) {
    const owner = yield* hosts.reservation(idOf(tag)!)
    if (owner?.hostId === host.id) continue
    return yield* reject(
      `Host ${host.name} has ${tag}, which it may not run any more. Remove it there first: ${byHand.powerOff(tag)}; `
        + `${byHand.remove(tag)}.`
    )
  }
})

const activate = setting("active")

const activateHost = Effect.fnUntraced(function*(input: InputOf<"hosts.drain">) {
  const host = yield* hostNamed(input.name)
  if (host.state === "offline") yield* assertNoneElsewhere(host)
  return yield* activate(input)
})

export const HOSTS_USE_CASES = {
  "hosts.add": addHost,
  "hosts.list": () => listHosts,
  "hosts.drain": drainHost,
  "hosts.activate": activateHost
} satisfies UseCases
