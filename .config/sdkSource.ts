/** What the SDK's sources say of its calls, options and errors: a page made from them is right. */
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
  /** What its promise answers. */
  readonly answers: string
  readonly doc: string
}

export interface Group {
  /** As on the client: `instances`. */
  readonly name: string
  readonly doc: string
  readonly calls: ReadonlyArray<Call>
}

const answerOf = (type: string): string =>
  type
    .replace(/^ApiPromise<(.*)>$/, "$1")
    .replace(/^ReadonlyArray<(.*)>$/, "$1[]")
    .replace(/^AsyncGenerator<(\w+), .*>$/, "AsyncIterable<$1>")

const callOf = (method: ts.MethodDeclaration): Call => {
  const type = method.type?.getText() ?? "void"
  return {
    name: method.name.getText(),
    args: method.parameters.map((parameter) => parameter.getText()).join(", "),
    answers: answerOf(type),
    doc: docOf(method)
  }
}

/** In the order in which the client has them. */
export const groups = (): ReadonlyArray<Group> => {
  const client = parse("Vps.ts").statements.find(ts.isClassDeclaration)
  const fields = client?.members.filter(ts.isPropertyDeclaration).filter(({ type }) => type !== undefined) ?? []
  return fields.filter(({ name }) => ts.isIdentifier(name)).map(({ name, type }) => {
    const group = parse(`groups/${type?.getText()}.ts`).statements.find(ts.isClassDeclaration)
    return {
      name: name.getText(),
      doc: group === undefined ? "" : docOf(group),
      calls: group?.members.filter(ts.isMethodDeclaration).map(callOf) ?? []
    }
  })
}

export interface Option {
  readonly name: string
  readonly type: string
  readonly doc: string
}

/** The members of an interface of Options.ts. */
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

/** The classes of a file that are thrown, in its order. */
export const errorsOf = (path: "ApiErrors.ts" | "Errors.ts"): ReadonlyArray<ErrorClass> =>
  parse(`errors/${path}`).statements.filter(ts.isClassDeclaration)
    .filter((one) => one.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword) !== true)
    .map((one) => ({ name: one.name?.text ?? "", doc: docOf(one) }))
