/** The OpenAPI 3.1 document of the contract. */
import * as OpenApi from "effect/http-api/OpenApi"
import { Api } from "./Api.ts"
import { describe } from "./Described.ts"
import { describeLinks } from "./Links.ts"
import { describeParameters } from "./Parameters.ts"

type Document = ReturnType<typeof OpenApi.fromApi>

/** Component names as the wire knows them: an error's encoded form is the only one a client sees. */
const withoutSuffix = (document: Document): Document =>
  JSON.parse(JSON.stringify(document).replaceAll(/"((?:#\/components\/schemas\/)?[A-Z]\w*)Encoded"/g, "\"$1\""))

/** `_tag` lets TypeScript tell errors apart once they are decoded; the wire never carries it. */
const withoutTags = (document: Document): Document => {
  const schemas = Object.entries(document.components.schemas ?? {}).map(([name, schema]) => {
    const { _tag, ...properties } = (schema["properties"] ?? {}) as Record<string, unknown>
    return [name, _tag === undefined ? schema : { ...schema, properties }]
  })
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(schemas) } }
}

/** That a number is one that JavaScript holds exactly is no bound of ours. */
const withoutSafeBounds = (document: Document): Document =>
  JSON.parse(JSON.stringify(document).replaceAll(/,"(?:min|max)imum":-?9007199254740991/g, ""))

/** Complete: every endpoint, status, header, scope, bound and link, with examples. */
export const openApiDocument = (): Document =>
  describe(describeLinks(describeParameters(withoutSafeBounds(withoutTags(withoutSuffix(OpenApi.fromApi(Api)))))))
