/** The calls of the protocol, each answered by a message that has errors as diagnostics. */
import { connect } from "../api/Api.ts"
import { explain } from "../api/Errors.ts"
import type { CheckFailure } from "../definition/Definition.ts"
import { validateInputs } from "../definition/Definition.ts"
import type { Environment } from "../Config.ts"
import { nameOf, present, type Properties, UNKNOWN } from "../definition/Properties.ts"
import type { Stacks } from "../orphans/Orphans.ts"
import { Session } from "../session/Session.ts"
import type { Words } from "../HostWords.ts"
import { apply, importOne, read, remember } from "./Apply.ts"
import { DATA_SOURCES, readDataSource } from "./DataSources.ts"
import { decode, encode } from "./MessagePack.ts"
import { plan, type Planned, type Run } from "./Plan.ts"
import type { Message, Method } from "./Protocol.ts"
import { inputsOf, outputsOf, type Resource, RESOURCES } from "./Resources.ts"
import { fromEngine, type State, toSchema } from "./Schema.ts"
import { SETTINGS, settingsFrom, unknownSettings } from "./Settings.ts"
import type { Diagnostic, TerraformHost } from "./TerraformHost.ts"
import { SETTING_NAMES, snake } from "./TerraformWords.ts"

type Value = Message<"DynamicValue"> | undefined

const readValue = (value: Value): State | null => {
  if (value?.msgpack !== undefined && value.msgpack.length > 0) return decode(value.msgpack) as State | null
  return value?.json === undefined ? null : JSON.parse(Buffer.from(value.json).toString()) as State
}

const write = (value: State | null): Message<"DynamicValue"> => ({ msgpack: encode(value) })

const CAPABILITIES = { plan_destroy: true, get_provider_schema_optional: true }

type Answer<M extends Method> = Message<`${M}.Response`>
type Calls = { readonly [M in Method]: (request: Message<`${M}.Request`>) => Promise<Answer<M>> | Answer<M> }

export interface ProviderEnvironment {
  readonly host: TerraformHost
  readonly words: Words
  readonly environment: Environment
}

/** The engine shows a provider neither the state nor other ones. */
const NO_STACKS: Stacks = {
  read: () => Promise.resolve({ source: "state", held: [], pending: [] }),
  updatedSince: () => Promise.resolve([])
}

const resourceOf = (type: string | undefined): Resource => {
  const found = RESOURCES.get(type ?? "")
  if (found === undefined) throw new Error(`${type} is not a resource of this provider`)
  return found
}

export class Provider {
  readonly #environment: ProviderEnvironment
  #run: Run | undefined

  constructor(environment: ProviderEnvironment) {
    this.#environment = environment
  }

  get host(): TerraformHost {
    return this.#environment.host
  }

  /** Never fails: an error is a diagnostic. */
  async answer<M extends Method>(method: M, request: Message<`${M}.Request`>): Promise<Answer<M>> {
    const isPlan = method === "PlanResourceChange" || method === "ReadResource"
    const call = this.#calls[method] as (request: unknown) => Promise<Answer<M>> | Answer<M>
    const [answer, written] = await this.host.collect(isPlan, async () => {
      try {
        return await call(request)
      } catch (error) {
        const reason = explain(error)
        // A setting's error names it.
        const setting = SETTINGS.find(({ name }) => method.endsWith("ProviderConfig") && reason.includes(`${name} of`))
        const diagnostics = [this.host.error(reason, setting?.name)]
        return { ...failed(method, request), diagnostics } as unknown as Answer<M>
      }
    })
    const own = (answer as { readonly diagnostics?: ReadonlyArray<Diagnostic> }).diagnostics ?? []
    return written.length + own.length === 0 ? answer : { ...answer, diagnostics: [...written, ...own] }
  }

  #running(): Run {
    if (this.#run === undefined) throw new Error("the provider has not been configured")
    return this.#run
  }

