/**
 * Generates the types of the testing kit that the service defines as schemas, as plain types: programs then compile
 * without effect. Part of `npm run generate`.
 */
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { format, GENERATED } from "./generated.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
export const OPERATOR_COMMANDS = `${root}sdk/testing/OperatorCommands.ts`

/** The types besides those of the commands. */
const SOURCE = `
import type { CatalogueDocument } from "#service/contract/operator/Catalogue"
import type { CommandName, InputOf, ResultOf } from "#service/contract/operator/Commands"
import type { DeployMode, JournalKind, Treatment } from "#service/contract/Words"
import type { OperationType } from "#service/provisioning/Driver"
import type { OperationName } from "#sdk/client/calls/Endpoints"
export type Commands = { [Name in CommandName]: { input: InputOf<Name>; result: ResultOf<Name> } }
export type Types = { CatalogueDocument: CatalogueDocument; DeployMode: DeployMode; JournalKind: JournalKind;
  OperationName: OperationName; OperationType: OperationType; Treatment: Treatment }
`

const DOCS: Readonly<Record<string, string>> = {
  CatalogueDocument: "Plans, images, ISOs and data centers, as `vps-service admin catalogue import` reads them.",
  DeployMode: "The duration of deployments: none, in milliseconds, or in reads of the instance.",
  JournalKind: "The kinds of bookings.",
  OperationName: "The operations of the API, for faults.",
  OperationType: "The operations of a driver.",
  Treatment: "The VAT rules that apply to a customer."
}

/** Writes types of the checker as text, without the names that they have in the service. */
class TypePrinter {
  readonly #checker: ts.TypeChecker
  readonly #at: ts.Node

  constructor(checker: ts.TypeChecker, at: ts.Node) {
    this.#checker = checker
    this.#at = at
  }

  property(symbol: ts.Symbol): string {
    const declared = this.#checker.getTypeOfSymbolAtLocation(symbol, this.#at)
    const isOptional = (symbol.flags & ts.SymbolFlags.Optional) !== 0
    const doc = ts.displayPartsToString(symbol.getDocumentationComment(this.#checker))
    const name = /^\w+$/.test(symbol.name) ? symbol.name : JSON.stringify(symbol.name)
    return `${doc === "" ? "" : `\n/** ${doc} */\n`}readonly ${name}${isOptional ? "?" : ""}: ${this.text(declared)}\n`
  }

  text(type: ts.Type): string {
    const checker = this.#checker
    if (type.isUnion()) return this.#union(type)
    if (checker.isArrayType(type)) return `ReadonlyArray<${this.text(this.#elements(type)[0]!)}>`
    if (checker.isTupleType(type)) return `readonly [${this.#elements(type).map((one) => this.text(one)).join(", ")}]`
    if ((type.flags & ts.TypeFlags.Object) === 0) {
      return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation)
    }
    if (type.getCallSignatures().length > 0) throw new Error(`A function is not data: ${checker.typeToString(type)}`)
    const [index] = checker.getIndexInfosOfType(type)
    if (index !== undefined) {
      return `Readonly<Record<${checker.typeToString(index.keyType)}, ${this.text(index.type)}>>`
    }
    if (checker.getPropertiesOfType(type).length === 0) return "Readonly<Record<string, never>>"
    return `{ ${checker.getPropertiesOfType(type).map((one) => this.property(one)).join("; ")} }`
  }

  #elements(type: ts.Type): ReadonlyArray<ts.Type> {
    return this.#checker.getTypeArguments(type as ts.TypeReference)
  }

  /** The checker splits `boolean` into its two values. */
  #union(type: ts.UnionType): string {
    const isBoolean = (one: ts.Type) => (one.flags & ts.TypeFlags.BooleanLiteral) !== 0
    const booleans = type.types.filter(isBoolean)
    const others = type.types.filter((one) => !isBoolean(one))
    const whole = booleans.length === 2 ? ["boolean"] : booleans.map((one) => this.text(one))
    return [...others.map((one) => this.text(one)), ...whole].join(" | ")
  }
}

/** The types as the service has them now. */
export const operatorCommands = (): string => {
  // A file of the repository, whose names lead to all packages.
  const path = `${root}.config/generated-from.ts`
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, (file) => ts.sys.readFile(file))
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root)
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile, readFile } = host
  host.fileExists = (file) => file === path || fileExists(file)
  host.readFile = (file) => file === path ? SOURCE : readFile(file)
  host.getSourceFile = (file, version, ...rest) =>
    file === path ? ts.createSourceFile(file, SOURCE, version) : getSourceFile(file, version, ...rest)
  const { incremental: _, tsBuildInfoFile: __, ...others } = options
  const program = ts.createProgram([path], others, host)
  const source = program.getSourceFile(path)!
  const problems = program.getSemanticDiagnostics(source)
  if (problems.length > 0) throw new Error(ts.formatDiagnostics(problems, { ...host, getNewLine: () => "\n" }))
  const checker = program.getTypeChecker()
  const printer = new TypePrinter(checker, source)
  const typeOf = (name: string) => {
    const symbol = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!).find((one) => one.name === name)!
    return checker.getDeclaredTypeOfSymbol(symbol)
  }
  const types = checker.getPropertiesOfType(typeOf("Types")).map((symbol) => {
    const type = printer.text(checker.getTypeOfSymbolAtLocation(symbol, source))
    return `/** ${DOCS[symbol.name]} */\nexport type ${symbol.name} = ${type}\n`
  })
  return format([
    `/** The commands of operators. ${GENERATED} */\n`,
    `export interface OperatorCommands ${printer.text(typeOf("Commands"))}\n`,
    "/** The name of a command. */\nexport type CommandName = keyof OperatorCommands\n",
    "/** The input of a command. */\n",
    "export type InputOf<Name extends CommandName> = OperatorCommands[Name][\"input\"]\n",
    "/** The result of a command. */\n",
    "export type ResultOf<Name extends CommandName> = OperatorCommands[Name][\"result\"]\n",
    ...types
  ].join("\n"))
}
