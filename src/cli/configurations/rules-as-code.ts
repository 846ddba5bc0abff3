/** `configurations pull|diff|apply DIR`: a folder of files and the service made equal, one way or the other. */

import type { ConfigurationWarning } from '../../../gen/grpc/personalisation/v1/configuration_service.ts';
import { withConnected } from '../connection/connect.ts';
import { type HttpOptions, openHttp } from '../connection/http.ts';
import type { ConnectionOptions } from '../connection/options.ts';
import { exitCodes } from '../connection/outcome.ts';
import { readFolder, writeFolder } from './documents.ts';
import { describeStep, planSteps, type Step } from './plan.ts';
import { carryOut, lint, readStored } from './service.ts';

export type DiffOptions = HttpOptions & { delete?: boolean };

export type ApplyOptions = DiffOptions & ConnectionOptions & { dryRun?: boolean; comment?: string };

const print = (text: string) => process.stdout.write(`${text}\n`);

export async function pull(folder: string, options: HttpOptions): Promise<number> {
  const stored = await readStored(await openHttp(options));
  const documents = new Map(Array.from(stored, ([id, { document }]) => [id, document]));
  for (const name of await writeFolder(folder, documents)) print(`${name} is written.`);
  for (const id of (await readFolder(folder)).keys())
    if (!stored.has(id)) print(`${id} is only in the folder.`);
  return exitCodes.success;
}

/** Ends with `differences` when there are some. */
export async function diff(folder: string, options: DiffOptions): Promise<number> {
  const steps = await plan(folder, options);
  for (const step of steps) print(describeStep(step));
  return steps.length > 0 ? exitCodes.differences : exitCodes.success;
}

async function plan(folder: string, options: DiffOptions): Promise<Step[]> {
  const wanted = await readFolder(folder);
  const stored = await readStored(await openHttp(options));
  return planSteps(wanted, stored, options.delete ?? false);
}

/** Everything is checked before the first write; a write that finds another version than was compared with ends it. */
export async function apply(folder: string, options: ApplyOptions): Promise<number> {
  const steps = await plan(folder, options);
  for (const step of steps) print(describeStep(step));
  if (steps.length === 0) return exitCodes.success;
  for (const warning of await lintAll(steps, options)) print(warning);
  if (options.dryRun) return exitCodes.differences;
  const http = await openHttp(options);
  for (const step of steps) {
    await carryOut(http, step, options.comment);
    print(`${step.id} is ${step.kind === 'delete' ? 'deleted' : 'stored'}.`);
  }
  return exitCodes.success;
}

/** Of the documents to be written, each with the id it is about. */
function lintAll(steps: readonly Step[], options: ApplyOptions): Promise<string[]> {
  return withConnected(options, async (connection) => {
    const found: string[] = [];
    for (const step of steps) {
      if (step.kind === 'delete') continue;
      const warnings = await lint(connection, step.document);
      found.push(...warnings.map((warning) => describeWarning(step.id, warning)));
    }
    return found;
  });
}

export function describeWarning(id: string, { pointer, kind, detail }: ConfigurationWarning): string {
  return `${id} ${pointer}: ${kind}: ${detail}`;
}
