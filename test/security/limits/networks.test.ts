import test from 'ava';
import { networkOf } from '../../../src/security/limits/networks.ts';

const addresses: Record<string, string> = {
  '192.0.2.17': '192.0.2',
  '::ffff:192.0.2.17': '192.0.2',
  '2001:db8:7:1::9': '2001:db8:7',
  '2001:db8:7:2::9': '2001:db8:7',
  '2001:db8::1': '2001:db8:0',
  '::1': '0:0:0',
};

for (const [address, network] of Object.entries(addresses))
  test(`${address} lies in ${network}`, (t) => {
    t.is(networkOf(address), network);
  });
