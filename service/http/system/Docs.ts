/**
 * `/docs`: the API reference as a web page. Its script is loaded with the first request. The page works offline: its
 * content security policy allows this origin only.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { Config } from "../../config/Config.ts"
import { ServiceRuntime } from "../../ServiceRuntime.ts"
import * as StaticAsset from "./StaticAsset.ts"

// Computed, so that the bundler leaves it alone: the programs share one bundle of it.
const SCRIPT: string = "#service/http/system/ReferenceScript"

const loadScript = Effect.promise(async () =>
  (await (import(SCRIPT) as Promise<typeof import("./ReferenceScript.ts")>)).javascript
)

/** The URL changes with the content, so browsers may cache it for a year. */
const SCRIPT_OPTIONS = {
  contentType: "text/javascript; charset=utf-8",
  cacheControl: "public, max-age=31536000, immutable",
  headers: { "x-content-type-options": "nosniff" }
}

/** No external resources: no fonts, telemetry or assistants, and requests go to this service directly. */
const CONFIGURATION = {
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  persistAuth: false,
  authentication: { preferredSecurityScheme: "bearer" },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" }
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const PAGE_OPTIONS = {
  contentType: "text/html; charset=utf-8",
  cacheControl: "no-cache",
  headers: {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff"
  }
}

const attribute = (value: unknown): string => JSON.stringify(value).replaceAll("&", "&amp;").replaceAll("\"", "&quot;")

const TITLE = "VPS instance management"

const titleOf = (host: string): string =>
  host === "" ? TITLE : `${TITLE} at ${host}`.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

/** URLs are relative, so that the page also works under a proxy's path prefix. */
const renderPage = (version: string, host: string): string =>
  `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${titleOf(host)}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="data:,">
  </head>
  <body>
    <noscript>This page needs JavaScript. <a href="openapi.json">openapi.json</a> has the same content.</noscript>
    <script id="api-reference" data-url="openapi.json" data-configuration="${attribute(CONFIGURATION)}"></script>
    <script src="docs/reference.js?v=${version}"></script>
  </body>
</html>
`

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const { brandName } = yield* (yield* ServiceRuntime).run(Config)
  const script = yield* Effect.cached(Effect.flatMap(loadScript, (text) => StaticAsset.make(text, SCRIPT_OPTIONS)))
  const page = yield* Effect.cached(
    Effect.flatMap(script, ({ version }) => StaticAsset.make(renderPage(version, brandName), PAGE_OPTIONS))
  )
  yield* router.add("GET", "/docs", (request) => Effect.map(page, ({ respond }) => respond(request)))
  yield* router.add("GET", "/docs/reference.js", (request) => Effect.map(script, ({ respond }) => respond(request)))
}))
