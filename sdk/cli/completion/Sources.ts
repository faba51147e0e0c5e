/** The candidates that the service or the context file knows. A failure offers none, because a prompt has no errors. */
import type { OsOptions, PublicPlan } from "#contract/Services"
import type { Instance } from "#contract/Instance"
import * as Effect from "effect/Effect"
import { type Client, makeClient } from "../../client/Client.ts"
import { resolveConnection } from "../connection/Connection.ts"
import { readContexts } from "../connection/ContextFile.ts"
import { readEnvironment } from "../Environment.ts"
import { CATALOGUE_CONCURRENCY, COMPLETION_MILLIS } from "../Limits.ts"
import { EMPTY } from "../output/Format.ts"
import { matchPlan } from "../shared/PlanLookup.ts"
import { parseProviderData } from "../shared/ProviderData.ts"
import type { Candidate, Next, Source } from "../line/CommandLine.ts"

const contexts = Effect.map(
  Effect.suspend(() => readContexts(readEnvironment().contextFile)),
  (all) => Object.entries(all.contexts).map(([value, { base_url }]): Candidate => ({ value, description: base_url }))
)

/** Slow services and retries would block the prompt. */
const clientOf = (context: string | undefined) =>
  Effect.map(
    resolveConnection(readEnvironment(), context),
    ({ apiKey, baseUrl }) => makeClient({ apiKey, baseUrl, timeout: COMPLETION_MILLIS, maxRetries: 0 })
  )

const planCandidate = ({ name, slug, specs }: PublicPlan): Candidate => ({
  value: slug,
  description: [name, `${specs?.vcpu ?? EMPTY} vCPU`, specs?.ram ?? EMPTY, specs?.storage ?? EMPTY].join(", ")
})

const imageCandidates = ({ os_options = [] }: OsOptions): ReadonlyArray<Candidate> =>
  os_options.map(({ label, slug, version }) => ({ value: slug, description: `${label} ${version}` }))

const images = Effect.fnUntraced(function*(client: Client, planName: string | undefined) {
  const { data: plans } = yield* client.services.list()
  const plan = planName === undefined ? undefined : matchPlan(planName, plans)
  const options = yield* Effect.forEach(
    plan === undefined ? plans : [plan],
    ({ id }) => client.services.osOptions(id),
    { concurrency: CATALOGUE_CONCURRENCY }
  )
  const all = options.flatMap(({ data }) => imageCandidates(data))
  return [...new Map(all.map((each) => [each.value, each])).values()]
})

/** Hostnames, and IDs once a digit is typed or if another instance has the same hostname. */
const instanceCandidates = (all: ReadonlyArray<Instance>, typed: string): ReadonlyArray<Candidate> => {
  const names = all.map((each) => parseProviderData(each).hostname)
  return all.map((each, at) => {
    const name = names[at]
    const isUnique = name !== undefined && names.indexOf(name) === names.lastIndexOf(name)
    const facts = [each.status, each.order.service.slug, each.ipv4 ?? ""].filter((fact) => fact !== "").join(", ")
    return isUnique && !/^\d/.test(typed)
      ? { value: name, description: facts }
      : { value: String(each.id), description: `${name ?? ""} ${facts}`.trim() }
  })
}

const dynamic = Effect.fnUntraced(function*(source: Exclude<Source, "contexts" | "files">, { flags, typed }: Next) {
  const client = yield* clientOf(flags.get("context"))
  switch (source) {
    case "plans":
      return (yield* client.services.list()).data.map(planCandidate)
    case "images":
      return yield* images(client, flags.get("plan"))
    case "instances":
      return instanceCandidates((yield* client.instances.list()).data, typed)
  }
})

export const candidatesOf = (source: Exclude<Source, "files">, next: Next): Effect.Effect<ReadonlyArray<Candidate>> =>
  Effect.orElseSucceed(source === "contexts" ? contexts : dynamic(source, next), () => [])
