/**
 * The panel's page and its files, as the build wrote them. Read with the first request for the panel, so that a service
 * without users of the panel starts as fast and needs as little memory.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, extname, join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { errorResponse } from "../../http/Errors.ts"
import { pathOf } from "../../http/middleware/RouteTable.ts"
import { accepts, hasTag } from "../../http/system/StaticAsset.ts"
import { ServiceRuntime } from "../../ServiceRuntime.ts"
import { ASSETS, Branding } from "../../branding/Branding.ts"
import { withBranding } from "./IndexPage.ts"

/** Nothing from elsewhere, no inline code, and no code from strings: what a customer typed cannot become a script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "img-src 'self' data: blob:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

const PAGE = {
  "cache-control": "no-cache",
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  // Addresses of the panel may contain a sign-in token.
  "referrer-policy": "no-referrer"
}

/** Its name changes with its content, so a browser may keep it for a year. A picture may be opened as a page. */
const FILE = {
  "cache-control": "public, max-age=31536000, immutable",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'"
}

/** The host's logo, if it is opened as a page: code in an SVG does not run there either. */
const LOGO = {
  ...FILE,
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml"
}

/** In order of size, with the files' extensions. */
const CODINGS = [["br", ".br"], ["gzip", ".gz"]] as const

const INDEX = "index.html"

/** Files that are named by their content; not the index, which is sent with its policy only, nor compressed copies. */
const NAMED_BY_CONTENT = /^[\w-]+\.[A-Z\d]{8}\.(?:css|js|png|svg)$/

const NOT_MODIFIED = 304

type Files = ReadonlyMap<string, Buffer>

/**
 * The folder that the build wrote, or undefined before a build. Found by the `imports` of the manifest above this
 * module: sources, bundles and chunks are in different folders, and the installed service has a manifest of its own.
 */
const folder = (): string | undefined => {
  try {
    return dirname(createRequire(import.meta.url).resolve(`#panel-files/${INDEX}`))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") return undefined
    throw error
  }
}

const readBuilt = async (): Promise<Files> => {
  const built = folder()
  if (built === undefined) return new Map()
  const names = await readdir(built)
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(built, name))] as const)))
}

const withCopies = (name: string, plain: Buffer): ReadonlyArray<readonly [name: string, content: Buffer]> => [
  [name, plain],
  [`${name}.br`, brotliCompressSync(plain)],
  [`${name}.gz`, gzipSync(plain)]
]

/** The files as the build wrote them, with the host's branding in the index, and its logo and colors. */
const read = async (branding: Branding["Service"]): Promise<Files> => {
  const built = await readBuilt()
  const index = built.get(INDEX)?.toString() ?? ""
  const page = withBranding(index, branding)
  const own = [branding.logo, branding.stylesheet].filter((file) => file !== undefined)
  return new Map([
    ...built,
    ...(page === index ? [] : withCopies(INDEX, Buffer.from(page))),
    ...own.map(({ content, name }) => [name, content] as const)
  ])
}

const notBuilt = errorResponse(
  503,
  "The panel's files are missing. Install the service again (in a clone: `npm run build`), and restart it."
)

const unreadable = errorResponse(503, "The panel's files cannot be read. The operator's log has the reason.")

const send = (files: Files, name: string, headers: Record<string, string>, { headers: sent }: HttpServerRequest) => {
  const plain = files.get(name)
  if (plain === undefined) return undefined
  const common = { ...headers, vary: "accept-encoding" }
  const [coding, extension = ""] =
    CODINGS.find(([one, ending]) => files.has(name + ending) && accepts(sent["accept-encoding"], one)) ?? []
  return HttpServerResponse.uint8Array(files.get(name + extension) ?? plain, {
    contentType: TYPES[extname(name)] ?? "application/octet-stream",
    headers: coding === undefined ? common : { ...common, "content-encoding": coding }
  })
}

/** The index is sent for every path of the panel: the script in it shows what belongs there. */
const sendIndex = (files: Files, request: HttpServerRequest) => {
  const index = files.get(INDEX)
  if (index === undefined) return notBuilt
  // It names the current files, so it changes when they do.
  const tag = `"${createHash("sha256").update(index).digest("base64url")}"`
  if (hasTag(request.headers["if-none-match"], tag)) return HttpServerResponse.empty({ status: NOT_MODIFIED })
  return send(files, INDEX, { ...PAGE, etag: tag }, request) ?? notBuilt
}

const respond = (files: Files, request: HttpServerRequest) => {
  const path = pathOf(request.url)
  const missing = () => errorResponse(404, `Path not found: ${path}`)
  if (path.startsWith("/panel/api/")) return missing()
  if (!path.startsWith(ASSETS)) return sendIndex(files, request)
  const name = path.slice(ASSETS.length)
  if (!NAMED_BY_CONTENT.test(name)) return missing()
  return send(files, name, name.startsWith("logo.") ? LOGO : FILE, request) ?? missing()
}

/** `/panel` and everything below that no other route has. Files that could not be read are tried again. */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const branding = yield* (yield* ServiceRuntime).run(Branding)
  const reading = Effect.tryPromise(() => read(branding))
  const [files, forget] = yield* Effect.cachedInvalidateWithTTL(reading, Infinity)
  yield* router.add("GET", "/panel/*", (request) =>
    files.pipe(
      Effect.map((all) => respond(all, request)),
      Effect.catch(({ cause }) =>
        Effect.logError("The panel's files cannot be read", cause).pipe(Effect.andThen(forget), Effect.as(unreadable))
      )
    ))
}))
