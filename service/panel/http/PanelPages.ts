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
import { errorResponse } from "../../http/Errors.ts"
import { pathOf } from "../../http/middleware/RouteTable.ts"
import { accepts, hasTag } from "../../http/system/StaticAsset.ts"

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

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml"
}

/** In order of size, with the files' extensions. */
const CODINGS = [["br", ".br"], ["gzip", ".gz"]] as const

const INDEX = "index.html"

/** Files that are named by their content; not the index, which is sent with its policy only, nor compressed copies. */
const NAMED_BY_CONTENT = /^[\w-]+\.[A-Z\d]{8}\.(?:css|js|svg)$/

const ASSETS = "/panel/assets/"
const NOT_MODIFIED = 304

type Files = ReadonlyMap<string, Buffer>

/** Beside the bundles; also when the service runs from its sources, after a build. */
const folder = () =>
  join(dirname(createRequire(import.meta.url).resolve("pulumi-vps/package.json")), "dist/service/panel/files")

const read = async (): Promise<Files> => {
  const names = await readdir(folder()).catch(() => [])
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder(), name))] as const)))
}

const notBuilt = errorResponse(503, "The panel is not built. Run `npm run build` and restart the service.")

const send = (files: Files, name: string, headers: Record<string, string>, { headers: sent }: HttpServerRequest) => {
  const plain = files.get(name)
  if (plain === undefined) return undefined
  const common = { ...headers, vary: "accept-encoding" }
  const [coding, extension] = CODINGS.find(([one]) => accepts(sent["accept-encoding"], one)) ?? []
  return HttpServerResponse.uint8Array(extension === undefined ? plain : files.get(name + extension) ?? plain, {
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
  return NAMED_BY_CONTENT.test(name) ? send(files, name, FILE, request) ?? missing() : missing()
}

/** `/panel` and everything below that no other route has. */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const files = yield* Effect.cached(Effect.promise(read))
  yield* router.add("GET", "/panel/*", (request) => Effect.map(files, (all) => respond(all, request)))
}))
