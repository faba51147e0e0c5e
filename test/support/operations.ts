/** The client's operations by their names in the contract, such as `instances.reset_password`. */
import type { Operation } from "#sdk/client/chain/Request"
import { endpoints, type OperationName } from "#sdk/client/calls/Endpoints"

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const operations = Object.fromEntries(
  Object.entries(endpoints).flatMap(([group, calls]) =>
    Object.entries(calls).map(([name, operation]) => [`${group}.${snakeCase(name)}`, operation])
  )
) as unknown as Readonly<Record<OperationName, Operation>>
