/** Looks for secrets in everything that was written, however they may have been written down. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

/** Somewhere that things are written to. */
export interface Place {
  readonly name: string
  readonly content: Buffer
}

/** The forms in which a text may appear: as it is, for URLs, in hex, in base64 at each of its offsets. */
const formsOf = (secret: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2].map((offset) =>
    // Removes the characters that depend on the bytes before and after.
    Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64").replace(/=*$/, "").slice(offset + 1, -1)
  )
  return [secret, encodeURIComponent(secret), bytes.toString("hex"), JSON.stringify(secret).slice(1, -1), ...base64]
}

export const holds = ({ content }: Place, secret: string): boolean =>
  formsOf(secret).some((form) => content.includes(form))

/** Each secret found, with its location: `root password in the log`. */
export const found = (
  places: ReadonlyArray<Place>,
  secrets: Readonly<Record<string, string>>
): ReadonlyArray<string> =>
  places.flatMap((place) =>
    Object.entries(secrets).filter(([, secret]) => holds(place, secret)).map(([name]) => `${name} in ${place.name}`)
  )

/** The bytes of every file in a folder, recursively; a socket counts as empty. */
export const filesOf = (folder: string): ReadonlyArray<Place> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => ({ name: `the file ${name}`, content: readFileSync(join(folder, name)) }))
