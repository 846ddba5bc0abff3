/** The examples of the reference are what the demo answers. */

import { readFileSync } from 'node:fs';
import test from 'ava';
import { routes } from '../../gen/rest/routes.ts';
import { startTestService } from '../support/service.ts';
import { type Examples, examplesFile, recordExamples } from './record-examples.ts';

const recorded: Examples = JSON.parse(readFileSync(examplesFile, 'utf8'));

/** How far a training is, and what there is to find, depends on the moment. */
const momentary = new Set(['TrainModels', 'ListTrainings', 'GetTraining', 'GetDiagnosis']);

test('every operation of the HTTP interface has an example', (t) => {
  const names = routes.map(({ operation }) => operation.split('/')[1]);
  t.deepEqual(Object.keys(recorded).sort(), names.sort());
});

test('the examples are current: the same calls get answers of the same form', async (t) => {
  const service = await startTestService(t, 'demo');
  const fresh = await recordExamples(service);
  for (const [name, example] of Object.entries(recorded)) {
    const { parameters, body, status, answer } = fresh[name];
    t.is(status, example.status, name);
    t.deepEqual(formOf(body), formOf(example.body), `${name}; run npm run record:examples`);
    t.deepEqual(Object.keys(parameters), Object.keys(example.parameters), name);
    if (!momentary.has(name)) t.deepEqual(formOf(answer), formOf(example.answer), name);
  }
});

/** Names and types; of a list the form of its first element. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(formOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, formOf(part)]));
}
