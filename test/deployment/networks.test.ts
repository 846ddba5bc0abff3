import test from 'ava';
import { parseNetwork } from '../../src/deployment/networks.ts';

test('networks are addresses with or without a length', (t) => {
  t.deepEqual(parseNetwork('10.0.0.0/8'), { address: '10.0.0.0', bits: 8, family: 'ipv4' });
  t.deepEqual(parseNetwork('::1'), { address: '::1', bits: 128, family: 'ipv6' });
  for (const text of ['', '10.0.0.0/33', '::/129', '10.0.0/8', 'localhost', '10.0.0.0/', '10.0.0.0/-1'])
    t.is(parseNetwork(text), undefined, text);
});
