/**
 * `/docs`: the API reference as a web page. Its script is Scalar's, which ships with effect and is loaded on the first
 * request. The page works offline: its content security policy allows this origin only.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import * as StaticAsset from "./StaticAsset.ts"

/** Not exported by effect, whose version is pinned; a test verifies that it exists. */
const SCRIPT = "dist/http-api/internal/httpApiScalar.js"

/** The bundler ignores a computed specifier, so these 3 MB are not loaded at start-up. */
const loadScript = Effect.promise(async () => {
  const effect = dirname(createRequire(import.meta.url).resolve("effect/package.json"))
  const { javascript }: { readonly javascript: string } = await import(pathToFileURL(join(effect, SCRIPT)).href)
  return javascript
})

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

/** URLs are relative, so that the page also works under a proxy's path prefix. */
const renderPage = (version: string): string =>
  `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>VPS instance management</title>
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
  const script = yield* Effect.cached(Effect.flatMap(loadScript, (text) => StaticAsset.make(text, SCRIPT_OPTIONS)))
  const page = yield* Effect.cached(
    Effect.flatMap(script, ({ version }) => StaticAsset.make(renderPage(version), PAGE_OPTIONS))
  )
  yield* router.add("GET", "/docs", (request) => Effect.map(page, ({ respond }) => respond(request)))
  yield* router.add("GET", "/docs/reference.js", (request) => Effect.map(script, ({ respond }) => respond(request)))
}))
