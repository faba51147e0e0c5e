/**
 * Reads the SDK's calls, options and errors from its sources, and their requests and scopes from the contract, for
 * the generated page.
 */
import ts from "typescript"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { openApiDocument } from "#contract/openapi/OpenApiDocument"
import { apiError } from "#sdk/client/errors/ApiErrors"
import { endpoints } from "#sdk/client/calls/Endpoints"
import type { Operation } from "#sdk/client/chain/Request"

const CLIENT = fileURLToPath(new URL("../sdk/client/", import.meta.url))

const parse = (path: string): ts.SourceFile =>
  ts.createSourceFile(path, readFileSync(CLIENT + path, "utf8"), ts.ScriptTarget.Latest, true, ts.ScriptKind.TS)

/** The code of the `@example` tag. */
const exampleOf = (node: ts.Node): string => {
  const tag = ts.getJSDocTags(node).find((one) => one.tagName.text === "example")
  return (ts.getTextOfJSDocComment(tag?.comment) ?? "").trim()
}

/** The text of a JSDoc comment on one line, without its tags. */
const docOf = (node: ts.Node): string => {
  const doc = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc)
  return (ts.getTextOfJSDocComment(doc?.comment) ?? "").replaceAll(/\s+/g, " ").trim()
}

export interface Call {
  readonly name: string
  /** `id: number, body: Resize, options?: CallOptions` */
  readonly args: string
  /** The type of its data. */
  readonly returns: string
  /** The declared type of what a method returns; undefined for an `ApiPromise`. */
  readonly declared: string | undefined
  /** `<Item, Data>` */
  readonly generics: string
  readonly doc: string
  readonly example: string
  /** True if it polls. */
  readonly isWait: boolean
  /** Its JSDoc comment as it is in the source. */
  readonly comment: string
}

export interface Group {
  /** Its name on the client: `instances`. */
  readonly name: string
  /** The name of its interface: `Instances`. */
  readonly type: string
  readonly doc: string
  readonly calls: ReadonlyArray<Call>
}

const returnsOf = (type: ts.TypeNode | undefined): string =>
  (type?.getText() ?? "void")
    .replace(/^(?:Wait)?Call<(.*)>$|^Promise<(.*)>$/, "$1$2")
    .replace(/^Array<(.*)>$/, "$1[]")
    .replace(/^AsyncGenerator<(\w+), .*>$/, "AsyncIterable<$1>")

/** A default value makes an argument optional. */
const argOf = ({ initializer, name, questionToken, type }: ts.ParameterDeclaration): string => {
  const isOptional = initializer !== undefined || questionToken !== undefined
  return `${name.getText()}${isOptional ? "?" : ""}: ${type?.getText().replaceAll(/\s+/g, " ")}`
}

const callOf = (node: ts.Node, name: string, signature: ts.SignatureDeclaration): Call => ({
  name,
  args: signature.parameters.map(argOf).join(", "),
  returns: returnsOf(signature.type),
  declared: ts.isMethodDeclaration(signature) ? signature.type?.getText() : undefined,
  generics: signature.typeParameters === undefined
    ? ""
    : `<${signature.typeParameters.map((one) => one.getText()).join(", ")}>`,
  doc: docOf(node),
  example: exampleOf(node),
  isWait: signature.type?.getText().startsWith("WaitCall") === true,
  comment: ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc)?.getText() ?? ""
})

