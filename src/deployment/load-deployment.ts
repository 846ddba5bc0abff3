/** Reads a deployment file. Errors name the line and the field. */

import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Alias, isAlias, isNode, LineCounter, parseDocument, visit } from 'yaml';
import { DeploymentConfigSchema } from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import type { Violation } from '../errors.ts';
import { decodeJson } from '../formats/codec.ts';
import { convertDeployment } from './convert-deployment.ts';
import type { Deployment } from './deployment.ts';

/** A longer file is a mistaken path. */
const longestFileBytes = 1_048_576;

/** Uses of an anchor, multiplied by those of anchors around it: a thousand environments may share parts. */
const mostAliases = 10_000;

/** @throws Error with one line for each fault: `deployment.yaml:12: /environments/0/name: …`. */
export async function loadDeployment(path: string): Promise<Deployment> {
  const text = await readFile(path, 'utf8');
  if (text.length > longestFileBytes) throw new Error(`${path} is larger than ${longestFileBytes} bytes.`);
  return parseDeployment(text, path);
}

/** @param path Names the file in errors; its directory is the base of relative paths in the file. */
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

/** Returns the aliases without an anchor above them. */
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

/** Limits aliases: a few nested ones may expand to more than the memory holds. */
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

/** Returns the line, from 1, of the deepest node on the path of the pointer. */
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
