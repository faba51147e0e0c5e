/** Planted bugs: each is a plausible mistake, as a layer around a sound part. */
import type * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as App from "#service/App"
import { StorageUnavailable } from "#service/domain/Errors"
import { Accounts } from "#service/persistence/Accounts"
import { type ApiKey, ApiKeys } from "#service/persistence/ApiKeys"
import { DeploymentHolds } from "#service/persistence/DeploymentHolds"
import { NewTagSuffix } from "#service/persistence/MachineTag"
import { DueTimes } from "#service/persistence/DueTimes"
import { ALWAYS, ClockTrust } from "#service/persistence/clock/ServiceClock"
import { ClockStates } from "#service/persistence/ClockStates"
import type { Scope } from "#service/domain/Finding"
import { Coupons } from "#service/persistence/Coupons"
import { IdempotencyKeys } from "#service/persistence/IdempotencyKeys"
import { Instances } from "#service/persistence/Instances"
import { Journals } from "#service/persistence/Journals"
import { Orders } from "#service/persistence/Orders"
import { Snapshots } from "#service/persistence/Snapshots"
import { Sql } from "#service/persistence/Sql"
import { Tasks } from "#service/persistence/Tasks"
import { Transaction } from "#service/persistence/Transaction"
import { Driver, type DriverRequest } from "#service/provisioning/Driver"

type Storage = App.ExternalPorts["storage"]
type Stored = Layer.Success<Storage>

/** A part of what is stored, with something in it done otherwise. */
const changed =
  <Id extends Stored, A extends object>(part: Context.Service<Id, A>, change: (sound: A) => Partial<A>) =>
  (ports: App.ExternalPorts): App.ExternalPorts => {
    const broken = Layer.effect(part, Effect.map(part, (sound) => ({ ...sound, ...change(sound) })))
    return { ...ports, storage: Layer.provideMerge(broken, ports.storage) as Storage }
  }

/**
 * Neither the key of an order nor the tag of a machine shows what was done already. A driver rejects a second machine
 * of a tag, so an order that is repeated has another tag, too.
 */
const forgetful = (ports: App.ExternalPorts): App.ExternalPorts => {
  const broken = Layer.effect(
    Driver,
    Effect.map(Driver, (sound) => {
      let count = 0
      const [keys, tags] = [new Map<string, string>(), new Map<string, number>()]
      const freshTag = ({ operation: { type }, tag }: DriverRequest): string => {
        if (type !== "provision") return tag
        const times = tags.get(tag) ?? 0
        tags.set(tag, times + 1)
        return times === 0 ? tag : `${tag}${times}`
      }
      return Driver.of({
        ...sound,
        submit: (order) => {
          const key = `${order.key}-${++count}`
          keys.set(order.key, key)
          return sound.submit({ ...order, key, tag: freshTag(order) })
        },
        poll: (order) => sound.poll({ ...order, key: keys.get(order.key) ?? order.key }),
        find: () => Effect.succeed(undefined)
      })
    })
  )
  return { ...ports, driver: Layer.provideMerge(broken, ports.driver) }
}

/** Any worker writes the end of a task, and each refund has a new reference. */
const refundsAnew = (ports: App.ExternalPorts): App.ExternalPorts => {
  let count = 0
  const anew = changed(Journals, ({ append }) => ({
    append: (journal) =>
      append(
        journal.kind === "refund" ? { ...journal, reference: `${journal.reference}:${++count}` } : journal
      )
  }))
  const always = changed(Orders, ({ markRefunded }) => ({
    markRefunded: (id) => Effect.as(markRefunded(id), true)
  }))
  return unfenced(anew(always(ports)))
}

const unfenced = changed(Tasks, ({ find, finish }) => ({
  finish: (id, fence, outcome) =>
    Effect.flatMap(find(id), (task) => Effect.as(finish(id, task?.fence ?? fence, outcome), true))
}))

/** A key's purchase is known to the process that sold it only. */
const keysInMemory = changed(IdempotencyKeys, (sound) => {
  const own = new Set<string>()
  return {
    insert: (key) => Effect.andThen(Effect.sync(() => void own.add(key.digest)), sound.insert(key)),
    find: (apiKeyId, digest) => own.has(digest) ? sound.find(apiKeyId, digest) : Effect.succeed(undefined)
  }
})

