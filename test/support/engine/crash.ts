/** Plays a row of the crash matrix: once undisturbed, then killed at each request in turn, and run again. */
import assert from "node:assert/strict"
import type { CrashRow } from "./scenarios/crashes.ts"
import type { Held, Seen as Request } from "./Proxy.ts"
import type { Running } from "./Stack.ts"
import type { Stage } from "./Stage.ts"

/** Outputs that must be the same, however often it was killed. */
const OUTPUTS =
  "serviceId hostname os status powerState bootMode isoId passwordRotation pendingSshKey reinstallTriggers"
    .split(" ")

type Moment = "before" | "after"

interface End {
  readonly mutations: ReadonlyArray<string>
  readonly outcome: unknown
}

interface Task {
  readonly id: number
  readonly type: string
  readonly status: string
}

/** Without what depends on the order in which servers were bought: node and address. */
const installed = (data: string | null | undefined): unknown => {
  const { hostname, os } = JSON.parse(data ?? "{}") as { hostname?: string; os?: string }
  return { hostname, os }
}

/** What the service holds for the account, without times; ids are chance when several are bought at once. */
const content = async (stage: Stage): Promise<unknown> => {
  const instances = await stage.instances()
  const all = await Promise.all(instances.map(async ({ id, order, provider_data: data, status }) => ({
    status,
    plan: order.service_id,
    installed: installed(data),
    live: await stage.ask<{ boot_mode: string; iso_id: number | null }>("GET", `/instances/${id}/status`)
      .then(({ boot_mode: boot, iso_id: iso }) => ({ boot, iso })),
    snapshots: (await stage.ask<ReadonlyArray<{ status: string }>>("GET", `/instances/${id}/snapshots`))
      .map((one) => one.status)
  })))
  return all.toSorted((one, other) => JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)
}

const tasks = async (stage: Stage): Promise<unknown> =>
  (await stage.control("GET", "tasks") as unknown as ReadonlyArray<Task>).map(({ status, type }) => `${type} ${status}`)

const outputs = async (stage: Stage): Promise<unknown> =>
  (await stage.resources())
    .toSorted((one, other) => one.urn < other.urn ? -1 : 1)
    .map((one) => Object.fromEntries(OUTPUTS.map((name) => [name, one.outputs[name]])))

const end = async (stage: Stage, from: number): Promise<End> => ({
  mutations: stage.proxy.mutations().slice(from).toSorted(),
  outcome: { content: await content(stage), outputs: await outputs(stage) }
})

const settle = async (stage: Stage, row: CrashRow): Promise<void> => {
  stage.forgotten = row.forgotten ?? 0
  stage.ending = row.ending ?? "idle"
  await stage.settle()
}

const isRead = ({ method, path }: Request): boolean => method === "GET" || path.includes("dry_run=true")

/** Kills the run at its n-th request; answers the request, or undefined when the run came to its end before that. */
const cut = async (stage: Stage, row: CrashRow, nth: number, moment: Moment): Promise<Request | undefined> => {
  let count = 0
  let request: Request | undefined
  const held = stage.proxy.hold((seen) => {
    request = seen
    return ++count === nth
  })
  const running = stage.start(row.verb ?? "up")
  const reached = await Promise.race([held.reached.then(() => true), running.done.then(() => false)])
  stage.proxy.release()
  if (!reached) return undefined
  if (moment === "after") await held.carryOut()
  if (row.kill === "engine") await killEngine(stage, running, held)
  else if (row.kill === "provider") await running.killProvider()
  else await running.kill()
  await stage.stack.cancel()
  return request
}

/** The orphaned provider is given its answer, and does nothing more. */
const killEngine = async (stage: Stage, running: Running, held: Held): Promise<void> => {
  const orphans = running.descendants()
  await running.killEngine()
  const before = stage.proxy.seen.length
  held.answer()
  await orphans.providersGone()
  assert.deepEqual(stage.proxy.seen.slice(before), [], "an orphaned provider goes on")
}

/** Without what differs from one time to the next. */
const steady = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/"ciphertext":"[^"]*"/g, "").replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "")

/** All that a kill -9 leaves: what is stored, and what the service holds. */
const leavings = async (stage: Stage): Promise<string> =>
  steady([await stage.stack.exportState(), await content(stage), await tasks(stage)])

