/** Loads the schemas of `decode: "strict"`. The build for other runtimes refuses here: they would double its size. */
import type { Inspect } from "./Strict.ts"

/** Imported by the package's own name, so that our bundles load the schemas from a separate file. */
export const loadInspect = async (): Promise<Inspect> => (await import("#sdk/client/chain/Strict")).makeInspect()
