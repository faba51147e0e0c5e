/** Reading the whole activity feed. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { CallOptions, TasksIteration } from "#sdk/client/options/Options"
import { Tasks } from "#sdk/client/promise/Tasks"
import { script, type Sent, type Step } from "./support/scripted.ts"

/** A feed of `total` tasks, numbered down from the newest, that grows by `growth` with every page read. */
const feed = (total: number, growth = 0) => {
  let newest = total + 1
  return ({ request }: Sent): Step => {
    const query = new URL(request.target, "http://host.test").searchParams
    const [limit, offset] = [Number(query.get("limit")), Number(query.get("offset"))]
    const all = Array.from({ length: newest - 1 }, (_, index) => ({ id: newest - 1 - index }))
    newest += growth
    return { status: 200, body: { items: all.slice(offset, offset + limit), total: all.length, limit, offset } }
  }
}

const walk = async (
  host: ReturnType<typeof script>,
  query?: TasksIteration,
  options?: CallOptions,
  most = Infinity
) => {
  const seen: Array<number> = []
  for await (const task of new Tasks(host.core.tasks).iterate(7, query, options)) {
    seen.push(task.id)
    if (seen.length === most) break
  }
  return seen
}
const targets = (host: ReturnType<typeof script>) => host.sent.map(({ request }) => request.target.split("?")[1])
const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index)

describe("tasks.iterate", () => {
  it("gives every task, newest first, and asks for no page more than there are", async () => {
    const host = script(feed(250))
    assert.deepStrictEqual(await walk(host), down(250, 1))
    assert.deepStrictEqual(targets(host), ["limit=100&offset=0", "limit=100&offset=100", "limit=100&offset=200"])
  })

  it("gives nothing of an empty feed", async () => {
    const host = script(feed(0))
    assert.deepStrictEqual(await walk(host), [])
    assert.strictEqual(host.sent.length, 1)
  })

  it("reads pages of the size asked for, from where it is told", async () => {
    const host = script(feed(7))
    assert.deepStrictEqual(await walk(host, { pageSize: 2, offset: 3 }), [4, 3, 2, 1])
    assert.deepStrictEqual(targets(host), ["limit=2&offset=3", "limit=2&offset=5"])
  })

  it("gives a task once although new ones push it onto the next page", async () => {
    const host = script(feed(20, 3))
    assert.deepStrictEqual(await walk(host, { pageSize: 5 }), down(20, 1))
  })

  it("asks for no further page when the loop ends early", async () => {
    const host = script(feed(250))
    assert.deepStrictEqual(await walk(host, {}, {}, 2), [250, 249])
    assert.strictEqual(host.sent.length, 1)
  })

  it("begins anew each time", async () => {
    const host = script(feed(3))
    const pages = Effect.suspend(() => host.core.tasks.pages(7))
    const first = await Effect.runPromise(pages)
    const second = await Effect.runPromise(pages)
    assert.deepStrictEqual(first.data, second.data)
  })

  it("ends with the signal, and with what the host answers", async () => {
    const controller = new AbortController()
    const host = script(feed(250))
    const aborted = (async () => {
      for await (const task of new Tasks(host.core.tasks).iterate(7, {}, { signal: controller.signal })) {
        if (task.id === 151) controller.abort()
      }
    })()
    assert.strictEqual((await aborted.catch((error: unknown) => error) as { _tag: string })._tag, "AbortError")
    assert.strictEqual(host.sent.length, 1)
    const missing = walk(script([{ status: 404, body: { detail: "no" } }]))
    assert.strictEqual((await missing.catch((error: unknown) => error) as { _tag: string })._tag, "NotFoundError")
  })
})
