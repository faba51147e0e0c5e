/** Reads the whole activity feed. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { CallOptions, TasksIteration } from "#sdk/client/options/Options"
import { TaskPages } from "#sdk/client/promise/Promised"
import { script, type Sent, type Step } from "./support/scripted.ts"

/** A feed of `total` tasks, numbered down from the newest, that grows by `growth` with every page read. */
const feed = (total: number, growth = 0) => {
  let newest = total + 1
  return ({ request }: Sent): Step => {
    const query = new URL(request.target, "http://server.test").searchParams
    const [limit, offset] = [Number(query.get("limit")), Number(query.get("offset"))]
    const all = Array.from({ length: newest - 1 }, (_, index) => ({ id: newest - 1 - index }))
    newest += growth
    return { status: 200, body: { items: all.slice(offset, offset + limit), total: all.length, limit, offset } }
  }
}

const walk = async (
  server: ReturnType<typeof script>,
  query?: TasksIteration,
  options?: CallOptions,
  most = Infinity
) => {
  const seen: Array<number> = []
  for await (const task of new TaskPages(server.client.tasks).iterate(7, query, options)) {
    seen.push(task.id)
    if (seen.length === most) break
  }
  return seen
}
const targets = (server: ReturnType<typeof script>) => server.sent.map(({ request }) => request.target.split("?")[1])
const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index)

describe("tasks.iterate", () => {
  it("returns every task, newest first, and requests no further pages", async () => {
    const server = script(feed(250))
    assert.deepStrictEqual(await walk(server), down(250, 1))
    assert.deepStrictEqual(targets(server), ["limit=100&offset=0", "limit=100&offset=100", "limit=100&offset=200"])
  })

  it("returns nothing for an empty feed", async () => {
    const server = script(feed(0))
    assert.deepStrictEqual(await walk(server), [])
    assert.strictEqual(server.sent.length, 1)
  })

  it("honors pageSize and offset", async () => {
    const server = script(feed(7))
    assert.deepStrictEqual(await walk(server, { pageSize: 2, offset: 3 }), [4, 3, 2, 1])
    assert.deepStrictEqual(targets(server), ["limit=2&offset=3", "limit=2&offset=5"])
  })

  it("returns a task once even if new ones move it to the next page", async () => {
    const server = script(feed(20, 3))
    assert.deepStrictEqual(await walk(server, { pageSize: 5 }), down(20, 1))
  })

  it("requests no further page after the loop ends early", async () => {
    const server = script(feed(250))
    assert.deepStrictEqual(await walk(server, {}, {}, 2), [250, 249])
    assert.strictEqual(server.sent.length, 1)
  })

  it("starts over with each call", async () => {
    const server = script(feed(3))
    const pages = Effect.suspend(() => server.client.tasks.pages(7))
    const first = await Effect.runPromise(pages)
    const second = await Effect.runPromise(pages)
    assert.deepStrictEqual(first.data, second.data)
  })

  it("fails with its signal, and with the server's error", async () => {
    const controller = new AbortController()
    const server = script(feed(250))
    const aborted = (async () => {
      for await (const task of new TaskPages(server.client.tasks).iterate(7, {}, { signal: controller.signal })) {
        if (task.id === 151) controller.abort()
      }
    })()
    assert.strictEqual((await aborted.catch((error: unknown) => error) as { _tag: string })._tag, "AbortError")
    assert.strictEqual(server.sent.length, 1)
    const missing = walk(script([{ status: 404, body: { detail: "no" } }]))
    assert.strictEqual((await missing.catch((error: unknown) => error) as { _tag: string })._tag, "NotFoundError")
  })
})
