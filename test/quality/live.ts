/**
 * A living site: replays a log in the order of time through the real service, under a clock that the replay moves, and asks for the
 * list that a visitor would have got just before each sampled event.
 *
 *   npm run benchmark:live                                       a generated news site
 *   npm run benchmark:live -- deskdrop|complete-journey|movielens --data DIR     a public log; DIR holds its files
 *   npm run benchmark:live -- LOG --data DIR --deployment FILE [--seed 1] [--questions 300] [--train-hours H]
 *   npm run benchmark:live -- LOG --data DIR --calibrations 0,0.5                lists calibrated to these strengths, too
 *
 * For another LOG, DIR has LOG-items.ndjson and LOG-events.ndjson in the format of `personalisation
 * import`; LOG is an environment of FILE.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseDeployment } from '../../src/deployment/load-deployment.ts';
import { generatedDeployment, generateSite } from './live/generated-site.ts';
import { readSiteLog, type SiteLog } from './live/log.ts';
import { type PublicLog, publicLogs } from './live/public-logs.ts';
import { askLog } from './live/questions.ts';
import { replay } from './live/replay.ts';
import { report } from './live/report.ts';
import { startLiveService } from './live/service.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    deployment: { type: 'string' },
    seed: { type: 'string', default: '1' },
    questions: { type: 'string', default: '300' },
    'from-share': { type: 'string', default: '0.8' },
    'train-hours': { type: 'string' },
    articles: { type: 'string', default: '1200' },
    readers: { type: 'string', default: '300' },
    days: { type: 'string', default: '20' },
    calibrations: { type: 'string' },
    json: { type: 'string' },
  },
});
const size = {
  articles: Number(values.articles),
  readers: Number(values.readers),
  days: Number(values.days),
  seed: Number(values.seed),
};
const name = positionals[0] ?? 'generated';
const known: PublicLog | undefined = Object.hasOwn(publicLogs, name) ? publicLogs[name] : undefined;
if (positionals.length > 0 && values.data === undefined) throw new Error('--data DIR is missing.');
if (positionals.length > 0 && !known && values.deployment === undefined)
  throw new Error('--deployment FILE is missing.');
const log = readLog();
const declared = values.deployment ? readFileSync(values.deployment, 'utf8') : known?.deployment;
const deployment = parseDeployment(declared ?? generatedDeployment, values.deployment ?? `${name}.yaml`);
const environment = known?.environment ?? name;
const { itemTypes } = deployment.environments.get(environment)!;
const reconsumable = new Set(
  [...itemTypes.values()].filter((type) => type.reconsumable).map(({ name }) => name),
);
const questions = askLog(log, {
  fromShare: Number(values['from-share']),
  mostPerKind: Number(values.questions),
  seed: Number(values.seed),
  reconsumable,
});
console.log(`${log.items.length} items, ${log.events.length} events, ${questions.length} questions`);
const trainEverySeconds = values['train-hours'] ? Number(values['train-hours']) * 3_600 : usualPause();
const calibrations = values.calibrations?.split(',').map(Number);
const service = await startLiveService(deployment, environment, calibrations);
try {
  const answered = await replay({
    ...{ log, questions, service, trainEverySeconds, calibrations },
    say: console.log,
  });
  console.log(report(log, answered));
  if (values.json)
    writeFileSync(
      values.json,
      JSON.stringify(answered.map((one) => ({ ...one, lists: Object.fromEntries(one.lists) }))),
    );
} finally {
  await service.stop();
}

/** Trainings are daily, or ten while questions are asked. */
function usualPause(): number {
  const [first, last] = [questions[0], questions[questions.length - 1]].map(
    ({ event }) => log.events[event].at,
  );
  return Math.max(86_400, (last - first) / 10);
}

function readLog(): SiteLog {
  if (values.data === undefined) return generateSite(size);
  return known ? known.read(values.data) : readSiteLog(values.data, name);
}
