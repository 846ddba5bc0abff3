/** The commands of webhooks and the printed result of interleaved experiments. */

import { create } from '@bufbuild/protobuf';
import test from 'ava';
import { InterleavingPreferenceSchema } from '../../gen/es/personalisation/v1/experiment_pb.js';
import { describePreference } from '../../src/cli/experiments.ts';
import { startTestService } from '../support/service.ts';
import { runAgainst } from './support/command.ts';

test('an update of a webhook changes what is given only', async (t) => {
  const service = await startTestService(t);
  const run = (...words: string[]) => runAgainst(service, 'webhooks', ...words, '--environment', 'shop');
  const created = await run('create', 'https://shop.example/hooks', '--kinds', 'batch.ready');
  const id = /^webhook +(\S+)/.exec(created.stdout)![1];
  t.is((await run('update', id, '--state', 'disabled')).stdout, `${id} is updated.\n`);
  t.regex((await run('list')).stdout, /disabled +https:\/\/shop\.example\/hooks +batch\.ready/);
  await run('update', id, '--receiver', 'https://shop.example/new', '--kinds', 'all');
  t.regex((await run('list')).stdout, /disabled +https:\/\/shop\.example\/new +all/);
  await run('update', id, '--state', 'active');
  t.regex((await run('list')).stdout, /active +https:\/\/shop\.example\/new +all/);
});

test('the result of an interleaved experiment is the preference by clicks', (t) => {
  const counts = { controlDeviceCount: 3n, variantDeviceCount: 40n, tiedDeviceCount: 5n };
  const decided = create(InterleavingPreferenceSchema, { ...counts, pValue: 0.001, preferred: 'three' });
  const text = describePreference(decided);
  t.regex(text, /other variant +40/);
  t.true(text.endsWith('three is preferred (p = 0.001).\n'));
  const open = create(InterleavingPreferenceSchema, { ...counts, pValue: 0.4 });
  t.true(describePreference(open).endsWith('Not conclusive yet (p = 0.4).\n'));
});
