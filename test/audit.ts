/**
 * `npm run check:audit`: whether a published vulnerability is known of what the service runs on. It fails for that alone; a
 * registry that cannot be asked, or does not answer such questions, is told and no failure, since it says nothing about us.
 */
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

/** What npm prints, as far as it matters here. */
type Report = {
  vulnerabilities?: Record<string, { name: string; severity: string; range: string }>;
  metadata?: { vulnerabilities: { total: number } };
};

export type Verdict = { isFine: boolean; lines: string[] };

export function judgeAudit(output: string): Verdict {
  const report = parse(output);
  if (!report?.metadata)
    return { isFine: true, lines: ['The registry could not be asked; nothing is known.'] };
  const { total } = report.metadata.vulnerabilities;
  if (total === 0) return { isFine: true, lines: ['No vulnerability is known.'] };
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
