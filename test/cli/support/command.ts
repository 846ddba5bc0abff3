/** The command line as a process. */

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { program } from '../../support/program.ts';
import type { TestService } from '../../support/service.ts';

export type Finished = { exitCode: number | null; stdout: string; stderr: string };

/** Runs a command against a service, as its administrator. */
export async function runAgainst(
  { baseUrl, grpcAddress, admin }: TestService,
  ...commandArguments: string[]
): Promise<Finished> {
  const child = spawn(process.execPath, [program, ...commandArguments], {
    env: {
      ...process.env,
      PERSONALISATION_URL: baseUrl,
      PERSONALISATION_ADDRESS: grpcAddress,
      PERSONALISATION_CLIENT_ID: admin.clientId,
      PERSONALISATION_CLIENT_SECRET: admin.clientSecret,
    },
  });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { exitCode: await exit, stdout, stderr };
}
