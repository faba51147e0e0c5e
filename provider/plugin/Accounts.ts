/**
 * The account of a provider, recorded in the provider's inputs. The engine compares the inputs of two providers when a
 * program changes one, and when a resource moves from one to the other: another account is refused in both cases.
 */
import type { Api } from "../api/Api.ts"
import { UserError } from "../api/Errors.ts"
import type { Environment, Settings } from "../Config.ts"
import { isUnknown, nameOf, type Properties } from "../definition/Properties.ts"
import { placeOf } from "../session/Identity.ts"
import { settingsFrom } from "./ProviderConfig.ts"

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
    return account === undefined ? {} : { __account: account.account_id, __service: place }
  }

  /** @throws UserError when the old and the new provider have different accounts. */
  async assertSame(urn: string, { __account: before }: Properties, news: Properties): Promise<void> {
    const { __account: after, __service: place } = news
    if (typeof before !== "number" || typeof after !== "number" || before === after) return
    const settings = this.#settings(urn, news)
    const { email } = await this.#whoami(this.#environment.connect(settings), String(place))
    throw new UserError(
      `the resources of the provider ${nameOf(urn)} belong to account ${before}, but the API key belongs to account `
        + `${after} (${email}). Nothing was changed. Set ${settings.apiKeySource} to a key of account ${before}, and `
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
