/**
 * The metrics of the service, for Prometheus. Recording is a plain call without Effect, because it happens on every
 * request. Labels come from closed sets only, so that clients cannot make them grow.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { ClockTrust } from "../persistence/clock/ServiceClock.ts"
import { Hosts } from "../persistence/Hosts.ts"
import { Mails } from "../persistence/Mails.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { type Request, RequestMetrics } from "./RequestMetrics.ts"
import { Counters, gauge, Histograms, type Labels, total } from "./Series.ts"
import type { HostContents } from "../domain/Finding.ts"
import { FINDING_KINDS } from "../contract/Words.ts"

/** The metrics of this process, and the task queue and the mails of the database. */
export const scrape = Effect.gen(function*() {
  const tasks = yield* Tasks
  const open = yield* tasks.backlog
  const next = yield* tasks.nextDue
  const now = yield* Clock.currentTimeMillis
  const { count, oldest } = yield* (yield* Mails).waiting
  const { doubt, sourceAhead } = yield* ClockTrust
  return (yield* Metrics).render(
    { open, lagMillis: next === undefined ? 0 : Math.max(0, now - next) },
    { count, waitMillis: oldest === undefined ? 0 : Math.max(0, now - oldest) },
    { isTrusted: doubt() === null, aheadMillis: sourceAhead() },
    yield* (yield* Hosts).list
  )
})

/** The task queue, read from the database for each scrape. A separate count could be wrong. */
export interface Queue {
  readonly open: ReadonlyArray<{ readonly type: string; readonly status: string; readonly count: number }>
  /** The delay of the oldest due task, in milliseconds. */
  readonly lagMillis: number
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** Tasks wait for machines, so they take seconds to minutes. */
const TASK_SECONDS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800]
const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128]

const MILLIS = 1000
const MICROS = 1_000_000

const SEPARATOR = "\0"

const keyOf = (...values: ReadonlyArray<string>): string => values.join(SEPARATOR)

/** The labels of a key, by name. */
const labelled = (...names: ReadonlyArray<string>) => (key: string): Labels => {
  const values = key.split(SEPARATOR)
  return Object.fromEntries(names.map((name, index) => [name, values[index]!]))
}

const processOf = (startedAt: number): string => {
  const memory = process.memoryUsage()
  const cpu = process.cpuUsage()
  return [
    gauge({ name: "process_resident_memory_bytes", help: "Memory in use." }, [[{}, memory.rss]]),
    gauge({ name: "nodejs_heap_used_bytes", help: "JavaScript heap in use." }, [[{}, memory.heapUsed]]),
    gauge({ name: "nodejs_external_memory_bytes", help: "Memory of buffers outside of the heap." }, [[
      {},
      memory.external
    ]]),
    total({ name: "process_cpu_seconds_total", help: "CPU time spent." }, (cpu.user + cpu.system) / MICROS),
    gauge({ name: "process_start_time_seconds", help: "Start time of the process, since the epoch." }, [[
      {},
      startedAt / MILLIS
    ]])
  ].join("")
}

const queueOf = ({ lagMillis, open }: Queue): string =>
  gauge(
    { name: "vps_tasks_open", help: "Tasks that are queued or in progress." },
    open.map(({ count, status, type }) => [{ type, status }, count])
  ) + gauge({ name: "vps_task_queue_lag_seconds", help: "How long the oldest due task has been waiting." }, [[
    {},
    lagMillis / MILLIS
  ]])

/** The mails that wait to be sent, read from the database for each scrape. */
export interface MailReading {
  readonly count: number
  /** The wait of the oldest, in milliseconds. */
  readonly waitMillis: number
}

const mailsOf = ({ count, waitMillis }: MailReading): string =>
  gauge({ name: "vps_mails_waiting", help: "Mails that the mail server has not taken yet." }, [[{}, count]])
  + gauge({ name: "vps_mail_wait_seconds", help: "How long the oldest of these mails has been waiting." }, [
    [{}, waitMillis / MILLIS]
  ])

