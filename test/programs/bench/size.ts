/**
 * `npm run bench -- size`: what each use case costs with 100 times the data, on both databases. See docs/benchmarks.md.
 *
 *   npm run bench -- size [--rounds 40] [--databases sqlite,postgres] [--times 100] [--tasks 50]
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { strict as assert } from "node:assert"
import { randomUUID } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { DueTimes } from "#service/persistence/DueTimes"
import { PlacesMachines, release, reserve } from "#service/catalogue/Capacity"
import { seed } from "#service/emulator/Seed"
import { topUp } from "#service/ledger/Ledger"
import { getInstance, listInstances, taskPage } from "#service/instances/Read"
import { placeOrder } from "#service/orders/PlaceOrder"
import { Catalogue } from "#service/persistence/Catalogue"
import { Hosts } from "#service/persistence/Hosts"
import { Sql } from "#service/persistence/Sql"
import * as Storage from "#service/persistence/Storage"
import { Tasks } from "#service/persistence/Tasks"
import { Transaction } from "#service/persistence/Transaction"
import * as Administration from "#service/provisioning/drivers/libvirt/Administration"
import * as TaskQueue from "#service/tasks/TaskQueue"
import * as Scheduler from "#service/tasks/Scheduler"
import { HOST } from "../../persistence/suite/hosts.ts"
import { limitsLayer } from "../../support/limits.ts"
import * as Mailbox from "../../support/mailbox.ts"
import { startPostgres } from "../../support/postgres.ts"
import { owner, secretLayer } from "../../support/service.ts"
import { family } from "./Process.ts"
import { align, inTurn, median, paired, say, sayRound, spread } from "./report.ts"
import { accountOf, enlarge, HOSTS, TASKS } from "./seedLarge.ts"

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "40" },
    databases: { type: "string", default: "sqlite,postgres" },
    times: { type: "string", default: "100" },
    tasks: { type: "string", default: String(TASKS) }
  }
})
const rounds = Number(flags.rounds)
const DATABASES = ["sqlite", "postgres"]
const databases = flags.databases.split(",")
const unknown = databases.filter((name) => !DATABASES.includes(name))
if (unknown.length > 0) throw new Error(`--databases ${unknown.join(",")} is unknown: give ${DATABASES.join(" or ")}.`)

const SMALL = 1_000
const PLAN = 2
const IMAGE = "debian-12"
/** Instances of each work in a round. */
const JOBS = 40
const READS = 400
/** Rounds that warm up. */
const WARM = 3
/** Prime to both sizes. */
const STRIDE = 7_919
/** The growth of a cost that is a defect. */
const MOST = 1.1

const layerOn = (database: string) =>
  Scheduler.layer.pipe(
    Layer.provideMerge(Mailbox.layer),
    Layer.provideMerge(TaskQueue.layer),
    Layer.provideMerge(Storage.layer(database)),
    Layer.provideMerge(Layer.mergeAll(secretLayer, limitsLayer())),
    Layer.provideMerge(Layer.provide(Administration.layer, limitsLayer())),
    Layer.provide(Logger.layer([])),
    Layer.orDie,
    Layer.fresh
  )
type Runtime = ManagedRuntime.ManagedRuntime<Layer.Success<ReturnType<typeof layerOn>>, never>

const write = <A, E, R>(useCase: Effect.Effect<A, E, R>) => Effect.flatMap(Transaction, ({ run }) => run(useCase))
const execute = (sql: string) => write(Effect.flatMap(Sql, ({ run }) => run(sql)()))

/** One account with one instance, and hosts. */
const makeFirst = Effect.gen(function*() {
  yield* write(seed)
  yield* write(topUp({ accountId: 1, amount: 10 ** 12, reference: "bench", at: 0 }))
  yield* write(
    placeOrder({ caller: owner, body: { service_id: PLAN, os: IMAGE, hostname: "a.example.com" }, key: "a" })
  )
  yield* execute("UPDATE instances SET lifecycle = 'active', power = 'on', provider_id = 'sim-1'")
  yield* execute(
    "UPDATE tasks SET status = 'succeeded', progress = 100, started_at = created_at, finished_at = created_at"
  )
  const { add, setImage } = yield* Hosts
  const capacity = { cpus: 10 ** 6, memoryMib: 10 ** 9, diskGib: 10 ** 8 }
  for (let index = 0; index < HOSTS; index++) {
    const hostId = yield* write(add({ ...HOST, name: `host-${index}`, capacity }))
    yield* write(setImage({ hostId, slug: IMAGE, kind: "disk", sha256: "0", volume: IMAGE, createdAt: 0 }))
  }
})

