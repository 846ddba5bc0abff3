/** A small parser of PromQL for tests: checks expressions, and returns their series and labels. */

import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

export type Selector = { name: string; labels: string[]; isCounted: boolean };

export type Expression = { isWellFormed: boolean; selectors: Selector[]; groupings: string[] };

const counting = new Set(['rate', 'increase', 'irate']);

export function readExpression(text: string): Expression {
  /** Grafana's variable for a range. */
  const query = text.replaceAll('$__rate_interval', '5m');
  const textOf = ({ from, to }: { from: number; to: number }) => query.slice(from, to);
  const selectors: Selector[] = [];
  const groupings: string[] = [];
  let isWellFormed = true;
  parser.parse(query).iterate({
    enter({ name, type, node }) {
      if (type.isError) isWellFormed = false;
      if (name === 'GroupingLabels') groupings.push(...node.getChildren('LabelName').map(textOf));
      if (name !== 'VectorSelector') return;
      const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
      selectors.push({
        name: textOf(node.getChild('Identifier')!),
        labels: matchers.map((matcher) => textOf(matcher.getChild('LabelName')!)),
        isCounted: counting.has(functionAround(node, textOf)),
      });
    },
  });
  return { isWellFormed, selectors, groupings };
}

function functionAround(node: SyntaxNode, textOf: (node: SyntaxNode) => string): string {
  for (let around = node.parent; around; around = around.parent)
    if (around.name === 'FunctionCall') return textOf(around.getChild('FunctionIdentifier')!);
  return '';
}
