/** The event stream of an open page of the panel. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { PanelBrowser } from "./panel.ts"

export interface Events {
  /** Reads until an event names all of these. */
  readonly until: (...names: ReadonlyArray<string>) => Effect.Effect<void>
  /** Reads to the end of the stream. */
  readonly ended: Effect.Effect<void>
}

/** Opens a stream, closed with the scope; the test's own timeout bounds each read. */
export const openEvents = Effect.fnUntraced(function*(browser: PanelBrowser, path = "/accounts/1/events") {
  const { signal } = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  return yield* Effect.promise(async (): Promise<Events> => {
    const response = await fetch(`${browser.origin}/panel/api${path}`, {
      signal,
      headers: { cookie: `__Host-session=${browser.cookie}`, "sec-fetch-site": "same-origin" }
    })
    assert.deepStrictEqual([response.status, response.headers.get("content-type")], [200, "text/event-stream"])
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    const missing = new Set<string>()
    const read = async (): Promise<boolean> => {
      const { done, value = "" } = await reader.read()
      for (const [, data] of value.matchAll(/^data: (.*)$/gm)) {
        for (const name of JSON.parse(data!).changed) missing.delete(name)
      }
      return !done
    }
    await read()
    return {
      until: (...names) =>
        Effect.promise(async () => {
          for (const name of names) missing.add(name)
          while (missing.size > 0) assert.isTrue(await read(), "the stream ended")
        }),
      ended: Effect.promise(async () => {
        while (await read());
      })
    }
  })
})
