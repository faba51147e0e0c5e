/** A service whose instances have a console at an address that the test chooses. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as App from "#service/App"
import { COMMANDS } from "#service/admin/Commands"
import { resolve } from "#service/config/Resolve"
import * as Server from "#service/http/Server"
import { invitationLink, invite } from "#service/people/Invite"
import { linkTo, makeLink } from "#service/people/Links"
import { People } from "#service/persistence/people/People"
import { SimulatedMachines } from "#service/persistence/SimulatedMachines"
import { Transaction } from "#service/persistence/Transaction"
import { type ConsoleAddress, Driver, type Fault, type PoweredOff } from "#service/provisioning/Driver"
import * as Simulated from "#service/provisioning/drivers/simulated/Simulated"
import { ServiceRuntime } from "#service/ServiceRuntime"
import { openLink, PanelBrowser } from "./panel.ts"
import { SHOP } from "./operator.ts"

export type Place = Effect.Effect<ConsoleAddress, Fault | PoweredOff>

export interface ConsoleApp {
  readonly inside: ServiceRuntime["Service"]["run"]
  readonly origin: string
  /** A browser that has just signed in as a member of account 1, or of none. */
  readonly signIn: (email: string, accountId?: number) => Effect.Effect<PanelBrowser>
  /** A link that signs a member in once. */
  readonly newLink: (email: string) => Effect.Effect<string>
  /** The id of a new instance of account 1 that is deployed. */
  readonly instance: number
}

const withConsole = (place: Place) =>
  Layer.effect(Driver, Effect.map(Driver, (driver) => Driver.of({ ...driver, console: () => place }))).pipe(
    Layer.provide(Simulated.layer)
  )

/** Waits until the instance is deployed; the test's own timeout bounds it. */
const deployed = (browser: PanelBrowser, id: number): Effect.Effect<void> =>
  Effect.flatMap(
    browser.call({ path: `/accounts/1/v1/instances/${id}` }),
    ({ body }) =>
      body.status === "running"
        ? Effect.void
        : Effect.andThen(Effect.sleep(5), Effect.suspend(() => deployed(browser, id)))
  )

const prepare = Effect.gen(function*() {
  yield* COMMANDS["catalogue.import"].run({ document: SHOP, dry_run: false })
  const account = { email: "a@example.test", currency: "EUR", vat_treatment: "domestic" } as const
  yield* COMMANDS["accounts.create"].run(account)
  yield* COMMANDS["accounts.create"].run({ ...account, email: "b@example.test" })
  yield* COMMANDS["wallet.top_up"].run({ account_id: 1, amount: 100 })
  const machines = yield* SimulatedMachines
  yield* (yield* Transaction).run(machines.setDeploy({ mode: "instant", value: 0 }))
})

/** Signs in a member; a new one by accepting an invitation. */
const newLink = Effect.fnUntraced(function*(email: string, accountId: number | null, origin: string) {
  const { run } = yield* Transaction
  const person = yield* (yield* People).findByEmail(email)
  if (person !== undefined) return linkTo(origin, (yield* run(makeLink(person.id))).token)
  const { token } = yield* run(
    invite({ email, name: null, role: "customer", accountId, permission: "full", invitedBy: null })
  )
  return invitationLink(origin, token)
})

/** A service in memory; gone with the scope. */
export const startConsoleApp = Effect.fnUntraced(function*(
  place: Place,
  environment: Readonly<Record<string, string>> = {}
) {
  const settings = resolve(
    ["--database", ":memory:", "--driver", "simulated", "--port", "0", "--request-log=false", "--rate-limits=false"],
    // No proxy keeps connections, which the end would wait for.
    { VPS_SERVICE_LAME_DUCK_MILLIS: "0", ...environment }
  )
  const ports = { ...App.externalPorts(settings, "simulated"), driver: withConsole(place) }
  const service = App.serve(settings, Server.routes, App.forHttp(settings, App.make(settings, ports)))
  const context = yield* Layer.build(Layer.fresh(service))
  const origin = yield* Effect.provideContext(HttpServer.addressFormattedWith(Effect.succeed), context)
  const { run: inside } = Context.get(context, ServiceRuntime)
  yield* inside(prepare)
  const signIn = (email: string, accountId: number | null = null) =>
    Effect.gen(function*() {
      const browser = new PanelBrowser(origin)
      yield* openLink(browser, yield* inside(newLink(email, accountId, origin)))
      return browser
    }).pipe(Effect.orDie)
  const owner = yield* signIn("owner@example.test", 1)
  const order = { method: "POST", path: "/accounts/1/v1/instances", body: { service_id: 1 } }
  const { body: { id } } = yield* owner.call(order)
  yield* deployed(owner, id)
  const linkOf = (email: string) => Effect.orDie(inside(newLink(email, null, origin)))
  const app: ConsoleApp = { newLink: linkOf, inside, origin, signIn, instance: id }
  return app
})
