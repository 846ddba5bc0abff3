/** Reads a deployment file; a broken one is an error that names line and field. */

import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Alias, isAlias, isNode, LineCounter, parseDocument, visit } from 'yaml';
import { DeploymentConfigSchema } from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import type { Violation } from '../errors.ts';
import { decodeJson } from '../formats/codec.ts';
import { convertDeployment } from './convert-deployment.ts';
import type { Deployment } from './deployment.ts';

/** Nobody writes a longer one; a mistaken path may lead anywhere. */
const longestFileBytes = 1_048_576;

/** Uses of an anchor, those within others multiplied: a thousand environments may share some parts. */
const mostAliases = 10_000;

/** @throws Error with one line a fault: `deployment.yaml:12: /environments/0/name: …`. */
export async function loadDeployment(path: string): Promise<Deployment> {
  const text = await readFile(path, 'utf8');
  if (text.length > longestFileBytes) throw new Error(`${path} is larger than ${longestFileBytes} bytes.`);
  return parseDeployment(text, path);
}

/** @param path Names the file in messages; relative paths in the file are relative to its directory. */
export function parseDeployment(text: string, path: string): Deployment {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const faults = [
    ...document.errors.map(({ pos, message }) => ({ at: pos[0], message })),
    ...strayAliases(document).map(({ range, source }) => ({
      at: range![0],
      message: `There is no anchor &${source} above.`,
    })),
  ];
  if (faults.length > 0) {
    const lines = faults.map(({ at, message }) => `${path}:${lineCounter.linePos(at).line}: ${message}`);
    throw new Error(lines.join('\n'));
  }
  const lineOf = (pointer: string) => lineOfPointer(document, lineCounter, pointer);
  const json = expand(document, path);
  const decoded = decodeJson(DeploymentConfigSchema, json ?? {});
  refuse(decoded.violations, path, lineOf);
  const { deployment, violations } = convertDeployment(decoded.message, dirname(resolve(path)));
  refuse(violations, path, lineOf);
  return deployment;
}

type YamlDocument = ReturnType<typeof parseDocument>;

/** Those of anchors that do not stand above them. */
function strayAliases(document: YamlDocument): Alias[] {
  const anchors = new Set<string>();
  const stray: Alias[] = [];
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) {
        if (!anchors.has(node.source)) stray.push(node);
      } else if (node.anchor) anchors.add(node.anchor);
    },
  });
  return stray;
}

/** A few lines whose anchors hold each other's aliases may stand for more than there is memory. */
function expand(document: YamlDocument, path: string): ReturnType<YamlDocument['toJS']> {
  try {
    return document.toJS({ maxAliasCount: mostAliases });
  } catch {
    throw new Error(`${path}: an anchor is used more than ${mostAliases} times, or within itself.`);
  }
}

function refuse(violations: Violation[], path: string, lineOf: (pointer: string) => number): void {
  if (violations.length === 0) return;
  const lines = violations.map(
    ({ pointer, detail }) => `${path}:${lineOf(pointer)}: ${pointer || 'the file'}: ${detail}`,
  );
  throw new Error(lines.join('\n'));
}

/** Line of the deepest node on the way to the pointer, from 1. */
function lineOfPointer(document: YamlDocument, lineCounter: LineCounter, pointer: string): number {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~')));
  for (let depth = steps.length; depth >= 0; depth--) {
    const node = document.getIn(steps.slice(0, depth), true);
    if (isNode(node) && node.range) return lineCounter.linePos(node.range[0]).line;
  }
  return 1;
}
