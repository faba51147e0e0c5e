/** The prose in a source file: its comments, and the string literals that read as sentences. */
import ts from "typescript"
import { nodesOf, type Source } from "./Source.ts"

export interface Text {
  /** Comments that follow each other line by line are one text. A title names a test, a group, or a row of a table. */
  readonly kind: "comment" | "string" | "title"
  /** Without comment marks, on one line. */
  readonly text: string
  /** Counted from 1. */
  readonly line: number
}

const QUERY =
  /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|DROP|PRAGMA|BEGIN|LISTEN|SET|AND|OR|WHERE|ORDER|FROM)\b/

const isLiteral = (node: ts.Node): node is ts.LiteralLikeNode =>
  ts.isStringLiteralLike(node) || ts.isJsxText(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) ||
  ts.isTemplateTail(node)

/** The text of a literal, with a 0 for each expression in a template; undefined for other nodes. */
const literal = (node: ts.Node): string | undefined => {
  if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join("0")
}

/** Two spaces make a sentence; SQL is not prose. */
const isSentence = (text: string): boolean => text.split(" ").length > 2 && !QUERY.test(text)

const isSpecifier = ({ parent }: ts.Node): boolean => ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)

/** `it`, of `it.effect.each(rows)(title, ...)`. */
const calleeOf = (node: ts.Expression): ts.Expression =>
  ts.isCallExpression(node) || ts.isPropertyAccessExpression(node) ? calleeOf(node.expression) : node

const TITLED = new Set(["it", "test", "describe", "layer"])

const isTitle = (node: ts.Node, words: string): boolean => {
  const { parent } = node
  if (ts.isPropertyAssignment(parent)) return parent.name === node && isSentence(words)
  if (!ts.isCallExpression(parent) || parent.arguments[0] !== node) return false
  const callee = calleeOf(parent.expression)
  return ts.isIdentifier(callee) && TITLED.has(callee.text)
}

const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/g
const MARKS = /^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/)|\*\/$/gm
/** Instructions to tools are not prose. */
const DIRECTIVE = /^(?:oxlint-|dprint-|@ts-|@effect-|#__|eslint-|v8 |stryker |Stryker )/

export const texts = (source: Source): ReadonlyArray<Text> => {
  const { ast, text } = source
  const line = (position: number) => ast.getLineAndCharacterOfPosition(position).line + 1
  const found: Array<Text> = []
  const code: Array<string> = text.split("")
  for (const node of nodesOf(source)) {
    const words = literal(node)
    const isBlanked = isLiteral(node) || ts.isRegularExpressionLiteral(node)
    if (words === undefined && !isBlanked) continue
    const start = node.getStart(ast)
    if (words !== undefined && (isSentence(words) || isTitle(node, words)) && !isSpecifier(node)) {
      const kind = isTitle(node, words) ? "title" : "string"
      found.push({ kind, text: words.replaceAll(/\s+/g, " "), line: line(start) })
    }
    if (!isBlanked) continue
    // A comment mark in a literal begins no comment.
    for (let at = start; at < node.end; at++) if (code[at] !== "\n") code[at] = "_"
  }
  for (const { 0: comment, index } of code.join("").matchAll(COMMENT)) {
    const prose = comment.replaceAll(MARKS, " ").replaceAll(/\s+/g, " ").trim()
    if (prose !== "" && !DIRECTIVE.test(prose)) found.push({ kind: "comment", text: prose, line: line(index) })
  }
  return found
}
