/**
 * `npm run check:audit`: fails if a dependency of the service has a published vulnerability. An
 * unreachable registry, or one without audits, is reported without a failure.
 */
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

/** The used part of npm's output. */
type Report = {
  vulnerabilities?: Record<string, { name: string; severity: string; range: string }>;
  metadata?: { vulnerabilities: { total: number } };
};

export type Verdict = { isFine: boolean; lines: string[] };

export function judgeAudit(output: string): Verdict {
  const report = parse(output);
  if (!report?.metadata)
    return { isFine: true, lines: ['The registry could not be reached; the audit is skipped.'] };
  const { total } = report.metadata.vulnerabilities;
  if (total === 0) return { isFine: true, lines: ['No known vulnerabilities.'] };
  const found = Object.values(report.vulnerabilities ?? {});
  return { isFine: false, lines: found.map(({ name, severity, range }) => `${severity}: ${name} ${range}`) };
}

function parse(output: string): Report | undefined {
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}

function main(): void {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8' });
  const { isFine, lines } = judgeAudit(stdout ?? '');
  for (const line of lines) console.log(line);
  process.exitCode = isFine ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) main();