/** The documented calls in a file or a constant: endpoints, waits, and methods, by their signatures. */
const callsIn = (source: ts.Node): ReadonlyArray<Call> => {
  const calls: Array<Call> = []
  const visit = (node: ts.Node): void => {
    if (ts.isMethodDeclaration(node)) calls.push(callOf(node, node.name.getText(), node))
    if (ts.isPropertyAssignment(node) && docOf(node) !== "") {
      const { initializer } = node
      const [type] = ts.isCallExpression(initializer) ? initializer.typeArguments ?? [] : []
      const signature = ts.isArrowFunction(initializer) ? initializer : type
      if (signature !== undefined && (ts.isArrowFunction(signature) || ts.isFunctionTypeNode(signature))) {
        return void calls.push(callOf(node, node.name.getText(), signature))
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return calls
}

/** The constant or the class of a name in a file. */
const declarationIn = (path: string, name: string): ts.Node => {
  const declared = parse(path).statements
    .flatMap((one): ReadonlyArray<ts.VariableDeclaration | ts.ClassDeclaration> => {
      if (ts.isVariableStatement(one)) return one.declarationList.declarations
      return ts.isClassDeclaration(one) ? [one] : []
    })
    .find((one) => one.name?.getText() === name)
  if (declared === undefined) throw new Error(`sdk/client/${path} declares no ${name}`)
  return declared
}

const endpointsOf = (group: string): ts.Node => declarationIn("calls/Endpoints.ts", group)
const combined = (name: string): ts.Node => declarationIn("calls/Combined.ts", name)

/** The places of the calls of a group that has more than the endpoints of its name. */
const SOURCES: Readonly<Record<string, () => ReadonlyArray<ts.Node>>> = {
  Account: () => [endpointsOf("account"), combined("accountBalance")],
  Bulk: () => [declarationIn("promise/Promised.ts", "BulkCalls")],
  Instances: () => [parse("calls/Instances.ts"), combined("instanceWaits"), combined("recordWaits")],
  Rescue: () => [endpointsOf("rescue"), combined("rescueWaits")],
  Tasks: () => [declarationIn("promise/Promised.ts", "TaskPages")]
}

/** The groups, in the order of the client. */
export const groups = (): ReadonlyArray<Group> => {
  const client = parse("Vps.ts").statements.find(ts.isClassDeclaration)
  const fields = client?.members.filter(ts.isPropertyDeclaration).filter(({ name }) => ts.isIdentifier(name)) ?? []
  return fields.map((field) => {
    const type = field.type?.getText() ?? ""
    const sources = SOURCES[type]?.() ?? [endpointsOf(type.toLowerCase())]
    return { name: field.name.getText(), type, doc: docOf(field), calls: sources.flatMap(callsIn) }
  })
}

export interface Option {
  readonly name: string
  readonly type: string
  readonly doc: string
}

/** A type as the pages show it. The documentation of an open set lists its known words. */
const shown = (type: string): string =>
  type.replace(/^.* \| OtherWord$/s, "string").replace("CallSignal", "AbortSignal")
    .replace(/ \| undefined$/, "").replace(/^\((.*)\)$/, "$1")

const memberOf = (member: ts.PropertySignature): Option => ({
  name: `${member.name.getText()}${member.questionToken === undefined ? "" : "?"}`,
  type: shown(member.type?.getText() ?? "unknown"),
  doc: docOf(member)
})

export interface TypeText {
  readonly name: string
  readonly doc: string
  readonly fields: ReadonlyArray<Option>
  /** The definition of a type that is not an interface. */
  readonly alias: string | undefined
}

/** Reads the types that a file exports, in its order. */
export const typesIn = (path: string): ReadonlyArray<TypeText> =>
  parse(path).statements.flatMap((one): ReadonlyArray<TypeText> => {
    if (ts.isInterfaceDeclaration(one)) {
      const fields = one.members.filter(ts.isPropertySignature).map(memberOf)
      return [{ name: one.name.text, doc: docOf(one), fields, alias: undefined }]
    }
    if (!ts.isTypeAliasDeclaration(one)) return []
    return [{ name: one.name.text, doc: docOf(one), fields: [], alias: one.type.getText().replaceAll(/\s+/g, " ") }]
  })

/** Reads the members of an interface in Options.ts. */
export const optionsOf = (name: string): ReadonlyArray<Option> => {
  const found = typesIn("options/Options.ts").find((one) => one.name === name)
  if (found === undefined) throw new Error(`Options.ts has no interface ${name}`)
  return found.fields.map((field) => ({ ...field, name: field.name.replace("?", "") }))
}

export interface ErrorClass {
  readonly name: string
  readonly doc: string
}

/** Reads the error classes of a file, in its order. */
export const errorsOf = (path: "ApiErrors.ts" | "Errors.ts"): ReadonlyArray<ErrorClass> =>
  parse(`errors/${path}`).statements.filter(ts.isClassDeclaration)
    .filter((one) => one.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword) !== true)
    .map((one) => ({ name: one.name?.text ?? "", doc: docOf(one) }))

interface Described {
  readonly operationId: string
  readonly responses: object
  readonly "x-required-scope": string | null
}

interface Endpoint {
  readonly scope: string | null
  readonly statuses: ReadonlyArray<number>
}

/** The endpoints of the contract, by operation ID. */
const contract: ReadonlyMap<string, Endpoint> = new Map(
  Object.values(openApiDocument().paths).flatMap((item) => Object.values(item as Record<string, Described>)).map((
    operation
  ) => [
    operation.operationId,
    {
      scope: operation["x-required-scope"],
      statuses: Object.keys(operation.responses).map(Number).filter((status) => status >= 400)
    }
  ])
)

/** The statuses that every call can return: 403 belongs to the scope, and 500 is always a bug. */
const COMMON = [401, 403, 422, 429, 500, 503]
/** And those of no call: the SDK uses the right methods, and sends bodies as they are. */
const OF_NO_CALL = [...COMMON, 405, 415]

/** Statuses of a create that a dry run cannot fail with: it charges nothing, and claims no key. */
const OF_PURCHASES = [402, 409, 504]

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const wire = ({ fixedQuery = {}, method, path }: Operation): string => {
  const query = Object.entries(fixedQuery).map(([name, value]) => `${name}=${value}`).join("&")
  return `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}${query === "" ? "" : `?${query}`}`
}

interface Composed {
  readonly requests: string
  readonly scope: string | null
  /** The calls whose errors it has. */
  readonly calls: ReadonlyArray<string>
}

const composed = (requests: string, scope: string | null, ...calls: ReadonlyArray<string>): Composed => ({
  requests,
  scope,
  calls
})

const REBOOT = ["rescue.enter", "power.restart", "monitoring.status"] as const

/** The calls that are not an endpoint. */
const COMPOSED: Readonly<Record<string, Composed>> = {
  "account.balance": composed("`services.list`, then `instances.dryRun`", "vps:create", "instances.dryRun"),
  "bulk.each": composed("the requests of the function", null),
  "bulk.createAndWait": composed("`instances.createAndWait` for each name", "vps:create"),
  "instances.createAndWait": composed(
    "`create`, then polls like `waitUntilDeployed`",
    "vps:create",
    "instances.create"
  ),
  "instances.waitUntilDeployed": composed("`get`, or `list` for many waits", "vps:read", "instances.get"),
  "instances.waitUntil": composed("`get`, or `list` for many waits", "vps:read", "instances.get"),
  "instances.waitUntilIdle": composed(
    "`monitoring.status`, and `list` for many waits",
    "vps:read",
    "monitoring.status"
  ),
  "tasks.iterate": composed("`monitoring.tasks` for each page", "vps:read", "monitoring.tasks"),
  "rescue.enterAndWait": composed("`enter`, `power.restart` if needed, then polls", "vps:write", ...REBOOT),
  "rescue.exitAndWait": composed("`exit`, `power.restart` if needed, then polls", "vps:write", ...REBOOT)
}

const operations = endpoints as unknown as Readonly<Record<string, Readonly<Record<string, Operation>>>>

const operationOf = (name: string): Operation | undefined => {
  const [group = "", call = ""] = name.split(".")
  return operations[group]?.[call]
}

const composedOf = (name: string): Composed => {
  const found = COMPOSED[name]
  if (found === undefined) throw new Error(`${name} is not an endpoint. Add the requests it sends to COMPOSED.`)
  return found
}

const endpointOf = (name: string): Endpoint => {
  const id = name === "instances.dryRun" ? "instances.create" : snake(name)
  const found = contract.get(id)
  if (found === undefined) throw new Error(`The contract has no endpoint ${id}`)
  return found
}

/** The statuses that not every call can return. */
const statusesOf = (name: string): ReadonlyArray<number> => {
  if (operationOf(name) === undefined) return [...new Set(composedOf(name).calls.flatMap(statusesOf))]
  const excluded = name === "instances.dryRun" ? [...OF_NO_CALL, ...OF_PURCHASES] : OF_NO_CALL
  return endpointOf(name).statuses.filter((status) => !excluded.includes(status))
}

const errorOf = (status: number): string => {
  const { name } = apiError({
    status,
    detail: "",
    retryAfter: undefined,
    headers: {},
    missingScope: undefined,
    issues: []
  })
  return `\`${name}\` (${status})`
}

/** The errors of every call. */
export const commonErrors = (): string => COMMON.map(errorOf).join(", ")

const WAIT_ERRORS = ["`WaitTimeoutError`", "`ProvisioningFailedError`", "`CallbackError`"]

export interface Facts {
  readonly request: string
  readonly scope: string | null
  /** The retry class of an endpoint. */
  readonly retry: string | undefined
  /** The errors that not every call has. */
  readonly errors: ReadonlyArray<string>
}

export const factsOf = (group: Group, call: Call): Facts => {
  const name = `${group.name}.${call.name}`
  const operation = operationOf(name)
  const errors = [
    ...statusesOf(name).toSorted((a, b) => a - b).map(errorOf),
    ...(call.isWait ? WAIT_ERRORS : [])
  ]
  if (operation === undefined) {
    const { requests, scope } = composedOf(name)
    return { request: requests, scope, retry: undefined, errors }
  }
  return { request: `\`${wire(operation)}\``, scope: endpointOf(name).scope, retry: operation.retry, errors }
}
