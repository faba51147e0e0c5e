/**
 * Stores the published OpenAPI document as that of the release: `npm run release` runs this. A test compares later
 * documents with it, because clients that were generated from it have to work on.
 */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { openApiDocument } from "#contract/openapi/OpenApiDocument"
import { portableDocument } from "#contract/openapi/PortableDocument"

const PATH = fileURLToPath(new URL("../sdk/contract/openapi/released.json", import.meta.url))

writeFileSync(PATH, `${JSON.stringify(portableDocument(openApiDocument()), null, 1)}\n`)