/** Returns before the commit is known to have been done. */
const early = changed(Transaction, ({ run }) => ({
  run: <A, E, R>(useCase: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      let answer: { readonly value: A } | undefined
      const heard = Effect.tap(useCase, (value) => Effect.sync(() => void (answer = { value })))
      return Effect.matchEffect(run(heard), {
        onSuccess: Effect.succeed,
        onFailure: (error) =>
          error instanceof StorageUnavailable && answer !== undefined
            ? Effect.succeed(answer.value)
            : Effect.fail(error)
      })
    })
}))

/** The worker waits for what is queued, and not for leases that end. */
const deaf = (ports: App.ExternalPorts): App.ExternalPorts => {
  const broken = Layer.effect(
    DueTimes,
    Effect.gen(function*() {
      const { backlog } = yield* Tasks
      const { next } = yield* DueTimes
      const isQueued = Effect.map(backlog, (open) => open.some(({ status }) => status === "queued"))
      return { next: Effect.zipWith(next, isQueued, (all, is) => is ? all : { ...all, task: undefined }) }
    })
  )
  return { ...ports, storage: Layer.provideMerge(broken, ports.storage) as Storage }
}

/** A lookup of a key is cached permanently. */
const trusting = changed(ApiKeys, ({ findByDigest }) => {
  const known = new Map<string, ApiKey>()
  return {
    findByDigest: (digest) =>
      Effect.suspend(() => {
        const key = known.get(digest)
        return key !== undefined
          ? Effect.succeed(key)
          : Effect.tap(findByDigest(digest), (found) =>
            Effect.sync(() => found === undefined ? undefined : known.set(digest, found)))
      })
  }
})

/** The service follows every jump of its clock. */
const credulous = (ports: App.ExternalPorts): App.ExternalPorts => {
  const followed = Layer.merge(Layer.effect(Clock.Clock, Clock.Clock), Layer.succeed(ClockTrust, ALWAYS))
  return { ...ports, storage: Layer.merge(ports.storage, followed) }
}

export interface Mutant {
  /** A description of the bug. */
  readonly name: string
  /** The invariants that show it; any by default. */
  readonly invariant?: RegExp
  readonly plant: (ports: App.ExternalPorts) => App.ExternalPorts
}

/** Grace periods end while no owner can pay, because the service is off. */
const outagesCount = (ports: App.ExternalPorts): App.ExternalPorts => {
  const broken = Layer.effect(
    ClockStates,
    Effect.map(Effect.all([ClockStates, Sql]), ([states, sql]) => {
      const takeBack = sql.run(
        `UPDATE instances SET grace_until = grace_until - ?1
         WHERE lifecycle = 'expired' AND terminate_at IS NULL AND grace_until > ?2`
      )
      return { ...states, endOutage: (time) => Effect.tap(states.endOutage(time), (length) => takeBack(length, time)) }
    })
  )
  return { ...ports, storage: Layer.provideMerge(broken, ports.storage) as Storage }
}

/** A bug that once existed: a snapshot whose deletion was abandoned keeps its state, even without its image. */
const asItWas = (ports: App.ExternalPorts): App.ExternalPorts => {
  const kept = changed(Snapshots, ({ setStatus }) => ({
    setStatus: (id, status) => status === "failed" ? Effect.void : setStatus(id, status)
  }))
  const alone = changed(Tasks, ({ insert }) => ({
    insert: (task) => task.type === "snapshot_delete" && task.actor === "system" ? Effect.succeed(0) : insert(task)
  }))
  return alone(kept(ports))
}

/** A termination that fails is in grace again, as it was before it had a column of its own. */
const terminationsInGrace = changed(Instances, ({ subscriptions }) => ({
  subscriptions: { ...subscriptions, terminate: subscriptions.expire }
}))

/** A second announcement replaces the first one. */
const announcedAgain = changed(Orders, ({ repriceable, setNextPrice }) => ({
  repriceable: (change) =>
    Effect.map(
      repriceable(change),
      (orders) => orders.map((order) => ({ ...order, nextPrice: null, nextPriceFrom: null }))
    ),
  setNextPrice: (order, change) =>
    Effect.flatMap(repriceable(change), (orders) => {
      const now = orders.find(({ id }) => id === order.id)
      return now === undefined ? Effect.succeed(false) : setNextPrice(now, change)
    })
}))

/** An account is closed or open as it was when the command began. */
const closedUnnoticed = changed(Accounts, ({ find }) => ({
  find: (id) => Effect.map(find(id), (account) => account && { ...account, closedAt: null })
}))