interface Point {
  readonly request: Request
  /** Has anything changed since the request before it? */
  readonly fresh: boolean
}

/** One undisturbed run; answers its requests. */
const survey = async (stage: Stage, row: CrashRow): Promise<ReadonlyArray<Point>> => {
  const points: Array<Point> = []
  const known = new Set<string>()
  stage.proxy.inspect(async (request) => {
    const left = await leavings(stage)
    points.push({ request, fresh: !known.has(left) })
    known.add(left)
  })
  await stage.run(row.verb ?? "up").finally(() => stage.proxy.inspect())
  return points
}

export const playCrashes = async (stage: Stage, row: CrashRow): Promise<void> => {
  const again = await prepare(stage, row)
  await again()
  const from = stage.proxy.mutations().length
  const points = await survey(stage, row)
  assert.ok(points.length > 0, "nothing was asked of the service: there is nothing to kill")
  const undisturbed = await end(stage, from)
  await settle(stage, row)
  const finish = await keep(stage, "finished")
  // The same state and the same service lead to the same end: each is gone on from once.
  const known = new Set([steady((await stage.stack.exportState()).resources)])
  for (const [index, { fresh, request }] of points.entries()) {
    const moments: ReadonlyArray<Moment> = [
      ...(fresh && row.kill !== "engine" ? ["before"] as const : []),
      ...(isRead(request) ? [] : ["after"] as const)
    ]
    for (const moment of moments) {
      await again()
      const begun = stage.proxy.mutations().length
      const killed = await cut(stage, row, index + 1, moment)
      if (killed === undefined) {
        // How often a wait looks is up to the clock; what is changed is not.
        assert.ok(points.slice(index).every((point) => isRead(point.request)), `a run sent less than ${index + 1}`)
        continue
      }
      const left = await leavings(stage)
      const where = `killed ${moment} request ${index + 1}, ${killed.method} ${killed.path}`
      if (!known.has(left)) await verify(stage, row, { where, from: begun, undisturbed, known })
      known.add(left)
    }
  }
  // The last kill may have been one that had been gone on from before.
  await finish()
}

/** Keeps what is stored and what the service holds; answers what puts both back. */
const keep = async (stage: Stage, name: string): Promise<() => Promise<void>> => {
  const restore = stage.stack.save()
  await stage.control("POST", `states/${name}`)
  return async () => {
    restore()
    await stage.control("POST", `states/${name}/restore`)
  }
}

/** Makes what the row finds; answers what puts all of it back. */
const prepare = async (stage: Stage, row: CrashRow): Promise<() => Promise<void>> => {
  await stage.control("PUT", "deploy", { mode: "instant" })
  if (row.elsewhere !== undefined) await stage.ask("POST", "/instances", row.elsewhere)
  await stage.control("POST", "clock", { advance_ms: 0 })
  if (row.before !== undefined) {
    stage.program({ web: row.before })
    await stage.run("up")
  }
  const restore = await keep(stage, "before")
  stage.stack.environment(row.environment ?? {})
  return async () => {
    await restore()
    stage.program({ web: row.after, ...row.beside })
  }
}

/** Leaves out what may come on top of what was wanted. */
const without = (
  found: ReadonlyArray<string>,
  wanted: ReadonlyArray<string>,
  extra: RegExp | undefined
): ReadonlyArray<string> => {
  const missing = [...wanted]
  return found.filter((one) => {
    const index = missing.indexOf(one)
    if (index >= 0) missing.splice(index, 1)
    return index >= 0 || extra?.test(one) !== true
  })
}

interface Case {
  readonly where: string
  readonly from: number
  readonly undisturbed: End
  readonly known: Set<string>
}

const verify = async (stage: Stage, row: CrashRow, { from, known, undisturbed, where }: Case): Promise<void> => {
  try {
    await stage.run(row.verb ?? "up")
    const found = await end(stage, from)
    assert.deepEqual(found.outcome, undisturbed.outcome)
    assert.deepEqual(
      without(found.mutations, undisturbed.mutations, row.extra),
      undisturbed.mutations,
      "a request was repeated, or left out"
    )
    await stage.counts()
    // A state that was found to be at rest needs no second look.
    const state = steady((await stage.stack.exportState()).resources)
    if (!known.has(state)) await settle(stage, row)
    known.add(state)
  } catch (error) {
    throw new Error(`${where}: ${(error as Error).message}`, { cause: error })
  }
}
