/** The host's name, logo and links on the pages. Without settings, nothing of them is shown. */
import type { ComponentChildren } from "preact"
import { branding } from "../api/branding.ts"

const NO_NAME = "Panel"

/** The logo beside the name. A logo alone has the text of the name for those who do not see it. */
export const Brand = () => {
  const { logo, name } = branding
  return (
    <>
      {logo !== null && <img src={logo} alt={name === null ? NO_NAME : ""} />}
      {name !== null && <span>{name}</span>}
      {logo === null && name === null && <span>{NO_NAME}</span>}
    </>
  )
}

export const hasBrand = branding.logo !== null || branding.name !== null

/** In the phone's header; a link to the first page. */
export const TopBrand = () =>
  <a class="brand" href="/panel">
    <Brand />
  </a>

/** Above the navigation, where no word is needed without a brand. */
export const SideBrand = () => hasBrand ? <TopBrand /> : null

interface HostLinkProps {
  readonly href: string
  readonly children: ComponentChildren
}

/** A page of the host opens beside the panel, so that what was typed stays. */
const HostLink = ({ children, href }: HostLinkProps) =>
  href.startsWith("mailto:")
    ? <a href={href}>{children}</a>
    : <a href={href} target="_blank" rel="noreferrer">{children}</a>

const LINKS = [
  ["Support", branding.support_url],
  ["Terms", branding.terms_url],
  ["Privacy", branding.privacy_url],
  ["Imprint", branding.imprint_url]
] as const

/** Support, terms, privacy, and imprint, as far as the host has set them. */
export const HostLinks = () => {
  const links = LINKS.flatMap(([text, href]) => href === null ? [] : [{ text, href }])
  if (links.length === 0) return null
  return (
    <ul class="host-links">
      {links.map(({ href, text }) => (
        <li key={text}>
          <HostLink href={href}>{text}</HostLink>
        </li>
      ))}
    </ul>
  )
}

/** "Ask your host", or another text; a link to the host's support, if it is set. */
export const AskHost = ({ children = "Ask your host" }: { readonly children?: ComponentChildren }) =>
  branding.support_url === null ? <>{children}</> : <HostLink href={branding.support_url}>{children}</HostLink>