/** Money that comes back by a refund renews nothing; a payment does. */
const refundsReviveNone = (ports: App.ExternalPorts): App.ExternalPorts => {
  let last = ""
  const noting = changed(Journals, ({ append }) => ({
    append: (journal) => Effect.tap(append(journal), () => Effect.sync(() => void (last = journal.kind)))
  }))
  const unrevived = changed(Instances, ({ subscriptions }) => ({
    subscriptions: {
      ...subscriptions,
      expired: (account) =>
        Effect.suspend(() => last === "refund" ? Effect.succeed([]) : subscriptions.expired(account))
    }
  }))
  return unrevived(noting(ports))
}

/** A tag is the instance's id, which an older database assigns again. */
const untagged = (ports: App.ExternalPorts): App.ExternalPorts => ({
  ...ports,
  storage: Layer.provide(ports.storage, Layer.succeed(NewTagSuffix, () => "0000000000")) as Storage
})

/** Machines that are off since their host was restarted count as shut down by their owners. */
const restartsUnnoticed = (ports: App.ExternalPorts): App.ExternalPorts => {
  const broken = Layer.effect(
    Driver,
    Effect.map(Driver, (sound) => ({
      ...sound,
      list: (scope: Scope) =>
        Effect.map(sound.list(scope), (hosts) =>
          hosts.map((host) => ({
            ...host,
            connection: 0,
            machines: host.machines.map((machine) => ({ ...machine, isLeftOff: false }))
          })))
    }))
  )
  return { ...ports, driver: Layer.provideMerge(broken, ports.driver) }
}

/** The third review's findings about money, each with its fix taken out. */
export const MONEY: ReadonlyArray<Mutant> = [
  {
    name: "a failed termination is a grace period",
    plant: terminationsInGrace,
    invariant: /termination has begun|before it begins/
  },
  { name: "an announced price is replaced", plant: announcedAgain, invariant: /announced price stays/ },
  {
    name: "an undone renewal keeps its resize",
    plant: changed(Journals, () => ({ resizes: () => Effect.succeed([]) })),
    invariant: /beyond the paid period/
  },
  {
    name: "a refund renews nothing that has expired",
    plant: refundsReviveNone,
    invariant: /what the wallet pays for is renewed/
  },
  {
    name: "an outage uses up the grace period",
    plant: outagesCount,
    invariant: /no grace ends early/
  },
  { name: "a closed account is filled", plant: closedUnnoticed, invariant: /closed account is empty/ }
]

const holds = (change: (sound: DeploymentHolds["Service"]) => Partial<DeploymentHolds["Service"]>) =>
  changed(DeploymentHolds, change)

/** Its findings about restores and hosts, each with its fix taken out. */
export const MACHINES: ReadonlyArray<Mutant> = [
  { name: "a machine's tag has no random part", plant: untagged, invariant: /ever another's/ },
  {
    name: "ids continue after a backup's own",
    plant: holds(() => ({ advanceIds: () => Effect.void })),
    invariant: /id is sold twice/
  },
  {
    name: "deployments do not wait after a restore",
    plant: holds(() => ({ find: Effect.succeed(undefined) })),
    invariant: /deployments wait/
  },
  {
    name: "a host's restart leaves its machines off",
    plant: restartsUnnoticed,
    invariant: /takes no machine down/
  }
]

/** Found within a few seeds: with every test run. */
export const GROSS: ReadonlyArray<Mutant> = [
  { name: "a server is ordered anew after a lost answer", plant: forgetful },
  { name: "a clock that jumps is followed", plant: credulous, invariant: /before it begins|before its period/ },
  { name: "idempotency keys live in memory", plant: keysInMemory },
  { name: "an answer comes before its commit", plant: early },
  { name: "nobody waits for the end of a lease", plant: deaf },
  { name: "a coupon is not given back", plant: changed(Coupons, () => ({ release: () => Effect.succeed(true) })) },
  { name: "a look-up of a key is trusted for ever", plant: trusting },
  { name: "a refund has no reference of its own, and whoever comes ends a task", plant: refundsAnew },
  { name: "a snapshot whose deletion was given up in doubt stays available", plant: asItWas }
]

/** Found within some dozens of seeds: with `npm run simulate -- --planted`. */
export const FINE: ReadonlyArray<Mutant> = [
  {
    name: "what a failed provisioning left is not taken down",
    plant: changed(Tasks, ({ insert }) => ({
      insert: (task) => task.type === "terminate" && task.actor === "system" ? Effect.succeed(0) : insert(task)
    }))
  },
  {
    name: "the lock of an instance is not looked at",
    plant: changed(Tasks, () => ({ open: () => Effect.succeed(undefined) }))
  }
]
