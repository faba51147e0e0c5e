/** The host's name, logo, color and links, as the panel's page has them. The logo is read when the service starts. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"
import { open } from "node:fs/promises"
import { BRAND } from "../config/Brand.ts"
import type { Values } from "../config/Config.ts"
import { InvalidSetting } from "../config/Setting.ts"
import { stylesheetOf } from "./Palette.ts"

/** As callers see it; null for all that the host has not set. */
export interface HostBranding {
  readonly name: string | null
  readonly logo: string | null
  readonly support_url: string | null
  readonly imprint_url: string | null
  readonly terms_url: string | null
  readonly privacy_url: string | null
}

type Settings = Pick<Values, keyof typeof BRAND>

/** A file that the page loads; its name changes with its content. */
export interface BrandFile {
  readonly name: string
  readonly content: Buffer
}

export class Branding extends Context.Service<Branding, {
  readonly shown: HostBranding
  readonly logo: BrandFile | undefined
  readonly stylesheet: BrandFile | undefined
}>()("@pulumi-vps/service/Branding") {}

export const ASSETS = "/panel/assets/"

const HASH_LENGTH = 8

const named = (name: string, extension: string, content: Buffer): BrandFile => {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, HASH_LENGTH).toUpperCase()
  return { name: `${name}.${hash}.${extension}`, content }
}

const BYTES_MAX = 100_000
const LOGO = `--${BRAND.brandLogo.flag} (${BRAND.brandLogo.environment})`

const PNG = Buffer.from("89504e470d0a1a0a", "hex")
const SVG = /^<svg[\s>/]/i
const DOCUMENT_TYPE = /^<!doctype/i

/** The end of a declaration, a comment, or a document type that begins a text; -1 if another part does. */
const endOfPart = (text: string): number => {
  const after = (end: string, from = 0) => {
    const found = text.indexOf(end, from)
    return found === -1 ? -1 : found + end.length
  }
  if (text.startsWith("<?")) return after("?>")
  if (text.startsWith("<!--")) return after("-->")
  if (!DOCUMENT_TYPE.test(text)) return -1
  // One with declarations of its own has them in brackets.
  const end = after(">")
  return text.slice(0, Math.max(end, 0)).includes("[") ? after(">", text.indexOf("]")) : end
}

/** The text from the first element on. */
const fromRoot = (text: string): string => {
  let rest = text.trimStart()
  for (let end = endOfPart(rest); end !== -1; end = endOfPart(rest)) rest = rest.slice(end).trimStart()
  return rest
}

const extensionOf = (content: Buffer): string | undefined => {
  if (content.subarray(0, PNG.length).equals(PNG)) return "png"
  return SVG.test(fromRoot(content.toString("utf8"))) ? "svg" : undefined
}

/** Reads no more than a byte above the limit: the path may be that of a device. */
const read = async (path: string): Promise<Buffer> => {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BYTES_MAX + 1), 0, BYTES_MAX + 1, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const readLogo = Effect.fnUntraced(function*(path: string) {
  const refuse = (reason: string) => new InvalidSetting({ message: `${LOGO} names ${path}, which ${reason}` })
  const content = yield* Effect.tryPromise({
    try: () => read(path),
    catch: (cause) => refuse(`cannot be read: ${(cause as Error).message}. Correct the path or its mode.`)
  })
  if (content.length > BYTES_MAX) {
    return yield* refuse("is larger than 100 KB. Simplify the SVG, or scale the PNG to 96 pixels.")
  }
  const extension = extensionOf(content)
  if (extension === undefined) {
    return yield* refuse("is neither an SVG nor a PNG file. Convert the logo to one of them.")
  }
  return named("logo", extension, content)
})

const orNull = (text: string): string | null => text === "" ? null : text

/** Fails with `InvalidSetting` if the logo cannot be used. */
export const make = Effect.fnUntraced(function*(settings: Settings) {
  const { brandColor, brandLogo } = settings
  const logo = brandLogo === "" ? undefined : yield* readLogo(brandLogo)
  return Branding.of({
    shown: {
      name: orNull(settings.brandName),
      logo: logo === undefined ? null : ASSETS + logo.name,
      support_url: orNull(settings.supportUrl),
      imprint_url: orNull(settings.imprintUrl),
      terms_url: orNull(settings.termsUrl),
      privacy_url: orNull(settings.privacyUrl)
    },
    logo,
    stylesheet: brandColor === "" ? undefined : named("brand", "css", Buffer.from(stylesheetOf(brandColor)))
  })
})

export const layer = (settings: Settings): Layer.Layer<Branding, InvalidSetting> =>
  Layer.effect(Branding, make(settings))
