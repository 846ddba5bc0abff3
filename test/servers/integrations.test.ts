import test from 'ava';
import { loadIntegration } from '../../src/servers/integrations.ts';

test('packages that are not installed are named with the command that fetches them', async (t) => {
  const absent = '@personalisation/absent';
  const error = await t.throwsAsync(loadIntegration('Kafka', () => import(absent)));
  t.is(error.message, 'Kafka needs packages that are not installed. Run: npm run install:integrations');
});

test('another failure of a package is thrown as it is', async (t) => {
  const failure = new Error('broken');
  t.is(await t.throwsAsync(loadIntegration('Kafka', () => Promise.reject(failure))), failure);
});
