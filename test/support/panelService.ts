/** An emulator with its panel, for tests in a browser. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { suspend, terminate } from "#service/admin/commands/Instances"
import { startEmulator, type TestApp } from "./app.ts"
import type { Browser } from "playwright-core"
import { newVisitor, signIn, type Visitor } from "./browser.ts"
import { seededLinks } from "./panel.ts"

export interface StartedPanel {
  readonly app: TestApp
  /** By a name: passkeys need one. */
  readonly origin: string
  /** A link that signs a seeded person in once. */
  readonly link: (role: "customer" | "operator") => Promise<string>
  /** Buys instances that run at once. */
  readonly buy: (count: number) => Promise<void>
  /** Of the seeded account's wallet, in EUR. */
  readonly setBalance: (balance: number) => Promise<void>
  /** Reads from the API with the seeded key. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly read: (path: string) => Promise<any>
  /** Changes something by the API. */
  readonly act: (path: string, body?: object) => Promise<void>
  /** As an operator does. */
  readonly suspend: (id: number, reason: string) => Promise<void>
  /** As an operator does; the instance is deleted at once. */
  readonly terminate: (id: number) => Promise<void>
  readonly stop: () => Promise<void>
}

/** A person in a browser of their own, signed in to the panel. */
export const enter = async (browser: Browser, panel: StartedPanel, role: "customer" | "operator"): Promise<Visitor> => {
  const visitor = await newVisitor(browser, panel.origin)
  await signIn(visitor, await panel.link(role))
  return visitor
}

const NAMES = ["web", "db", "cache", "mail", "build"]

export const startPanel = async (
  flags: ReadonlyArray<string> = [],
  environment: Readonly<Record<string, string>> = {}
): Promise<StartedPanel> => {
  const scope = Scope.makeUnsafe()
  const app = await Effect.runPromise(Effect.provideService(startEmulator(flags, environment), Scope.Scope, scope))
  const origin = app.origin.replace("127.0.0.1", "localhost")
  const buy = async (count: number) => {
    await Effect.runPromise(app.control("PUT", "/deploy", { mode: "instant" }))
    await Effect.runPromise(app.control("PUT", "/wallet", { balance: 1_000 + count * 20 }))
    for (let index = 0; index < count; index++) {
      const body = { service_id: 1 + index % 3, hostname: `${NAMES[index % NAMES.length]}-${index + 1}.example.com` }
      await Effect.runPromise(app.api({ method: "POST", path: "/instances", body }))
    }
  }
  return {
    app,
    origin,
    read: async (path) => (await Effect.runPromise(app.api({ path }))).body,
    act: async (path, body) => {
      const { body: answer, status } = await Effect.runPromise(app.api({ method: "POST", path, body }))
      assert.strictEqual(status, 200, JSON.stringify(answer))
    },
    suspend: async (id, reason) => void await Effect.runPromise(app.inside(suspend({ id, reason }))),
    terminate: async (id) => {
      await Effect.runPromise(app.inside(terminate({ id, reason: "a test" })))
      await Effect.runPromise(app.control("POST", "/clock", { advance_ms: 1_000 }))
    },
    link: async (role) => (await Effect.runPromise(seededLinks(app)))[role].replace("127.0.0.1", "localhost"),
    buy,
    setBalance: async (balance) => void await Effect.runPromise(app.control("PUT", "/wallet", { balance })),
    stop: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
