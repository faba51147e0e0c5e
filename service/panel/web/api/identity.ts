/** The host's name, logo and links, which the page itself contains: they are known before anything is shown. */
import type { HostIdentity } from "../../contract/Session.ts"

const NONE: HostIdentity = {
  name: null,
  logo: null,
  support_url: null,
  imprint_url: null,
  terms_url: null,
  privacy_url: null
}

const content = document.querySelector<HTMLMetaElement>("meta[name=identity]")?.content

export const identity: HostIdentity = content === undefined ? NONE : JSON.parse(content) as HostIdentity

/** The browser's title of a screen. */
export const titled = (title: string): string => identity.name === null ? title : `${title} · ${identity.name}`
