/**
 * The examples of the reference, and the first ones of the README, equal the answers of the demo.
 */

import { readFileSync } from 'node:fs';
import test from 'ava';
import { routes } from '../../gen/rest/routes.ts';
import { testedService } from '../contract/support/tested-service.ts';
import { examplesOf } from '../docs/support/documents.ts';
import { openWorkplace } from '../docs/support/workplace.ts';
import { type Examples, examplesFile, recordExamples } from './record-examples.ts';

const service = testedService('demo');
const recorded: Examples = JSON.parse(readFileSync(examplesFile, 'utf8'));

/** Progress of trainings and findings depend on the time. */
const momentary = new Set(['TrainModels', 'ListTrainings', 'GetTraining', 'GetDiagnosis']);

test('every operation of the HTTP interface has an example', (t) => {
  const names = routes.map(({ operation }) => operation.split('/')[1]);
  t.deepEqual(Object.keys(recorded).sort(), names.sort());
});

test('the examples are current: the same calls get answers of the same form', async (t) => {
  const fresh = await recordExamples(service);
  for (const [name, example] of Object.entries(recorded)) {
    const { parameters, body, status, answer } = fresh[name];
    t.is(status, example.status, name);
    t.deepEqual(formOf(body), formOf(example.body), `${name}; run npm run record:examples`);
    t.deepEqual(Object.keys(parameters), Object.keys(example.parameters), name);
    if (!momentary.has(name)) t.deepEqual(formOf(answer), formOf(example.answer), name);
  }
});

/** Runs before the others change the demo. */
test.serial("the README's visitors get different lists, and what is misspelt is found", async (t) => {
  const workplace = await openWorkplace({ service, values: {}, teardown: t.teardown });
  const ofReadme = examplesOf('README.md').map(({ text }) => text);
  const print = (beginning: string) => workplace.type(ofReadme.find((text) => text.startsWith(beginning))!);
  const printed = await print('for visitor in anna chloe');
  const [anna, chloe] = printed.split('\n').map((line) => JSON.parse(line || '{}').lists?.[0].items);
  t.is(anna.length, 5);
  t.notDeepEqual(anna, chloe);
  const found = JSON.parse(await print('curl -s http://localhost:8080/api/demo/searches'));
  t.regex(found.lists[0].items[0].title ?? found.lists[0].items[0].information_field, /shoe/i);
});

/** Names and types; for a list the form of its first element. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(formOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, formOf(part)]));
}