interface Instance {
  readonly id: number
  readonly caller: typeof owner
}

/** A database of some size. Its instances are used one after the other, and each is far from the last. */
interface Subject {
  readonly system: string
  readonly runtime: Runtime
  readonly instances: number
  used: number
}

const take = (subject: Subject, count: number): ReadonlyArray<Instance> =>
  Array.from({ length: count }, () => {
    const id = 1 + subject.used++ * STRIDE % subject.instances
    return { id, caller: { ...owner, accountId: accountOf(id, subject.instances) } }
  })

type Services = ManagedRuntime.ManagedRuntime.Services<Runtime>

/** All that it does is measured, for all instances at once; what comes before and after is not. */
interface Work {
  readonly name: string
  readonly count: number
  readonly before?: (all: ReadonlyArray<Instance>) => Effect.Effect<unknown, unknown, Services>
  readonly run: (all: ReadonlyArray<Instance>) => Effect.Effect<unknown, unknown, Services>
  readonly after?: (all: ReadonlyArray<Instance>) => Effect.Effect<unknown, unknown, Services>
}

const each = <E>(one: (instance: Instance) => Effect.Effect<unknown, E, Services>) => (all: ReadonlyArray<Instance>) =>
  Effect.forEach(all, one, { discard: true })

const setAll = (assignment: string) => (all: ReadonlyArray<Instance>) =>
  execute(`UPDATE instances SET ${assignment} WHERE id IN (${all.map(({ id }) => id).join(", ")})`)

/** Positions in the scheduler's list of jobs. */
const RENEWALS = 0
const BACKUPS = 2

/** Runs a scheduled job as the worker does, which repeats it when its transactions conflict too often. */
const runJob = (index: number) =>
  Effect.gen(function*() {
    const job = (yield* Scheduler.ScheduledJobs)[index]!
    yield* (yield* DueTimes).next
    yield* Effect.retry(job.run(Date.now()), { times: 5 })
  })

/** Fails unless a statement counts as many as there are instances. */
const expect = (sql: string) => (all: ReadonlyArray<Instance>) =>
  Effect.gen(function*() {
    const row = yield* (yield* Sql).one<[number]>(sql)()
    assert.strictEqual(Number(row![0]), all.length, sql)
  })

const OPEN = "SELECT count(*) FROM tasks WHERE finished_at IS NULL"
const CLOSE =
  "UPDATE tasks SET status = 'succeeded', progress = 100, lease_until = NULL, finished_at = 1 WHERE finished_at IS NULL"
const PAST = 1_000

const order = { service_id: PLAN, os: IMAGE, hostname: "a.example.com" }

const WORKS: ReadonlyArray<Work> = [
  {
    name: "create",
    count: JOBS,
    run: each(({ caller }) => write(placeOrder({ caller, body: order, key: randomUUID() }))),
    after: (all) => Effect.andThen(expect(OPEN)(all), execute(CLOSE))
  },
  { name: "GET by ID", count: READS, run: each(({ caller, id }) => getInstance(caller, id, (one) => one)) },
  { name: "list page", count: READS, run: each(({ caller }) => listInstances(caller)) },
  { name: "feed page", count: READS, run: each(({ caller, id }) => taskPage(caller, id, { limit: 20, offset: 0 })) },
  {
    name: "renewal job",
    count: JOBS,
    before: (all) => setAll(`expires_at = ${Date.now() - PAST}, renew_after = NULL`)(all),
    run: () => runJob(RENEWALS),
    after: () => expect(`SELECT count(*) FROM instances WHERE expires_at <= ${Date.now() - PAST}`)([])
  },
  {
    name: "nightly backups",
    count: JOBS,
    before: (all) => setAll(`next_backup_at = ${Date.now() - PAST}`)(all),
    run: () => runJob(BACKUPS),
    after: expect(OPEN)
  },
  {
    name: "claim of these tasks",
    count: JOBS,
    run: (all) =>
      Effect.flatMap(Tasks, ({ claim, nextDue }) => {
        const now = Date.now()
        return Effect.andThen(nextDue, write(claim(now, now + 60_000, all.length)))
      }),
    after: () => Effect.andThen(expect(`${OPEN} AND status <> 'running'`)([]), execute(CLOSE))
  },
  {
    name: "placement",
    count: JOBS,
    before: each(({ id }) => write(release(id, 0))),
    run: each(({ caller: { accountId }, id }) =>
      Effect.gen(function*() {
        const plan = (yield* (yield* Catalogue).plan(PLAN))!
        yield* write(reserve(plan, { accountId, image: IMAGE, instanceId: id }, Date.now()))
      })
    )
  }
]

