/** The OpenAPI 3.1 document of the contract. */
import * as OpenApi from "effect/http-api/OpenApi"
import { Api } from "../Api.ts"
import { withDescriptions } from "./Descriptions.ts"
import { withLinks } from "./Links.ts"
import type { Document } from "./Operations.ts"
import { withParameters } from "./Parameters.ts"

/** Renames components to their wire names: clients only receive the encoded form of an error. */
const withoutSuffix = (document: Document): Document =>
  JSON.parse(JSON.stringify(document).replaceAll(/"((?:#\/components\/schemas\/)?[A-Z]\w*)Encoded"/g, "\"$1\""))

/** Removes `_tag`, by which TypeScript distinguishes decoded errors; responses never contain it. */
const withoutTags = (document: Document): Document => {
  const schemas = Object.entries(document.components.schemas ?? {}).map(([name, schema]) => {
    const { _tag, ...properties } = (schema["properties"] ?? {}) as Record<string, unknown>
    return [name, _tag === undefined ? schema : { ...schema, properties }]
  })
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(schemas) } }
}

/** Removes the bounds of JavaScript's safe integers, which are not the API's. */
const withoutSafeBounds = (document: Document): Document =>
  JSON.parse(JSON.stringify(document).replaceAll(/,"(?:min|max)imum":-?9007199254740991/g, ""))

/** The complete document: every endpoint, status, header, scope, bound and link, with examples. */
export const openApiDocument = (): Document =>
  withDescriptions(withLinks(withParameters(withoutSafeBounds(withoutTags(withoutSuffix(OpenApi.fromApi(Api)))))))
