import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { createJsonClient } from '../../support/json-client.ts';
import { startTestService } from '../../support/service.ts';
import { runAgainst } from '../support/command.ts';

test('parity prints the least similar question first, with reasons of missing items', async (t) => {
  const service = await startTestService(t);
  const http = createJsonClient(service);
  for (const id of ['mug', 'bowl']) await http.put(`/shop/items/product/${id}`, { title: `Enamel ${id}` });
  await http.put('/configurations/plain', {});
  const file = join(service.dataDir, 'queries.jsonl');
  const questions = [
    { query: 'bowl', ids: ['bowl'] },
    { query: 'mug', ids: ['gone', 'bowl'] },
    { item_id: 'mug', ids: ['bowl'] },
  ];
  await writeFile(file, questions.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const compare = [
    'migrate',
    'parity',
    '--environment',
    'shop',
    '--queries',
    file,
    '--configuration',
    'plain',
  ];
  const { stdout, stderr, exitCode } = await runAgainst(service, ...compare, '--json');
  t.is(exitCode, 0, stderr);
  const { k, questions: count, per_question: found } = JSON.parse(stdout);
  t.deepEqual([k, count], [10, 3]);
  t.like(found[0], {
    question: 'mug',
    overlap: 0,
    rbo: 0,
    missing: { unknown: ['gone'], no_word: ['bowl'] },
  });
  t.like(
    found.find(({ question }: { question: string }) => question === 'bowl'),
    { overlap: 1, rbo: 1 },
  );
  const printed = await runAgainst(service, ...compare);
  t.regex(printed.stdout, /3 questions, mean overlap@10 0\.\d+, RBO 0\.\d+/);
});
