/** A host's identity for tests: the settings, and its logo in a folder. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"

export const NAME = "Nordwind & Söhne"

/** Would do harm if it ran. */
export const LOGO = `<?xml version="1.0"?>
<!-- A flag -->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" onload="alert(1)">
  <script>document.documentElement.remove()</script>
  <path fill="#00695c" d="M3 2h4v20H3zM7 3h13l-4 5 4 5H7z"/>
</svg>
`

/** The smallest PNG: one pixel. */
export const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64"
)

export const LINKS = {
  support_url: "mailto:help@nordwind.test",
  imprint_url: "https://nordwind.test/imprint",
  terms_url: "https://nordwind.test/terms",
  privacy_url: "https://nordwind.test/privacy"
}

/** The flags that set all of it. */
export const brandFlags = (folder: string, color = "#00695c", name = NAME): ReadonlyArray<string> => {
  const logo = join(folder, "logo.svg")
  writeFileSync(logo, LOGO)
  return [
    `--brand-name=${name}`,
    `--brand-logo=${logo}`,
    `--brand-color=${color}`,
    `--support-url=${LINKS.support_url}`,
    `--imprint-url=${LINKS.imprint_url}`,
    `--terms-url=${LINKS.terms_url}`,
    `--privacy-url=${LINKS.privacy_url}`
  ]
}
