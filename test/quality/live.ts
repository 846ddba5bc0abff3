/**
 * A living site: replays a log in the order of time through the real service, under a clock that the replay moves, and asks for the
 * list that a visitor would have got just before each sampled event.
 *
 *   npm run benchmark:live                                       a generated news site
 *   npm run benchmark:live -- --data DIR --log shop --deployment FILE [--seed 1] [--questions 300] [--train-hours 24]
 *
 * DIR holds LOG-items.ndjson and LOG-events.ndjson in the format of `personalisation import`; LOG is an environment of FILE.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseDeployment } from '../../src/deployment/load-deployment.ts';
import { generatedDeployment, generateSite } from './live/generated-site.ts';
import { readSiteLog } from './live/log.ts';
import { askLog } from './live/questions.ts';
import { replay } from './live/replay.ts';
import { report } from './live/report.ts';
import { startLiveService } from './live/service.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    log: { type: 'string', default: 'generated' },
    deployment: { type: 'string' },
    seed: { type: 'string', default: '1' },
    questions: { type: 'string', default: '300' },
    'from-share': { type: 'string', default: '0.8' },
    'train-hours': { type: 'string', default: '24' },
    articles: { type: 'string', default: '1200' },
    readers: { type: 'string', default: '300' },
    days: { type: 'string', default: '20' },
    json: { type: 'string' },
  },
});
const size = {
  articles: Number(values.articles),
  readers: Number(values.readers),
  days: Number(values.days),
  seed: Number(values.seed),
};
const log = values.data === undefined ? generateSite(size) : readSiteLog(values.data, values.log);
const declared =
  values.deployment === undefined ? generatedDeployment : readFileSync(values.deployment, 'utf8');
const deployment = parseDeployment(declared, values.deployment ?? 'generated.yaml');
const { itemTypes } = deployment.environments.get(values.log)!;
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
const service = await startLiveService(deployment, values.log);
try {
  const trainEverySeconds = Number(values['train-hours']) * 3_600;
  const answered = await replay({ log, questions, service, trainEverySeconds, say: console.log });
  console.log(report(log, answered));
  if (values.json)
    writeFileSync(
      values.json,
      JSON.stringify(answered.map((one) => ({ ...one, lists: Object.fromEntries(one.lists) }))),
    );
} finally {
  await service.stop();
}
