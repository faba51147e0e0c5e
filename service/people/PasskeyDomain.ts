/** The domain of passkeys: they belong to it for ever. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Values } from "../config/Config.ts"
import { InvalidSetting } from "../config/Setting.ts"
import { Passkeys } from "../persistence/people/Passkeys.ts"

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
