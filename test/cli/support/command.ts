/** The command line as a process. */

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { program } from '../../support/program.ts';
import type { TestService } from '../../support/service.ts';

export type Finished = { exitCode: number | null; stdout: string; stderr: string };

/** @param environment Variables beside those of this process. */
export async function runCommand(
  commandArguments: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Finished> {
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, [program, ...commandArguments], { env });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { exitCode: await exit, stdout, stderr };
}

/** Runs a command against a service, as its administrator. */
export const runAgainst = (
  { baseUrl, grpcAddress, admin }: TestService,
  ...commandArguments: string[]
): Promise<Finished> =>
  runCommand(commandArguments, {
    PERSONALISATION_URL: baseUrl,
    PERSONALISATION_ADDRESS: grpcAddress,
    PERSONALISATION_CLIENT_ID: admin.clientId,
    PERSONALISATION_CLIENT_SECRET: admin.clientSecret,
  });
