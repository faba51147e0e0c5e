/** Reads the SDK's calls, options and errors from its sources, for the generated page. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import ts from "typescript"

const CLIENT = fileURLToPath(new URL("../sdk/client/", import.meta.url))

const parse = (path: string): ts.SourceFile =>
  ts.createSourceFile(path, readFileSync(CLIENT + path, "utf8"), ts.ScriptTarget.Latest, true, ts.ScriptKind.TS)

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
  readonly isIterator: boolean
  readonly doc: string
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
    .replace(/^WaitCall<(.*)>$/, "$1")
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
  isIterator: signature.type?.getText().startsWith("AsyncGenerator") === true,
  doc: docOf(node),
  comment: ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc)?.getText() ?? ""
})

/** The documented calls of a file: endpoints by the type of their signature, waits and methods by their declaration. */
const callsIn = (file: ts.SourceFile): ReadonlyArray<Call> => {
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
  visit(file)
  return calls
}

const SOURCES: Readonly<Record<string, ReadonlyArray<string>>> = {
  Instances: ["calls/Instances.ts", "calls/InstanceWaits.ts"],
  Rescue: ["calls/Rescue.ts", "calls/RescueWaits.ts"],
  Tasks: ["promise/Tasks.ts"]
}

/** The groups, in the order of the client. */
export const groups = (): ReadonlyArray<Group> => {
  const client = parse("Vps.ts").statements.find(ts.isClassDeclaration)
  const fields = client?.members.filter(ts.isPropertyDeclaration).filter(({ name }) => ts.isIdentifier(name)) ?? []
  return fields.map((field) => {
    const type = field.type?.getText() ?? ""
    const sources = SOURCES[type] ?? [`calls/${type}.ts`]
    return { name: field.name.getText(), type, doc: docOf(field), calls: sources.map(parse).flatMap(callsIn) }
  })
}

export interface Option {
  readonly name: string
  readonly type: string
  readonly doc: string
}

/** Reads the members of an interface in Options.ts. */
export const optionsOf = (name: string): ReadonlyArray<Option> => {
  const found = parse("options/Options.ts").statements.filter(ts.isInterfaceDeclaration).find((one) =>
    one.name.text === name
  )
  if (found === undefined) throw new Error(`Options.ts has no interface ${name}`)
  return found.members.filter(ts.isPropertySignature).map((member) => ({
    name: member.name.getText(),
    type: (member.type?.getText() ?? "unknown").replace(/ \| undefined$/, "").replace(/^\((.*)\)$/, "$1"),
    doc: docOf(member)
  }))
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