/** The state of the clock. */
export interface ClockReading {
  readonly isTrusted: boolean
  /** The distance of the clock from the service's time. */
  readonly aheadMillis: number
}

const clockOf = ({ aheadMillis, isTrusted }: ClockReading): string =>
  gauge({ name: "vps_clock_trusted", help: "0 while an operator has to confirm the time, else 1." }, [
    [{}, isTrusted ? 1 : 0]
  ]) + gauge({ name: "vps_clock_ahead_seconds", help: "How far the clock is ahead of the time of the service." }, [
    [{}, aheadMillis / MILLIS]
  ])

/** A host of machines. */
export interface HostReading {
  readonly name: string
  /** Null while it responds. */
  readonly unreachableSince: number | null
}

const hostsOf = (hosts: ReadonlyArray<HostReading>): string =>
  gauge(
    { name: "vps_host_up", help: "0 while a host does not respond, and its tasks wait; else 1." },
    hosts.map(({ name, unreachableSince }) => [{ host: name }, unreachableSince === null ? 1 : 0])
  )

const findingsOf = (counts: ReadonlyMap<string, number>): string =>
  gauge(
    { name: "vps_machine_findings", help: "Differences between instances and machines at the last audit, by kind." },
    [...counts].map(([kind, count]) => [{ kind }, count])
  )

/** A host with the space of its pools. */
type PoolReading = Pick<HostContents, "host" | "pools">

const poolsOf = (hosts: ReadonlyArray<PoolReading>): string => {
  const of = (value: "bytes" | "free") =>
    hosts.flatMap(({ host, pools }) => pools.map((each) => [{ host, pool: each.pool }, each[value]] as const))
  return gauge({ name: "vps_pool_size_bytes", help: "Size of a host's storage pool at the last audit." }, of("bytes"))
    + gauge({ name: "vps_pool_free_bytes", help: "Space left in a host's storage pool at the last audit." }, of("free"))
}

const missingOf = ({ keys, passwords }: { readonly keys: number; readonly passwords: number }): string =>
  gauge({ name: "vps_secret_missing", help: "API keys and passwords in use whose secret is not configured." }, [
    [{ of: "api_keys" }, keys],
    [{ of: "waiting_passwords" }, passwords]
  ])

/** The money at risk in one currency. */
interface MoneyReading {
  readonly accounts: number
  /** In minor units. */
  readonly missing: number
}

/** Of an amount. */
const MINOR_UNITS = 100

const moneyOf = (money: ReadonlyMap<string, MoneyReading>): string => {
  const rows = (of: (reading: MoneyReading) => number) =>
    [...money].map(([currency, reading]) => [{ currency }, of(reading)] as const)
  return gauge(
    { name: "vps_accounts_at_risk", help: "Accounts whose wallet does not pay for all that is due within 7 days." },
    rows(({ accounts }) => accounts)
  ) + gauge(
    { name: "vps_money_at_risk", help: "The amount that is missing in these wallets." },
    rows(({ missing }) => missing / MINOR_UNITS)
  )
}

