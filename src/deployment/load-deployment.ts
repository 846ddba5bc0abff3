/** Reads a deployment file; a broken one is an error that names line and field. */

import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isNode, LineCounter, parseDocument } from 'yaml';
import { DeploymentConfigSchema } from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import type { Violation } from '../errors.ts';
import { decodeJson } from '../rest/codec.ts';
import { convertDeployment } from './convert-deployment.ts';
import type { Deployment } from './deployment.ts';

/** Nobody writes a longer one; a mistaken path may lead anywhere. */
const longestFileBytes = 1_048_576;

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
  if (document.errors.length > 0) {
    const faults = document.errors.map(
      ({ pos, message }) => `${path}:${lineCounter.linePos(pos[0]).line}: ${message}`,
    );
    throw new Error(faults.join('\n'));
  }
  const lineOf = (pointer: string) => lineOfPointer(document, lineCounter, pointer);
  const json = document.toJS({ maxAliasCount: 100 });
  const decoded = decodeJson(DeploymentConfigSchema, json ?? {});
  refuse(decoded.violations, path, lineOf);
  const { deployment, violations } = convertDeployment(decoded.message, dirname(resolve(path)));
  refuse(violations, path, lineOf);
  return deployment;
}

function refuse(violations: Violation[], path: string, lineOf: (pointer: string) => number): void {
  if (violations.length === 0) return;
  const lines = violations.map(
    ({ pointer, detail }) => `${path}:${lineOf(pointer)}: ${pointer || 'the file'}: ${detail}`,
  );
  throw new Error(lines.join('\n'));
}

/** Line of the deepest node on the way to the pointer, from 1. */
function lineOfPointer(
  document: ReturnType<typeof parseDocument>,
  lineCounter: LineCounter,
  pointer: string,
): number {
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
