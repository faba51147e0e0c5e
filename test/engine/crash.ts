/** Plays a row of the crash matrix: once undisturbed, then killed at each request in turn, and run again. */
import assert from "node:assert/strict"
import { type EndState, endStateOf, snapshotOf, storedState } from "./EndState.ts"
import type { CrashRow } from "./scenarios/crashes.ts"
import type { Held, ObservedRequest as Request } from "./Proxy.ts"
import type { Running } from "./Stack.ts"
import type { Environment } from "./Environment.ts"

/**
 * The kills that are played. "every": before and after each request, with another run after each. "changes": where
 * something has changed since the request before, and after each request that changes something; the other kills leave
 * what one of these has left.
 */
export type Kills = "every" | "changes"

/** ms of the service's clock; the emulator's own figure for all but deployments, which get the same here. */
const WORK = 200
/**
 * ms that the service's frozen clock advances with each request about an instance: every wait takes two polls, each
 * run sends the same requests, and a run after a kill finds the service still at work.
 */
const STEP = 100
/** ms. */
const DAY = 86_400_000
const isInstanceRequest = ({ path }: Request): boolean => /^\/instances\/\d/.test(path)

type Moment = "before" | "after"

const settle = async (env: Environment, row: CrashRow): Promise<void> => {
  env.unmanaged = row.unmanaged ?? 0
  env.ending = row.ending ?? "idle"
  await env.settle()
}

const isRead = ({ method, path }: Request): boolean => method === "GET" || path.includes("dry_run=true")

/** Kills the run at its n-th request; returns the request, or what the run printed that came to its end before that. */
const cut = async (env: Environment, row: CrashRow, nth: number, moment: Moment): Promise<Request | string> => {
  let count = 0
  let request: Request | undefined
  const held = env.proxy.hold((seen) => {
    request = seen
    return ++count === nth
  })
  const running = env.start(row.verb ?? "up")
  const ended = await Promise.race([held.reached, running.done])
  env.proxy.release()
  if (ended !== undefined) return ended.output
  if (moment === "after") await held.carryOut()
  if (row.kill === "engine") await killEngine(env, running, held, moment)
  else if (row.kill === "provider") await running.killProvider()
  else await running.kill()
  await env.stack.cancel()
  return request!
}

/** The requests that the orphaned provider has sent arrive; it sends no others, and ends. */
const killEngine = async (env: Environment, running: Running, held: Held, moment: Moment): Promise<void> => {
  const orphans = running.descendants()
  const before = env.proxy.seen.length
  await running.killEngine()
  if (moment === "before") await held.carryOut()
  await orphans.providersGone()
  assert.deepEqual(env.proxy.seen.slice(before), [], "an orphaned provider goes on")
}

interface Point {
  readonly request: Request
  /** Has anything changed since the request before it? */
  readonly fresh: boolean
}

/** One undisturbed run; returns its requests. */
const survey = async (env: Environment, row: CrashRow): Promise<ReadonlyArray<Point>> => {
  const points: Array<Point> = []
  const known = new Set<string>()
  env.proxy.inspect(async (request) => {
    const left = await snapshotOf(env)
    points.push({ request, fresh: !known.has(left) })
    known.add(left)
  })
  await env.run(row.verb ?? "up").finally(() => env.proxy.inspect())
  return points
}

const momentsOf = ({ fresh, request }: Point, row: CrashRow, kills: Kills): ReadonlyArray<Moment> =>
  kills === "every" ? ["before", "after"] : [
    ...(fresh && row.kill !== "engine" ? ["before"] as const : []),
    ...(isRead(request) ? [] : ["after"] as const)
  ]

