/**
 * The script of `/docs`, in a module of its own: these 3 MB are loaded with the first request. It is Scalar's, which
 * effect contains but does not export; effect's version is pinned, and a test verifies that the page works.
 */
// @ts-expect-error effect's declarations leave it out as internal
import { javascript as script } from "../../../node_modules/effect/dist/http-api/internal/httpApiScalar.js"

export const javascript: string = script
