/** The agent of undici, in a module of its own: it is loaded with the first request. */
export { Agent } from "undici"
