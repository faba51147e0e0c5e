/** `vps instance create`: confirms the charge, buys, and waits. When it ends early, it prints how to resume. */
import type { CreateInstance, DryRun, Instance } from "@pulumi-vps/contract/Instance"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { randomUUID } from "node:crypto"
import type { HostClient } from "../../HostClient.ts"
import type { CallFailure } from "../../../client/errors/ApiErrors.ts"
import { IDEMPOTENCY_KEY_MAX } from "../../../client/options/Limits.ts"
import type { MaxCharge } from "../../../client/options/Options.ts"
import { withInstance } from "../../../client/errors/Errors.ts"
import { confirmOnTerminal, yes } from "../../terminal/Terminal.ts"
import { CommandError, EXIT } from "../../errors/CommandError.ts"
import { resumeHint, TOP_UP_HINT } from "../../output/FailureReport.ts"
import { printNote, type View, withProgress } from "../../output/Output.ts"
import { money, yesNo } from "../../output/Format.ts"
import { fields } from "../../output/List.ts"
import { command, getClient, isHumanOutput, print } from "../../Command.ts"
import * as Arguments from "../../shared/Arguments.ts"
import { explainImage, printInstance, resolvePlanId } from "../../shared/Selection.ts"
import { readRootPassword, readSshKey, rootPassword } from "../../shared/Secrets.ts"

