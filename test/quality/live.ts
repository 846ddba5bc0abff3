/**
 * A living site: replays a log in the order of time through the real service, under a clock that the replay moves, and asks for the
 * list that a visitor would have got just before each sampled event.
 *
 *   npm run benchmark:live -- --data DIR --log shop [--deployment FILE] [--seed 1] [--questions 300] [--train-hours 24]
 *
 * DIR holds LOG-items.ndjson and LOG-events.ndjson in the format of `personalisation import`.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseDeployment } from '../../src/deployment/load-deployment.ts';
import { readSiteLog } from './live/log.ts';
import { askLog } from './live/questions.ts';
import { replay } from './live/replay.ts';
import { report } from './live/report.ts';
import { startLiveService } from './live/service.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    log: { type: 'string', default: 'shop' },
    deployment: { type: 'string' },
    seed: { type: 'string', default: '1' },
    questions: { type: 'string', default: '300' },
    'from-share': { type: 'string', default: '0.8' },
    'train-hours': { type: 'string', default: '24' },
    json: { type: 'string' },
  },
});
const log = readSiteLog(values.data!, values.log);
const deployment = parseDeployment(readFileSync(values.deployment!, 'utf8'), values.deployment!);
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
