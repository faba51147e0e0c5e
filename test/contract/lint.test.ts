/** The OpenAPI document is clean in the eyes of a linter that knows the standard, examples included. */
import { assert, describe, it } from "vitest"
import { openApiDocument } from "#contract/openapi/OpenApiDocument"
import { lint } from "../support/redocly.ts"

describe("the OpenAPI document", () => {
  const document = openApiDocument()

  it("has no problems", () => {
    assert.deepStrictEqual(lint(document), [])
  })
  it("would not pass with an example that does not fit its schema", () => {
    const { Iso, ...schemas } = document.components.schemas
    const broken = { ...Iso, examples: [{ id: "two" }] }
    const problems = lint({ ...document, components: { ...document.components, schemas: { ...schemas, Iso: broken } } })
    assert.notDeepEqual(problems.filter((problem) => problem.startsWith("no-invalid-schema-examples")), [])
  })
})