const IDEMPOTENCY_KEY = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_MAX}}$`)

const flags = {
  plan: Arguments.plan,
  hostname: Flag.String("hostname").pipe(
    Flag.withMetavar("name"),
    Flag.withDescription("Hostname, like web.example.com (default: derived from the ID)"),
    Flag.optional
  ),
  os: Arguments.os.pipe(
    Flag.withDescription("Image to install; see \"vps os list\" (default: that of the plan)"),
    Flag.optional
  ),
  sshKey: Arguments.sshKey,
  rootPassword,
  coupon: Flag.String("coupon").pipe(
    Flag.withMetavar("code"),
    Flag.withDescription("Coupon for the first billing period"),
    Flag.optional
  ),
  idempotencyKey: Flag.String("idempotency-key").pipe(
    Flag.filter(
      (key) => IDEMPOTENCY_KEY.test(key),
      () => `--idempotency-key must be 1 to ${IDEMPOTENCY_KEY_MAX} visible ASCII characters`
    ),
    Flag.withMetavar("key"),
    Flag.withDescription("Makes the purchase safe to repeat (default: generated)"),
    Flag.optional
  ),
  dryRun: Flag.Boolean("dry-run").pipe(
    Flag.withDescription("Show the charge without buying"),
    Flag.withDefault(false)
  ),
  wait: Flag.Boolean("wait").pipe(
    Flag.withDescription("Wait until the instance is provisioned"),
    Flag.withDefault(false)
  ),
  maxCharge: Arguments.maxCharge,
  timeout: Arguments.timeout,
  yes
}
type Input = Command.Command.Config.Infer<typeof flags>

const dryRunView: View<DryRun> = {
  text: (dry, capabilities) =>
    fields([
      ["Plan", `${dry.plan_name} (ID ${dry.service_id})`],
      ["Charge now", money(dry.charge_amount, dry.currency)],
      ["Discount", money(dry.discount_amount, dry.currency)],
      ["Billing cycle", dry.billing_cycle],
      ["Wallet", money(dry.wallet_balance, dry.currency)],
      ["Sufficient funds", yesNo(dry.sufficient_funds), dry.sufficient_funds ? "green" : "red"],
      ["Would create", yesNo(dry.would_create)]
    ], capabilities),
  ids: ({ service_id }) => [service_id]
}

const buildRequest = Effect.fnUntraced(function*(client: HostClient, input: Input) {
  const { coupon, hostname, os, plan, sshKey } = input
  const key = Option.isNone(sshKey) ? undefined : yield* readSshKey(sshKey.value)
  const password = yield* readRootPassword(input.rootPassword)
  const body: CreateInstance = {
    service_id: yield* resolvePlanId(client, plan),
    ...(Option.isNone(hostname) ? {} : { hostname: hostname.value }),
    ...(Option.isNone(os) ? {} : { os: os.value }),
    ...(key === undefined ? {} : { ssh_pubkey: key }),
    ...(password === undefined ? {} : { root_password: password }),
    ...(Option.isNone(coupon) ? {} : { coupon_code: coupon.value })
  }
  return body
})

const withKnownImage = <A>(
  client: HostClient,
  { os, service_id }: CreateInstance,
  request: Effect.Effect<A, CallFailure>
) => explainImage(request, client, os ?? undefined, Effect.succeed(service_id))

const dryRun = (client: HostClient, body: CreateInstance, idempotencyKey: string | undefined) =>
  withKnownImage(client, body, client.instances.dryRun(body, { idempotencyKey }))

const chargeQuestion = Effect.fnUntraced(
  function*(client: HostClient, body: CreateInstance, idempotencyKey: string | undefined) {
    const { data: dry } = yield* dryRun(client, body, idempotencyKey)
    const charge = money(dry.charge_amount, dry.currency)
    const wallet = `wallet balance: ${money(dry.wallet_balance, dry.currency)}`
    if (!dry.sufficient_funds) {
      const message = `Insufficient funds: ${dry.plan_name} costs ${charge}, ${wallet}.`
      return yield* new CommandError({ message, hint: TOP_UP_HINT, exit: EXIT.insufficientFunds })
    }
    return {
      question: `Buy ${dry.plan_name} for ${charge} now, ${dry.billing_cycle}? (${wallet})`,
      shown: { amount: dry.charge_amount, currency: dry.currency } satisfies MaxCharge
    }
  }
)

/** Not every host knows the header with the limit, but all have the dry run. */
const checkLimit = Effect.fnUntraced(
  function*(client: HostClient, body: CreateInstance, idempotencyKey: string | undefined, limit: MaxCharge) {
    const { data: { charge_amount, currency } } = yield* dryRun(client, body, idempotencyKey)
    if (currency === limit.currency && charge_amount <= limit.amount) return
    const charge = money(charge_amount, currency)
    return yield* new CommandError({
      message: `This costs ${charge}, but at most ${money(limit.amount, limit.currency)} may be charged. Nothing was `
        + "bought.",
      hint: "Pass another --max-charge, or leave it out.",
      exit: EXIT.failed
    })
  }
)

/** Prints how to resume an interrupted purchase. */
const reportInterruption = (key: string, bought: Instance | undefined): Effect.Effect<void> =>
  bought === undefined
    ? printNote(`vps: Interrupted. The instance may have been bought.\nvps: ${resumeHint(key)}`)
    : printNote(
      `vps: Interrupted. Instance ${bought.id} was bought (idempotency key ${key}). Provisioning continues.\n`
        + `vps: To keep waiting: vps instance wait ${bought.id}`
    )

const waitUntilDeployed = (client: HostClient, { id }: Instance, key: string, waitTimeout: number) =>
  withProgress((report) =>
    client.instances.waitUntilDeployed(id, {
      waitTimeout,
      onProgress: ({ status }) => report(`Instance ${id} is ${status}`)
    })
  ).pipe(Effect.map(({ data }) => data), Effect.mapError((error) => withInstance(error, id, undefined, key)))

interface Purchase {
  readonly body: CreateInstance
  readonly key: string
  readonly maxCharge: MaxCharge | undefined
}

const purchase = Effect.fnUntraced(function*(client: HostClient, { body, key, maxCharge }: Purchase, input: Input) {
  let bought: Instance | undefined
  return yield* Effect.gen(function*() {
    const order = client.instances.create(body, { idempotencyKey: key, maxCharge })
    const { data, response } = yield* withKnownImage(client, body, order)
    bought = data
    if (response.headers["idempotent-replayed"] === "true") {
      yield* printNote(`Instance ${data.id} was already bought with this key. Nothing was charged.`)
    }
    return input.wait ? yield* waitUntilDeployed(client, data, key, input.timeout) : data
  }).pipe(Effect.onInterrupt(() => reportInterruption(key, bought)))
})

const run = Effect.fnUntraced(function*(input: Input) {
  const client = yield* getClient
  const body = yield* buildRequest(client, input)
  const flagKey = Option.getOrUndefined(input.idempotencyKey)
  if (input.dryRun) {
    return yield* print((yield* dryRun(client, body, flagKey)).data, dryRunView)
  }
  const limit = Option.getOrUndefined(input.maxCharge)
  if (limit !== undefined) yield* checkLimit(client, body, flagKey, limit)
  const confirmed = yield* confirmOnTerminal(input.yes, chargeQuestion(client, body, flagKey))
  const maxCharge = limit ?? confirmed
  const key = flagKey ?? `vps-${randomUUID()}`
  const instance = yield* purchase(client, { body, key, maxCharge }, input)
  yield* printInstance(instance)
  if (!input.wait && (yield* isHumanOutput)) {
    yield* printNote(`Provisioning continues. To wait: vps instance wait ${instance.id}`)
  }
})

export const create = command("create", flags, run).pipe(
  Command.withShortDescription("Buy an instance"),
  Command.withDescription(
    "Buy an instance: charge the wallet and provision the instance.\n"
      + "On a terminal, the command shows the charge and prompts for confirmation; a higher one is refused. Elsewhere "
      + "it buys immediately: use --dry-run to see the charge first, or --max-charge to limit it."
  ),
  Command.withExamples([
    { command: "vps instance create --plan vps-s --dry-run" },
    {
      command: "vps instance create --plan vps-s --os debian-13 --ssh-key ~/.ssh/id_ed25519.pub --wait",
      description: "Returns when the instance is ready for SSH"
    },
    {
      command: "vps instance create --plan vps-s --idempotency-key web-1 --wait -o id",
      description: "In a script that is safe to run again"
    }
  ])
)