/** All metrics of one service. */
export class Measures {
  readonly #requests = new RequestMetrics(
    { name: "vps_http_requests_total", help: "Answered requests." },
    { name: "vps_http_request_duration_seconds", help: "Time from a request's arrival to its complete response." },
    SECONDS
  )
  readonly #replays = new Counters<string>(
    { name: "vps_idempotent_replays_total", help: "Creates that returned an instance bought before." },
    () => ({})
  )
  readonly #dropped = new Counters<string>(
    { name: "vps_http_dropped_total", help: "Connections that were closed or refused to protect other clients." },
    labelled("reason")
  )
  readonly #tasks = new Counters<string>(
    { name: "vps_tasks_total", help: "Attempts of tasks, by outcome." },
    labelled("type", "outcome")
  )
  readonly #taskSeconds = new Histograms<string>(
    { name: "vps_task_duration_seconds", help: "Time from a task's first attempt to its end." },
    TASK_SECONDS,
    labelled("type", "outcome")
  )
  readonly #batches = new Histograms<string>(
    { name: "vps_write_batch_size", help: "Writes that shared one transaction." },
    BATCH_SIZES,
    () => ({})
  )
  readonly #batchSeconds = new Histograms<string>(
    { name: "vps_write_batch_duration_seconds", help: "Time from the begin of a shared transaction to its commit." },
    SECONDS,
    () => ({})
  )
  readonly #driver = new Histograms<string>(
    { name: "vps_driver_call_duration_seconds", help: "Calls of the driver, by outcome." },
    SECONDS,
    labelled("driver", "call", "operation", "outcome")
  )

  #findings: ReadonlyMap<string, number> = new Map()
  #pools: ReadonlyArray<PoolReading> = []

  #missing = { keys: 0, passwords: 0 }

  readonly request = (answered: Request & { readonly replayed: boolean }): void => {
    this.#requests.add(answered)
    if (answered.replayed) this.#replays.add("")
  }

  readonly dropped = (reason: string): void => this.#dropped.add(reason)

  readonly task = (type: string, outcome: string, millis: number): void => {
    const key = keyOf(type, outcome)
    this.#tasks.add(key)
    if (outcome !== "retried") this.#taskSeconds.add(key, millis / MILLIS)
  }

  readonly batch = (size: number, millis: number): void => {
    this.#batches.add("", size)
    this.#batchSeconds.add("", millis / MILLIS)
  }

  /** Sets the current number of keys and passwords whose secret is missing. */
  readonly missingSecrets = (keys: number, passwords: number): void => {
    this.#missing = { keys, passwords }
  }

  #money: ReadonlyMap<string, MoneyReading> = new Map()

  /** Sets the risks of all accounts that have one. A currency without any stays, at 0. */
  readonly moneyAtRisk = (
    risks: ReadonlyArray<{ readonly currency: string; readonly missing: number }>
  ): void => {
    const none = [...this.#money.keys()].map((currency) => [currency, { accounts: 0, missing: 0 }] as const)
    const some = [...Map.groupBy(risks, ({ currency }) => currency)].map(([currency, own]) =>
      [currency, { accounts: own.length, missing: own.reduce((sum, { missing }) => sum + missing, 0) }] as const
    )
    this.#money = new Map([...none, ...some])
  }

  /** Sets the findings of the latest audit of machines, and the space in pools. */
  readonly audited = (findings: ReadonlyArray<{ readonly kind: string }>, pools: ReadonlyArray<PoolReading>): void => {
    this.#pools = pools
    const counts = Map.groupBy(findings, ({ kind }) => kind)
    this.#findings = new Map(FINDING_KINDS.map((kind) => [kind, counts.get(kind)?.length ?? 0]))
  }

  /** `operation` is empty for calls without one. */
  readonly driver = (driver: string, call: string, operation: string, outcome: string, millis: number): void =>
    this.#driver.add(keyOf(driver, call, operation, outcome), millis / MILLIS)

  /** The Prometheus text format, 0.0.4. */
  readonly render = (
    queue: Queue,
    mails: MailReading,
    clock: ClockReading,
    hosts: ReadonlyArray<HostReading> = []
  ): string =>
    [
      this.#requests.render(),
      this.#replays.render(),
      this.#dropped.render(),
      this.#tasks.render(),
      this.#taskSeconds.render(),
      queueOf(queue),
      mailsOf(mails),
      clockOf(clock),
      hostsOf(hosts),
      findingsOf(this.#findings),
      poolsOf(this.#pools),
      missingOf(this.#missing),
      moneyOf(this.#money),
      this.#batches.render(),
      this.#batchSeconds.render(),
      this.#driver.render(),
      processOf(performance.timeOrigin)
    ].join("")
}

export class Metrics extends Context.Service<Metrics, Measures>()("@pulumi-vps/service/Metrics") {
  static readonly layer = Layer.sync(Metrics, () => new Measures())
}
