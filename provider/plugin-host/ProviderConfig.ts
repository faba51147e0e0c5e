/** The provider's configuration: validated, compared, and combined with the environment. */
import { explain, UserError } from "../api/Errors.ts"
import { type Api, noKey } from "../api/Api.ts"
import { type Environment, readSettings, SETTINGS, type Settings, unknownSetting } from "../Config.ts"
import { isUnknown, nameOf, type Properties, same } from "../definition/Properties.ts"
import { ENVIRONMENT, PULUMI, type SettingName } from "../HostWords.ts"
import { BadRequest } from "./Proto.ts"
import { placeOf } from "../session/Identity.ts"

/** The inputs that the engine itself adds to a provider. */
const ENGINES_OWN: ReadonlySet<string> = new Set(["version", "pluginDownloadURL", "pluginChecksums"])

const isOurs = (name: string): boolean => !ENGINES_OWN.has(name) && !name.startsWith("__")

/** SDKs write other values than strings as JSON; a number or an object may also arrive as such. */
const textOf = (value: unknown): string | undefined => {
  if (value === undefined || value === null || isUnknown(value)) return undefined
  return typeof value === "string" ? value : JSON.stringify(value)
}

/** The settings that select the account; those of a program's own provider must not be overridden. */
const IDENTITY = ["apiKey", "baseUrl"] as const
const DEFAULT_PROVIDER = /::pulumi:providers:vps::default(?:_|$)/

/** The settings of the account that a program's own provider has. */
const ownIdentity = (urn: string, inputs: Properties): ReadonlyArray<SettingName> =>
  urn === "" || DEFAULT_PROVIDER.test(urn)
    ? []
    : IDENTITY.filter((name) => inputs[name] !== undefined && inputs[name] !== null)

/**
 * The environment that applies to the provider of this URN. It overrides the stack's configuration, which refresh and
 * destroy take from the state, but not the account of a provider that the program creates: two of them with two keys
 * would both use the environment's key.
 */
const environmentOf = (urn: string, inputs: Properties, environment: Environment): Environment => ({
  ...environment,
  ...Object.fromEntries(ownIdentity(urn, inputs).map((name) => [ENVIRONMENT[name], undefined]))
})

/**
 * The settings in force. The environment is only read, so that its values are never stored.
 * @throws BadRequest when one is invalid.
 */
export const settingsFrom = (urn: string, inputs: Properties, environment: Environment): Settings => {
  const own = ownIdentity(urn, inputs)
  try {
    return readSettings((name) => textOf(inputs[name]), {
      environment: environmentOf(urn, inputs, environment),
      source: (name) => own.includes(name) ? `${name} of the provider ${nameOf(urn)}` : ENVIRONMENT[name]
    })
  } catch (error) {
    throw new BadRequest(explain(error), { cause: error })
  }
}

/** The problems of a configuration; unknown values are not checked. */
export const validateConfig = (
  urn: string,
  inputs: Properties,
  environment: Environment
): ReadonlyArray<string> => {
  const unknown = Object.keys(inputs).filter(isOurs).flatMap((name) => unknownSetting(name) ?? [])
  if (unknown.length > 0) return unknown
  try {
    const { apiKey } = settingsFrom(urn, inputs, environment)
    return apiKey === undefined && !isUnknown(inputs["apiKey"]) ? [noKey(PULUMI)] : []
  } catch (error) {
    return [explain(error)]
  }
}

/** Names of the settings that differ. A stack that moves to the plugin has the dynamic names, `vps:<name>`. */
export const changedSettings = (olds: Properties, news: Properties): ReadonlyArray<string> =>
  SETTINGS.filter((name) => !isUnknown(news[name]) && !same(olds[name] ?? olds[`vps:${name}`], news[name]))

// The account of a provider, recorded in the provider's inputs. The engine compares the inputs of two providers when a
// program changes one, and when a resource moves from one to the other: another account is refused in both cases.

interface AccountsEnvironment {
  readonly connect: (settings: Settings) => Api
  readonly environment: Environment
}

type Account = ReturnType<Api["whoami"]>

/** The inputs that this plugin adds to a provider; they begin with `__`, so that no diff shows them. */
interface Own {
  readonly __account?: number
  readonly __service?: string
}

export class Accounts {
  readonly #environment: AccountsEnvironment
  /** By service and key (`placeOf`): a key belongs to one account for ever. */
  readonly #byPlace = new Map<string, Account>()

  constructor(environment: AccountsEnvironment) {
    this.#environment = environment
  }

  /** The same API, which requests `whoami` once per service and key. */
  share(api: Api, settings: Settings): Api {
    const place = placeOf(settings)
    return place === undefined ? api : { ...api, whoami: () => this.#whoami(api, place) }
  }

  /**
   * The inputs that identify the account. Sends no request when service and key are those in the state. Nothing is
   * recorded without an answer: the first operation reports the reason.
   */
  async identify(urn: string, olds: Properties, news: Properties): Promise<Own> {
    if (isUnknown(news["apiKey"]) || isUnknown(news["baseUrl"])) return {}
    const settings = this.#settings(urn, news)
    const place = placeOf(settings)
    if (place === undefined) return {}
    const recorded = olds["__account"]
    if (olds["__service"] === place && typeof recorded === "number") return { __account: recorded, __service: place }
    const account = await this.#whoami(this.#environment.connect(settings), place).catch(() => undefined)
    // A host that does not return the account is compared by the instances themselves.
    return account?.account_id === undefined ? {} : { __account: account.account_id, __service: place }
  }

  /** @throws UserError when the old and the new provider have different accounts. */
  async assertSame(urn: string, { __account: before }: Properties, news: Properties): Promise<void> {
    const { __account: after, __service: place } = news
    if (typeof before !== "number" || typeof after !== "number" || before === after) return
    const settings = this.#settings(urn, news)
    const { email } = await this.#whoami(this.#environment.connect(settings), String(place))
    throw new UserError(
      `the resources of the provider ${nameOf(urn)} belong to account ${before}, but the API key belongs to account `
        + `${after}${
          email === undefined ? "" : ` (${email})`
        }. Nothing was changed. Set ${settings.apiKeySource} to a key of account ${before}, and `
        + `use another provider for account ${after}. If the stack has no resource of account ${before}, run `
        + `\`pulumi state delete '${urn}'\`.`
    )
  }

  #settings(urn: string, inputs: Properties): Settings {
    return settingsFrom(urn, inputs, this.#environment.environment)
  }

  #whoami(api: Api, place: string): Account {
    const known = this.#byPlace.get(place)
    if (known !== undefined) return known
    const requested = api.whoami()
    this.#byPlace.set(place, requested)
    requested.catch(() => this.#byPlace.delete(place))
    return requested
  }
}
