/** The version of the package, for the `User-Agent`. A test holds it equal to package.json, which bundles badly. */
export const VERSION = "0.1.0"
