/** Applies a change to every operation of an OpenAPI document. */
import type * as OpenApi from "effect/http-api/OpenApi"

export type Document = ReturnType<typeof OpenApi.fromApi>
export type Operation = NonNullable<Document["paths"][string]["get"]>

export const mapOperations = (document: Document, change: (operation: Operation) => object): Document => ({
  ...document,
  paths: Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, change(operation as Operation)]))
    ])
  ) as Document["paths"]
})
