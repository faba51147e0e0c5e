/** The YAML writer, in a module of its own: loading it takes as long as a request, and few outputs are YAML. */
export { stringify } from "yaml"
