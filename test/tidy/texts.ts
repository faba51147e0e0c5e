/** The prose in a source file: its comments, and the string literals that read as sentences. */
import ts from "typescript"
import { type Source, walk } from "./Source.ts"

export interface Text {
  /** Comments that follow each other line by line are one text. */
  readonly kind: "comment" | "string"
  /** Without comment marks, on one line. */
  readonly text: string
  /** Counted from 1. */
  readonly line: number
}

const QUERY =
  /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|DROP|PRAGMA|BEGIN|LISTEN|SET|AND|OR|WHERE|ORDER|FROM)\b/

const isLiteral = (node: ts.Node): node is ts.LiteralLikeNode =>
  ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node)

/** The text of a literal, with a 0 for each expression in a template; undefined for other nodes. */
const literal = (node: ts.Node): string | undefined => {
  if (ts.isStringLiteralLike(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join("0")
}

/** Two spaces make a sentence; SQL is not prose. */
const isSentence = (text: string): boolean => text.split(" ").length > 2 && !QUERY.test(text)

const isSpecifier = ({ parent }: ts.Node): boolean => ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)

const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/g
const MARKS = /^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/)|\*\/$/gm
/** Instructions to tools are not prose. */
const DIRECTIVE = /^(?:oxlint-|dprint-|@ts-|@effect-|#__|eslint-|v8 |stryker |Stryker )/

export const texts = ({ ast, text }: Source): ReadonlyArray<Text> => {
  const line = (position: number) => ast.getLineAndCharacterOfPosition(position).line + 1
  const found: Array<Text> = []
  const code: Array<string> = text.split("")
  walk(ast, (node) => {
    const start = node.getStart(ast)
    const words = literal(node)
    if (words !== undefined && isSentence(words) && !isSpecifier(node)) {
      found.push({ kind: "string", text: words.replaceAll(/\s+/g, " "), line: line(start) })
    }
    if (!isLiteral(node) && !ts.isRegularExpressionLiteral(node)) return
    // A comment mark in a literal begins no comment.
    for (let at = start; at < node.end; at++) if (code[at] !== "\n") code[at] = "_"
  })
  for (const { 0: comment, index } of code.join("").matchAll(COMMENT)) {
    const prose = comment.replaceAll(MARKS, " ").replaceAll(/\s+/g, " ").trim()
    if (prose !== "" && !DIRECTIVE.test(prose)) found.push({ kind: "comment", text: prose, line: line(index) })
  }
  return found
}