  #failures(resource: Resource, name: string, failures: ReadonlyArray<CheckFailure> = []): ReadonlyArray<Diagnostic> {
    const all = new Set(resource.attributes.map((one) => one.name))
    return failures.map(({ property, reason }) => {
      const attribute = snake(property)
      return this.host.error(`${name}: ${reason}`, all.has(attribute) ? attribute : undefined)
    })
  }

  #configure(config: State): Message<"ConfigureProvider.Response"> {
    const { environment, host, words } = this.#environment
    const unknown = unknownSettings(config)
    if (unknown.length > 0) {
      return {
        diagnostics: unknown.map((name) => {
          const setting = Object.entries(SETTING_NAMES).find(([, one]) => one === name)?.[0] ?? ""
          const variable = words.environment[setting as keyof typeof words.environment]
          const isSet = (environment[variable] ?? "") !== ""
          const instead = isSet ? `: ${variable} is set, and then holds` : `, and set ${variable}`
          return host.error(
            `${name} of the provider is not known before the apply. Use a value that is known in the plan, or remove `
              + `${name} from the provider block${instead}`,
            name
          )
        })
      }
    }
    const settings = settingsFrom(config, environment, words)
    if (settings.apiKey !== undefined) host.redaction.add([settings.apiKey])
    host.begin()
    this.#run = {
      session: new Session(connect(settings), settings, host, NO_STACKS, true),
      inState: new Map(),
      planned: new Set(),
      unnamed: 0
    }
    return {}
  }

  #plan = async (request: Message<"PlanResourceChange.Request">): Promise<Message<"PlanResourceChange.Response">> => {
    const resource = resourceOf(request.type_name)
    const config = readValue(request.config) ?? {}
    this.#redact(resource, config)
    const planned: Planned = await plan(this.#running(), resource, {
      prior: readValue(request.prior_state),
      proposed: readValue(request.proposed_new_state),
      config,
      priorPrivate: request.prior_private
    })
    const name = resource.nameOf(config)
    return {
      planned_state: write(planned.state),
      planned_private: planned.private,
      requires_replace: planned.replaces?.map((one) => ({ steps: [{ attribute_name: snake(one) }] })),
      diagnostics: this.#failures(resource, name, planned.failures)
    }
  }

  #redact(resource: Resource, config: State): void {
    const secrets = resource.attributes.filter((one) => one.sensitive === true).map(({ name }) => config[name])
    this.host.redaction.add(secrets.filter((one): one is string => typeof one === "string" && one !== UNKNOWN))
  }

  readonly #calls: Calls = {
    GetMetadata: () => ({
      server_capabilities: CAPABILITIES,
      resources: [...RESOURCES.keys()].map((type_name) => ({ type_name })),
      data_sources: Object.keys(DATA_SOURCES).map((type_name) => ({ type_name }))
    }),
    GetProviderSchema: () => ({
      provider: toSchema(SETTINGS, "Buys and manages virtual private servers."),
      resource_schemas: Object.fromEntries(
        [...RESOURCES].map(([type, { attributes, definition }]) => [type, toSchema(attributes, definition.description)])
      ),
      data_source_schemas: Object.fromEntries(
        Object.entries(DATA_SOURCES).map(([type, { attributes, description }]) => [
          type,
          toSchema(attributes, description)
        ])
      ),
      server_capabilities: CAPABILITIES
    }),
    ValidateProviderConfig: ({ config }) => {
      const { environment, words } = this.#environment
      settingsFrom(readValue(config) ?? {}, environment, words)
      return {}
    },
    ConfigureProvider: ({ config }) => this.#configure(readValue(config) ?? {}),
    ValidateResourceConfig: ({ config, type_name }) => {
      const resource = resourceOf(type_name)
      const given = readValue(config) ?? {}
      const { plan: slug, serviceId, ...rest } = inputsOf(resource, given)
      // A configuration that an import generated has both; the plan compares them with the state.
      const inputs: Properties = serviceId === undefined ? { ...rest, plan: slug } : { ...rest, serviceId }
      const failures = validateInputs(resource.definition, inputs, this.#environment.words)
      return { diagnostics: this.#failures(resource, nameOf(inputs["__urn"]), failures) }
    },
    ValidateDataResourceConfig: () => ({}),
    UpgradeResourceState: ({ raw_state, type_name }) => {
      const resource = resourceOf(type_name)
      const stored = JSON.parse(Buffer.from(raw_state?.json ?? Buffer.from("{}")).toString()) as State
      const state = Object.fromEntries(resource.attributes.map(({ name }) => [name, stored[name] ?? null]))
      if (this.#run !== undefined) remember(this.#run, resource, state, outputsOf(resource, state, undefined))
      return { upgraded_state: write(state) }
    },
    ReadResource: async ({ current_state, private: bytes, type_name }) => {
      const found = await read(this.#running(), resourceOf(type_name), readValue(current_state)!, bytes)
      return { new_state: write(found.state), private: found.private }
    },
    PlanResourceChange: (request) => this.#plan(request),
    ApplyResourceChange: async ({ config, planned_private, planned_state, prior_state, type_name }) => {
      const resource = resourceOf(type_name)
      const wanted = readValue(config) ?? {}
      this.#redact(resource, wanted)
      const applied = await apply(this.#running(), resource, {
        prior: readValue(prior_state),
        planned: readValue(planned_state),
        config: wanted,
        plannedPrivate: planned_private
      })
      const failures = this.#failures(resource, resource.nameOf(wanted), applied.failures)
      const errors = (applied.errors ?? []).map((reason) => this.host.error(reason))
      return { new_state: write(applied.state), private: applied.private, diagnostics: [...failures, ...errors] }
    },
    ImportResourceState: async ({ id = "", type_name = "" }) => {
      const { private: bytes, state } = await importOne(this.#running(), resourceOf(type_name), id)
      return { imported_resources: [{ type_name, state: write(state), private: bytes }] }
    },
    ReadDataSource: async ({ config, type_name = "" }) => {
      const given = readValue(config) ?? {}
      const attributes = DATA_SOURCES[type_name]?.attributes ?? []
      const args: Properties = present(
        Object.fromEntries(attributes.map(({ name, type }) => [name, fromEngine(type, given[name])]))
      )
      return { state: write(await readDataSource(this.#running().session.api, type_name, args)) }
    },
    StopProvider: () => {
      this.host.cancel()
      return {}
    }
  }
}

/** The engine needs the state, also beside an error. */
const failed = (method: Method, request: object): object => {
  if (method !== "PlanResourceChange") return {}
  const { prior_private, proposed_new_state } = request as Message<"PlanResourceChange.Request">
  return { planned_state: proposed_new_state, planned_private: prior_private }
}
