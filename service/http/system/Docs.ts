/**
 * `/docs`: the interface description as a page for people. Its script is Scalar's, which comes with effect; it is
 * loaded when somebody first asks for it, and the page works without the internet: its policy allows this origin only.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import * as StaticAsset from "./StaticAsset.ts"

/** Not exported by effect, whose version is exact; a test holds that it is there. */
const SCRIPT = "dist/http-api/internal/httpApiScalar.js"

/** A specifier that is computed is left alone by the bundler: 3 MB stay out of what is loaded at start. */
const loadScript = Effect.promise(async () => {
  const effect = dirname(createRequire(import.meta.url).resolve("effect/package.json"))
  const { javascript }: { readonly javascript: string } = await import(pathToFileURL(join(effect, SCRIPT)).href)
  return javascript
})

/** Its address changes with its content, so it may be kept for a year. */
const SCRIPT_KIND = {
  contentType: "text/javascript; charset=utf-8",
  cacheControl: "public, max-age=31536000, immutable",
  headers: { "x-content-type-options": "nosniff" }
}

/** Nothing from elsewhere: no fonts, no telemetry, no assistants, and requests go to this service directly. */
const OPTIONS = {
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

const PAGE_KIND = {
  contentType: "text/html; charset=utf-8",
  cacheControl: "no-cache",
  headers: {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff"
  }
}

const attribute = (value: unknown): string => JSON.stringify(value).replaceAll("&", "&amp;").replaceAll("\"", "&quot;")

/** Addresses are relative, so that the page also works below a path of a proxy's. */
const pageOf = (version: string): string =>
  `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>VPS instance management</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="data:,">
  </head>
  <body>
    <noscript>This page needs JavaScript; <a href="openapi.json">openapi.json</a> says the same.</noscript>
    <script id="api-reference" data-url="openapi.json" data-configuration="${attribute(OPTIONS)}"></script>
    <script src="docs/reference.js?v=${version}"></script>
  </body>
</html>
`

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const script = yield* Effect.cached(Effect.flatMap(loadScript, (text) => StaticAsset.make(text, SCRIPT_KIND)))
  const page = yield* Effect.cached(
    Effect.flatMap(script, ({ version }) => StaticAsset.make(pageOf(version), PAGE_KIND))
  )
  yield* router.add("GET", "/docs", (request) => Effect.map(page, ({ respond }) => respond(request)))
  yield* router.add("GET", "/docs/reference.js", (request) => Effect.map(script, ({ respond }) => respond(request)))
}))
