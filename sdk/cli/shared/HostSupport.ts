/**
 * The records that the specification leaves open, as far as a host fills them. They are only read: an instance of the
 * account serves as the example.
 */
import * as Effect from "effect/Effect"
import type { View as Shown } from "../../client/host/View.ts"
import type { CallFailure } from "../../client/errors/ApiErrors.ts"
import type { Whoami } from "../../client/Records.ts"
import type { HostClient } from "../HostClient.ts"
import { List } from "../output/List.ts"

export interface Support {
  readonly feature: string
  /** Null: not known, because the account has nothing that would show it. */
  readonly shown: boolean | null
  /** The way of the clients without it. */
  readonly otherwise: string
}

const FEATURES = {
  account: ["account and scopes of the key", "the account is that of an instance; a missing scope is a 403"],
  panel: ["address of the panel", "messages name the host instead"],
  wallet: ["balance of the wallet", "a key that may create shows it"],
  status: ["live status", "the status of the instance counts"],
  tasks: ["tasks", "waits end when the status stays the same"],
  charge: ["charge of a resize", "an estimate from the prices of the plans; a price ceiling refuses"],
  snapshots: ["records of snapshots", "snapshots are found by their names"],
  times: ["times of snapshots", "a snapshot of an earlier run is not continued with"],
  backups: ["backups", "there are none to restore"],
  isos: ["ISO images", "they are mounted by their IDs"],
  metrics: ["metrics", "-o json prints what the host sends"]
} as const
type Feature = keyof typeof FEATURES

const every = <A>(
  rows: ReadonlyArray<A> | undefined,
  isShown: (row: A) => boolean
): boolean | null => rows === undefined ? false : rows.length === 0 ? null : rows.every(isShown)

/** A read that the host refuses shows nothing; nothing is known of one that got no response. */
const readOf = <A>(call: Effect.Effect<{ readonly data: A }, CallFailure>): Effect.Effect<A | undefined, CallFailure> =>
  Effect.catchIf(
    Effect.map(call, ({ data }): A | undefined => data),
    (error: CallFailure) => "status" in error,
    () => Effect.succeed(undefined)
  )

type Found = Partial<Record<Feature, boolean | null>>

const ofAccount = Effect.fnUntraced(function*(client: HostClient, who: Shown<Whoami>) {
  const root = yield* readOf(client.account.root())
  const balance = yield* readOf(client.account.balance())
  return {
    account: who.account_id !== undefined && who.key?.effective_scopes !== undefined,
    panel: root?.panel_url !== undefined,
    wallet: typeof balance?.wallet_balance === "number"
  } satisfies Found
})

const ofInstance = Effect.fnUntraced(function*(client: HostClient, id: number) {
  const live = yield* readOf(client.monitoring.status(id))
  const feed = yield* readOf(client.monitoring.tasks(id))
  const plans = yield* readOf(client.monitoring.availablePlans(id))
  const snapshots = yield* readOf(client.snapshots.list(id))
  const metrics = yield* readOf(client.monitoring.metrics(id))
  return {
    status: live?.status !== undefined && live.power !== undefined,
    tasks: every(feed?.items, ({ id, status }) => id !== undefined && status !== undefined),
    charge: every(plans, ({ charge_amount, currency }) => charge_amount !== undefined && currency !== undefined),
    snapshots: every(snapshots, ({ id, name }) => id !== undefined && name !== undefined),
    times: every(snapshots, ({ created_at }) => created_at !== undefined),
    backups: every(yield* readOf(client.backups.list(id)), ({ id }) => id !== undefined),
    isos: every(yield* readOf(client.isos.list(id)), ({ id, name }) => id !== undefined && name !== undefined),
    metrics: every(metrics?.samples, ({ at }) => at !== undefined)
  } satisfies Found
})

/** Everything in the order of the table. */
export const supportOf = Effect.fnUntraced(function*(client: HostClient, who: Shown<Whoami>) {
  const { data: [instance] } = yield* client.instances.list()
  const found: Found = {
    ...yield* ofAccount(client, who),
    ...instance === undefined ? {} : yield* ofInstance(client, instance.id)
  }
  return Object.entries(FEATURES).map(([name, [feature, otherwise]]): Support => ({
    feature,
    shown: found[name as Feature] ?? null,
    otherwise
  }))
})

const words = ({ shown }: Support): string => shown === null ? "not known" : shown ? "yes" : "no"

export const support = new List<Support>([
  { title: "THE HOST SHOWS", value: ({ feature }) => feature, keep: true },
  {
    title: "SHOWN",
    value: words,
    style: ({ shown }) => shown === null ? "dim" : shown ? "green" : "yellow",
    whole: true
  },
  { title: "OTHERWISE", value: ({ otherwise, shown }) => shown === true ? "" : otherwise }
], ({ feature }) => feature)