/** Returns how often it was killed. */
export const playCrashes = async (env: Environment, row: CrashRow, kills: Kills): Promise<number> => {
  const again = await prepare(env, row)
  await again()
  const from = env.proxy.mutations().length
  const points = await survey(env, row)
  assert.ok(points.length > 0, "nothing was asked of the service: there is nothing to kill")
  const undisturbed = await endStateOf(env, from)
  await settle(env, row)
  const finish = await keep(env, "finished")
  // A state that was found to be at rest needs no second look; nor do leavings, but where each kill is to be shown.
  const known = new Set([await storedState(env)])
  let count = 0
  for (const [index, point] of points.entries()) {
    for (const moment of momentsOf(point, row, kills)) {
      await again()
      const begun = env.proxy.mutations().length
      const killed = await cut(env, row, index + 1, moment)
      if (typeof killed === "string") {
        const where = `ended before request ${index + 1}, ${point.request.path}:\n${killed}`
        // Concurrent waits share their polls, so a busy computer may see a run with fewer reads than the surveyed one.
        // It must have changed exactly what the surveyed run changed.
        assert.ok(isRead(point.request), where)
        assert.deepEqual(await endStateOf(env, begun), undisturbed, where)
        continue
      }
      count++
      const left = await snapshotOf(env)
      const where = `killed ${moment} request ${index + 1}, ${killed.method} ${killed.path}`
      if (kills === "every" || !known.has(left)) await verify(env, row, { where, from: begun, undisturbed, known })
      known.add(left)
    }
  }
  await again()
  const more = kills === "every" ? await cut(env, row, points.length + 1, "before") : ""
  assert.equal(typeof more, "string", "a run sends more requests than were counted")
  // The last kill may have left a state that was continued from before.
  await finish()
  return count
}

/** Keeps what is stored and what the service holds; returns what puts both back. */
const keep = async (env: Environment, name: string): Promise<() => Promise<void>> => {
  const restore = env.stack.save()
  await env.control("POST", `states/${name}`)
  return async () => {
    restore()
    await env.control("POST", `states/${name}/restore`)
  }
}

/** Makes what the row finds; returns what puts all of it back. */
const prepare = async (env: Environment, row: CrashRow): Promise<() => Promise<void>> => {
  await env.control("PUT", "deploy", { mode: "after_ms", value: WORK })
  await env.control("POST", "clock", { freeze: true })
  env.proxy.pace(async (request) => {
    if (isInstanceRequest(request)) await env.control("POST", "clock", { advance_ms: STEP })
  })
  if (row.elsewhere !== undefined) await env.ask("POST", "/instances", row.elsewhere)
  if (row.before !== undefined) {
    env.program({ web: row.before }, {}, row.besideBefore)
    await env.run("up")
  }
  if (row.nights !== undefined) await env.control("POST", "clock", { advance_ms: row.nights * DAY })
  await env.control("POST", "clock", { advance_ms: WORK })
  const restore = await keep(env, "before")
  env.stack.environment(row.environment ?? {})
  return async () => {
    await restore()
    env.program({ web: row.after, ...row.servers }, {}, row.beside)
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
  readonly undisturbed: EndState
  readonly known: Set<string>
}

const verify = async (env: Environment, row: CrashRow, { from, known, undisturbed, where }: Case): Promise<void> => {
  try {
    if (row.refresh === true) await env.run("refresh")
    await env.run(row.verb ?? "up")
    // The refresh has stored the status of an operation at work (`restoring`), and nothing else updates it.
    if (row.refresh !== undefined) await env.run("refresh")
    const found = await endStateOf(env, from)
    assert.deepEqual(found.outcome, undisturbed.outcome)
    assert.deepEqual(
      without(found.mutations, undisturbed.mutations, row.extra),
      undisturbed.mutations,
      "a request was repeated, or left out"
    )
    await env.counts()
    // A state that was found to be at rest needs no second look.
    const state = await storedState(env)
    if (!known.has(state)) await settle(env, row)
    known.add(state)
  } catch (error) {
    throw new Error(`${where}: ${(error as Error).message}`, { cause: error })
  }
}
