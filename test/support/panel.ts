/** A browser that uses the panel of a service: keeps its cookie, and sends what a page of the panel sends. */
import * as Effect from "effect/Effect"
import { makeLinks, SEED_ACCOUNT } from "#service/emulator/Seed"
import { digestOf } from "#service/people/Links"
import { Sessions } from "#service/persistence/people/Sessions"
import { Transaction } from "#service/persistence/Transaction"
import type { TestApp } from "./app.ts"

export interface PanelAnswer {
  readonly status: number
  readonly headers: Headers
  /** Any JSON: tests read parts of it. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

export interface PanelRequest {
  readonly method?: string
  /** Below `/panel/api`. */
  readonly path: string
  readonly body?: unknown
  /** Undefined leaves a header out. */
  readonly headers?: Readonly<Record<string, string | undefined>>
}

export class PanelBrowser {
  /** The value of the session's cookie; empty without one. */
  cookie = ""
  readonly origin: string

  constructor(origin: string) {
    this.origin = origin
  }

  /** As a page of the panel would. A page sends its origin and JSON with everything but a GET. */
  call({ body, headers = {}, method = "GET", path }: PanelRequest): Effect.Effect<PanelAnswer> {
    const all: Readonly<Record<string, string | undefined>> = {
      "sec-fetch-site": "same-origin",
      ...(method === "GET" ? {} : { origin: this.origin, "content-type": "application/json" }),
      ...(this.cookie === "" ? {} : { cookie: `__Host-session=${this.cookie}` }),
      ...headers
    }
    const sent = Object.entries(all).flatMap(([name, value]) => value === undefined ? [] : [[name, value] as const])
    const content = method === "GET" || method === "DELETE" ? undefined : JSON.stringify(body ?? {})
    return Effect.promise(async () => {
      const response = await fetch(`${this.origin}/panel/api${path}`, {
        method,
        headers: sent as Array<[string, string]>,
        ...(content === undefined ? {} : { body: content })
      })
      const set = /^__Host-session=([^;]*);/.exec(response.headers.get("set-cookie") ?? "")
      if (set !== null) this.cookie = set[1]!
      const received = await response.text()
      const json = response.headers.get("content-type")?.includes("json") === true
      return { status: response.status, headers: response.headers, body: json ? JSON.parse(received) : received }
    })
  }
}

/** The token of a link. */
export const tokenIn = (link: string): string => link.split("#")[1]!

/** Opens a link in a browser, as its page does: signs in, and accepts an invitation. */
export const openLink = (browser: PanelBrowser, link: string) =>
  browser.call({
    method: "POST",
    path: link.includes("/panel/invitation#") ? "/sign-in/invitation/accept" : "/sign-in/link",
    body: { token: tokenIn(link) }
  })

/** New links of the seeded people. */
export const seededLinks = (app: TestApp) => app.inside(makeLinks(SEED_ACCOUNT, app.origin))

/** A browser that has just signed in. */
export const signInAs = Effect.fnUntraced(function*(app: TestApp, role: "customer" | "operator") {
  const browser = new PanelBrowser(app.origin)
  const links = yield* seededLinks(app)
  yield* openLink(browser, links[role])
  return browser
})

/** Makes the sign-in of a session an hour old: it lives, but is not fresh. */
export const ageSignIn = (app: TestApp, { cookie }: Pick<PanelBrowser, "cookie">) =>
  app.inside(Effect.gen(function*() {
    const sessions = yield* Sessions
    const digest = digestOf(cookie)
    const session = yield* sessions.find(digest)
    yield* (yield* Transaction).run(sessions.refresh(session!.id, digest, Date.now() - 3_600_000))
  }))
