/** `configurations pull|diff|apply DIR`: compares a folder of files with the service, and makes one like the other. */

import type { Connection } from '../connection/connect.ts';
import { type Http, type HttpOptions, openHttp } from '../connection/http.ts';
import type { ConnectionOptions } from '../connection/options.ts';
import { type ExitCode, exitCodes } from '../connection/outcome.ts';
import { print } from '../output.ts';
import { readFolder, writeFolder } from './documents.ts';
import { describeStep, planSteps, type Step } from './plan.ts';
import { carryOut, lint, readStored } from './service.ts';

export type DiffOptions = HttpOptions & { delete?: boolean };

export type ApplyOptions = DiffOptions & ConnectionOptions & { dryRun?: boolean; comment?: string };

export async function pull(http: Http, folder: string, _: HttpOptions): Promise<void> {
  const stored = await readStored(http);
  const documents = new Map(Array.from(stored, ([id, { document }]) => [id, document]));
  for (const name of await writeFolder(folder, documents)) print(`${name} is written.`);
  for (const id of (await readFolder(folder)).keys())
    if (!stored.has(id)) print(`${id} is only in the folder.`);
}

/** Ends with `differences` when there are some. */
export async function diff(folder: string, options: DiffOptions): Promise<ExitCode> {
  const steps = await plan(folder, options);
  for (const step of steps) print(describeStep(step));
  return steps.length > 0 ? exitCodes.differences : exitCodes.success;
}

/** The folder is read first: its faults are found without the service. */
async function plan(folder: string, options: DiffOptions): Promise<Step[]> {
  const wanted = await readFolder(folder);
  return planSteps(wanted, await readStored(await openHttp(options)), options.delete ?? false);
}

/** Checks everything before the first write; a write that finds another version than was compared ends it. */
export async function apply(
  connection: Connection,
  folder: string,
  options: ApplyOptions,
): Promise<ExitCode> {
  const steps = await plan(folder, options);
  for (const step of steps) print(describeStep(step));
  if (steps.length === 0) return exitCodes.success;
  const warnings: string[] = [];
  for (const step of steps)
    if (step.kind !== 'delete') warnings.push(...(await lint(connection, step.id, step.document)));
  for (const warning of warnings) print(warning);
  if (options.dryRun) return exitCodes.differences;
  const http = await openHttp(options);
  for (const step of steps) {
    await carryOut(http, step, options.comment);
    print(`${step.id} is ${step.kind === 'delete' ? 'deleted' : 'stored'}.`);
  }
}
