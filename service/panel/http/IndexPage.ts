/** The panel's page with the host's identity, so that no other name or color appears first. */
import { ASSETS, type Identity } from "../../identity/Identity.ts"

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;" }

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character]!)

/** The page as the build wrote it, with the title, the icon, the colors, and the identity for the script. */
export const withIdentity = (html: string, { logo, shown, stylesheet }: Identity["Service"]): string => {
  const isSet = Object.values(shown).some((value) => value !== null)
  const head = [
    ...(isSet ? [`<meta name="identity" content="${escaped(JSON.stringify(shown))}">`] : []),
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
