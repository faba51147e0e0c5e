/** Advice about what only the panel can change: its page where the service has a panel, else the host. */
import type { Api } from "./Api.ts"

/** The panel's address; undefined where it is unknown, because the advice is part of another message. */
export const panelOf = (api: Api): Promise<string | undefined> =>
  api.root().then(({ panel_url }): string | undefined => panel_url, () => undefined)

/** A part of a sentence. */
export const autoRenewAdvice = (to: "on" | "off", id: number, panel: string | undefined): string =>
  panel === undefined ? `ask the host to turn ${to} auto_renew` : `turn ${to} auto_renew at ${panel}/instances/${id}`
