/** The host's name, logo and links, which the page itself contains: they are known before anything is shown. */
import type { HostBranding } from "../../contract/Session.ts"

const NONE: HostBranding = {
  name: null,
  logo: null,
  support_url: null,
  imprint_url: null,
  terms_url: null,
  privacy_url: null
}

const content = document.querySelector<HTMLMetaElement>("meta[name=branding]")?.content

export const branding: HostBranding = content === undefined ? NONE : JSON.parse(content) as HostBranding

/** The browser's title of a screen. */
export const titled = (title: string): string => branding.name === null ? title : `${title} · ${branding.name}`
