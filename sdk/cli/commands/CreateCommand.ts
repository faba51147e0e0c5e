/** `vps instance create`: shows the charge, buys, and waits; whatever ends it early says how to go on. */
import type { CreateInstance, DryRun, Instance } from "#contract/Instance"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { randomUUID } from "node:crypto"
import type { Client } from "../../client/Client.ts"
import { withInstance } from "../../client/errors/Errors.ts"
import { confirmCharge, yes } from "../Confirm.ts"
import { EXIT } from "../ExitCode.ts"
import { FILL_WALLET, resumeWith } from "../Explain.ts"
import { note, type View } from "../output/Show.ts"
import { fields } from "../output/Table.ts"
import { money, yesNo } from "../output/Words.ts"
import { Refusal } from "../Refusal.ts"
import { client, forPeople, leaf, print } from "../Root.ts"
import { withProgress } from "../terminal/Progress.ts"
import * as Arguments from "./Arguments.ts"
import { planId } from "./Catalogue.ts"
import { readSshKey } from "./SshKey.ts"
import { instance as instanceView } from "./Views.ts"

const flags = {
  plan: Arguments.plan,
  hostname: Flag.String("hostname").pipe(
    Flag.withMetavar("name"),
    Flag.withDescription("Its name, like web.example.com (default: made from its id)"),
    Flag.optional
  ),
  os: Arguments.os.pipe(
    Flag.withDescription("The image, as \"vps os list\" shows it (default: the plan's)"),
    Flag.optional
  ),
  sshKey: Arguments.sshKey,
  coupon: Flag.String("coupon").pipe(
    Flag.withMetavar("code"),
    Flag.withDescription("A coupon for the first period"),
    Flag.optional
  ),
  idempotencyKey: Flag.String("idempotency-key").pipe(
    Flag.withMetavar("key"),
    Flag.withDescription("The same purchase with the same key never buys twice (default: made)"),
    Flag.optional
  ),
  dryRun: Flag.Boolean("dry-run").pipe(
    Flag.withDescription("Show what it would charge, and buy nothing"),
    Flag.withDefault(false)
  ),
  wait: Flag.Boolean("wait").pipe(
    Flag.withDescription("Wait until it is deployed and has its address"),
    Flag.withDefault(false)
  ),
  timeout: Arguments.timeout,
  yes
}
type Input = Command.Command.Config.Infer<typeof flags>

const dryRunView: View<DryRun> = {
  text: (dry, surface) =>
    fields([
      ["Plan", `${dry.plan_name} (id ${dry.service_id})`],
      ["Charge now", money(dry.charge_amount, dry.currency)],
      ["Discount", money(dry.discount_amount, dry.currency)],
      ["Billing cycle", dry.billing_cycle],
      ["Wallet", money(dry.wallet_balance, dry.currency)],
      ["Covers it", yesNo(dry.sufficient_funds), dry.sufficient_funds ? "green" : "red"],
      ["Would create", yesNo(dry.would_create)]
    ], surface),
  ids: ({ service_id }) => [service_id]
}

const bodyOf = Effect.fnUntraced(function*(core: Client, { coupon, hostname, os, plan, sshKey }: Input) {
  const key = Option.isNone(sshKey) ? undefined : yield* readSshKey(sshKey.value)
  const body: CreateInstance = {
    service_id: yield* planId(core, plan),
    ...(Option.isNone(hostname) ? {} : { hostname: hostname.value }),
    ...(Option.isNone(os) ? {} : { os: os.value }),
    ...(key === undefined ? {} : { ssh_pubkey: key }),
    ...(Option.isNone(coupon) ? {} : { coupon_code: coupon.value })
  }
  return body
})

const question = Effect.fnUntraced(function*(core: Client, body: CreateInstance, idempotencyKey: string | undefined) {
  const { data: dry } = yield* core.instances.dryRun(body, { idempotencyKey })
  const charge = money(dry.charge_amount, dry.currency)
  const wallet = `the wallet holds ${money(dry.wallet_balance, dry.currency)}`
  if (!dry.sufficient_funds) {
    const message = `${dry.plan_name} costs ${charge}, and ${wallet}.`
    return yield* new Refusal({ message, hint: FILL_WALLET, exit: EXIT.funds })
  }
  return `Buy ${dry.plan_name} for ${charge} now, ${dry.billing_cycle}? (${wallet})`
})

/** What a purchase that was interrupted tells, on the way out. */
const lastWords = (key: string, bought: Instance | undefined): Effect.Effect<void> =>
  bought === undefined
    ? note(`vps: interrupted; it may be bought. The same command with ${resumeWith(key)}`)
    : note(
      `vps: interrupted; instance ${bought.id} is bought (idempotency key ${key}) and goes on deploying.\n`
        + `vps: Wait on: vps instance wait ${bought.id}`
    )

const deployed = (core: Client, { id }: Instance, key: string, waitTimeout: number) =>
  withProgress((say) =>
    core.instances.waitUntilDeployed(id, {
      waitTimeout,
      onProgress: ({ status }) => say(`Instance ${id} is ${status}`)
    })
  ).pipe(Effect.map(({ data }) => data), Effect.mapError((error) => withInstance(error, id, undefined, key)))

const purchase = Effect.fnUntraced(function*(core: Client, body: CreateInstance, key: string, input: Input) {
  let bought: Instance | undefined
  return yield* Effect.gen(function*() {
    const { data, response } = yield* core.instances.create(body, { idempotencyKey: key })
    bought = data
    if (response.headers["idempotent-replayed"] === "true") {
      yield* note(`This key had bought instance ${data.id} before: nothing was charged.`)
    }
    return input.wait ? yield* deployed(core, data, key, input.timeout) : data
  }).pipe(Effect.onInterrupt(() => lastWords(key, bought)))
})

const run = Effect.fnUntraced(function*(input: Input) {
  const core = yield* client
  const body = yield* bodyOf(core, input)
  const given = Option.getOrUndefined(input.idempotencyKey)
  if (input.dryRun) {
    return yield* print((yield* core.instances.dryRun(body, { idempotencyKey: given })).data, dryRunView)
  }
  yield* confirmCharge(input.yes, question(core, body, given))
  const key = given ?? `vps-${randomUUID()}`
  const instance = yield* purchase(core, body, key, input)
  yield* print(instance, instanceView)
  if (!input.wait && (yield* forPeople)) yield* note(`It deploys now. Wait for it: vps instance wait ${instance.id}`)
})

export const create = leaf("create", flags, run).pipe(
  Command.withShortDescription("Buy an instance"),
  Command.withDescription(
    "Buy an instance: charges the wallet and deploys it.\n"
      + "On a terminal the charge is shown and asked for first; a script that names a plan means it, and can look at "
      + "the charge with --dry-run."
  ),
  Command.withExamples([
    { command: "vps instance create --plan vps-s --dry-run" },
    {
      command: "vps instance create --plan vps-s --os debian-13 --ssh-key ~/.ssh/id_ed25519.pub --wait",
      description: "Ready to log in when it ends"
    },
    {
      command: "vps instance create --plan vps-s --idempotency-key web-1 --wait -o id",
      description: "From a script that may be run again"
    }
  ])
)
