/** Small faults of a program; each changes one place of a source. */

import { parseSync } from 'vite';

export type Mutant = {
  /** Offsets of the text that is replaced. */
  start: number;
  end: number;
  text: string;
  /** From 1. */
  line: number;
  /** e.g. `< → <=`. */
  change: string;
};

type Node = { type: string; start: number; end: number; [field: string]: unknown };

/** A flip of the comparison, and one of its boundary. */
const replacements: Record<string, readonly string[]> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '&&': ['||'],
  '||': ['&&'],
};

export function findMutants(path: string, source: string): Mutant[] {
  const found: Mutant[] = [];
  const lineOf = (at: number) => source.slice(0, at).split('\n').length;
  const add: Add = (start, end, text, change) =>
    void found.push({ start, end, text, change, line: lineOf(start) });
  walk(parseSync(path, source).program as unknown as Node, (node) => mutate(node, source, add));
  return found.sort((a, b) => a.start - b.start);
}

type Add = (start: number, end: number, text: string, change: string) => void;

function mutate(node: Node, source: string, add: Add): void {
  const textOf = ({ start, end }: Node) => source.slice(start, end).replace(/\s+/g, ' ').slice(0, 60);
  const { type, start, end } = node;
  if (type === 'BinaryExpression' || type === 'LogicalExpression') {
    const [left, right] = [node.left as Node, node.right as Node];
    const operator = node.operator as string;
    if (operator === '+' && [left, right].some(isText)) return;
    const at = source.indexOf(operator, left.end);
    if (at < 0 || at >= right.start) return;
    for (const other of replacements[operator] ?? [])
      add(at, at + operator.length, other, `${operator} → ${other} in ${textOf(node)}`);
  } else if (type === 'Literal' && typeof node.value === 'boolean') {
    add(start, end, String(!node.value), `${node.value} → ${!node.value}`);
  } else if (type === 'UnaryExpression' && node.operator === '!') {
    add(start, start + 1, '', `! removed of ${textOf(node)}`);
  } else if (type === 'ReturnStatement' && node.argument) {
    const { start: from, end: to } = node.argument as Node;
    add(from, to, 'undefined as never', `returns undefined instead of ${textOf(node.argument as Node)}`);
  } else if (type === 'ExpressionStatement' && isCall(node.expression as Node)) {
    add(start, end, ';', `call removed: ${textOf(node)}`);
  }
}

function isText({ type, value }: Node): boolean {
  return type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string');
}

function isCall(node: Node): boolean {
  if (node.type === 'AwaitExpression') return isCall(node.argument as Node);
  return node.type === 'CallExpression' && (node.callee as Node).type !== 'Super';
}

function walk(node: Node, visit: (node: Node) => void): void {
  /** Types do not run. */
  if (/^TS(Type|Interface|Literal|Function|Union)/.test(node.type)) return;
  visit(node);
  for (const value of Object.values(node))
    for (const child of [value].flat())
      if (child !== null && typeof child === 'object' && 'type' in child) walk(child as Node, visit);
}
