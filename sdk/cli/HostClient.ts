/** The client of the command, which works with any host: what the specification does not show is a view. */
import { type Client, makeClient } from "../client/Client.ts"
import { anyHost } from "../client/AnyHost.ts"
import type { ClientOptions } from "../client/options/Options.ts"

type HostGroups = ReturnType<typeof anyHost<Client>>

export type HostClient = Omit<Client, keyof HostGroups> & HostGroups

export const makeHostClient = (options: ClientOptions): HostClient => {
  const client = makeClient(options)
  return { ...client, ...anyHost(client) }
}
