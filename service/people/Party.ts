/** The domain of passkeys, and the acts of people in the audit log. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Act, record } from "../audit/Audit.ts"
import type { Caller } from "../domain/Caller.ts"
import type { Person } from "../persistence/people/People.ts"
import type { Values } from "../config/Config.ts"
import { InvalidSetting } from "../config/Setting.ts"
import { Passkeys } from "../persistence/people/Passkeys.ts"

/** A browser, as it describes itself. */
export interface Browser {
  readonly address: string
  readonly agent: string
}

/** A person who acts. */
export interface By {
  readonly person: Person
  readonly browser: Browser
  readonly requestId: string | null
}

/** A member of an account who acts in it. */
export interface ByMember extends By {
  readonly caller: Pick<Caller, "accountId">
}

/** The author of an act. */
export const actorOf = ({ browser, person, requestId }: By): Act["actor"] => ({
  kind: "person",
  personId: person.id,
  name: person.email,
  from: browser.address,
  requestId
})

/** Records an act of a person, as part of the caller's transaction. */
export const recordBy = (by: By, act: Omit<Act, "actor">) => record({ ...act, actor: actorOf(by) })

type Settings = Pick<Values, "panelUrl" | "passkeyDomain">

const hostOf = (url: string): string => new URL(url).hostname

/** The configured domain; undefined if there is none. */
const configured = ({ panelUrl, passkeyDomain }: Settings): string | undefined => {
  if (passkeyDomain !== "") return passkeyDomain
  return panelUrl === "" ? undefined : hostOf(panelUrl)
}

const LOCAL = "localhost"

/** The domain of a panel at an origin; undefined where passkeys do not work: they know no addresses. */
export const domainAt = (settings: Settings, origin: string): string | undefined =>
  configured(settings) ?? (hostOf(origin) === LOCAL ? LOCAL : undefined)

const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`)

const check = Effect.fnUntraced(function*(settings: Settings) {
  const domain = configured(settings)
  if (domain === undefined) return
  const { panelUrl } = settings
  if (panelUrl !== "" && !isWithin(hostOf(panelUrl), domain)) {
    return yield* new InvalidSetting({
      message: `--passkey-domain should be the host of --panel-url (${hostOf(panelUrl)}) or a parent of it; `
        + `got "${domain}".`
    })
  }
  const other = yield* (yield* Passkeys).otherDomain(domain)
  if (other === undefined) return
  return yield* new InvalidSetting({
    message: `People have passkeys for ${other}, which do not work for ${domain}. Set --passkey-domain to ${other}; `
      + "the panel's address must be within it."
  })
})

/** Fails with `InvalidSetting` if the settings would make existing passkeys worthless. */
export const layer = (settings: Settings): Layer.Layer<never, InvalidSetting, Passkeys> =>
  Layer.effectDiscard(check(settings))
