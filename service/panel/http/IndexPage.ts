/** The panel's page with the host's branding, so that no other name or color appears first. */
import { ASSETS, type Branding } from "../../branding/Branding.ts"

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;" }

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character]!)

/** The page as the build wrote it, with the title, the icon, the colors, and the branding for the script. */
export const withBranding = (html: string, { logo, shown, stylesheet }: Branding["Service"]): string => {
  const isSet = Object.values(shown).some((value) => value !== null)
  const head = [
    ...(isSet ? [`<meta name="branding" content="${escaped(JSON.stringify(shown))}">`] : []),
    ...(stylesheet === undefined ? [] : [`<link rel="stylesheet" href="${ASSETS}${stylesheet.name}">`])
  ]
  return html
    .replace(/<title>[^<]*/, (title) => shown.name === null ? title : `<title>${escaped(shown.name)}`)
    .replace(
      /(<link rel="icon" href=")[^"]*/,
      (icon, start) => logo === undefined ? icon : `${start}${ASSETS}${logo.name}`
    )
    .replace("  </head>", (end) => head.map((tag) => `    ${tag}\n`).join("") + end)
}