/** Microseconds of CPU so far: of this process, and of the database server's processes. */
const cpuMicros = (server: number | undefined): number => {
  const { system, user } = process.cpuUsage()
  const backends = server === undefined ? [] : family(server)
  return backends.reduce(
    (sum, pid) => sum + Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1_000,
    user + system
  )
}

interface Row {
  readonly system: string
  readonly round: number
  readonly work: string
  /** Microseconds of CPU for each instance. */
  readonly cpu: number
}

const measure = async (subjects: ReadonlyArray<Subject>, server: number | undefined): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (let round = -WARM; round < rounds; round++) {
    for (const { after, before, count, name, run } of WORKS) {
      for (const subject of inTurn(subjects, round)) {
        const all = take(subject, count)
        const perform = (one: Effect.Effect<unknown, unknown, Services>) =>
          subject.runtime.runPromise(Effect.provideService(one, PlacesMachines, name === "placement"))
        if (before !== undefined) await perform(before(all))
        const began = cpuMicros(server)
        await perform(run(all))
        const cpu = (cpuMicros(server) - began) / count
        if (after !== undefined) await perform(after(all))
        if (round >= 0) rows.push({ system: subject.system, round, work: name, cpu })
      }
    }
    if (round >= 0) sayRound(round, rounds)
  }
  return rows
}

const report = (title: string, rows: ReadonlyArray<Row>): string =>
  align([
    [`${title}, CPU us`, "1x", `${flags.times}x`, "ratio", ""],
    ...WORKS.map(({ name }) => {
      const own = rows.filter(({ work }) => work === name)
      const of = (system: string) => spread(own.filter((row) => row.system === system).map(({ cpu }) => cpu), 0)
      const ratios = paired(own, ["large", "small"], ({ cpu }) => cpu)
      return [name, of("small"), of("large"), spread(ratios, 2), median(ratios) <= MOST ? "" : `above ${MOST}`]
    })
  ])

/** Makes a small and a large database, and measures all works on both. */
const compare = async (title: string, place: (name: string) => Promise<string>, server?: number): Promise<void> => {
  const subjects: Array<Subject> = []
  try {
    for (const [system, times] of [["small", 1], ["large", Number(flags.times)]] as const) {
      const instances = SMALL * times
      const database = await place(system)
      say(`${title}: ${instances} instances are being stored`)
      const first = ManagedRuntime.make(layerOn(database))
      await first.runPromise(makeFirst)
      await first.dispose()
      await enlarge(database, instances, Number(flags.tasks))
      subjects.push({ system, runtime: ManagedRuntime.make(layerOn(database)), instances, used: 0 })
    }
    process.stdout.write(`\n${report(title, await measure(subjects, server))}\n`)
  } finally {
    for (const { runtime } of subjects) await runtime.dispose()
  }
}

const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-bench-size-"))
try {
  if (databases.includes("sqlite")) await compare("SQLite", async (name) => join(folder, `${name}.db`))
  if (databases.includes("postgres")) {
    const postgres = await startPostgres()
    try {
      await compare("PostgreSQL", () => postgres.database(), postgres.pid())
    } finally {
      await postgres.close()
    }
  }
  process.stdout.write("\nmedian [least-most] of the rounds; ratios are paired per round.\n")
} finally {
  rmSync(folder, { recursive: true, force: true })
}
