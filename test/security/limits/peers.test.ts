import test from 'ava';
import { networkOf, peerKey } from '../../../src/security/limits/peers.ts';

const rows: [address: string, key: string][] = [
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:1', '0:0:0:0'],
  ['::1', '0:0:0:0'],
  ['::', '0:0:0:0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['2001:db8:1::6', '2001:db8:1:0'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8::2:3:4:5:6', '2001:db8:0:2'],
  ['1::', '1:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['', ''],
  ['unix', 'unix'],
];

for (const [address, key] of rows) {
  test(`${JSON.stringify(address)} counts as ${JSON.stringify(key)}`, (t) => {
    t.is(peerKey(address), key);
  });
}

const networks: Record<string, string> = {
  '192.0.2.17': '192.0.2',
  '::ffff:192.0.2.17': '192.0.2',
  '2001:db8:7:1::9': '2001:db8:7',
  '2001:db8:7:2::9': '2001:db8:7',
  '2001:db8::1': '2001:db8:0',
  '::1': '0:0:0',
};

for (const [address, network] of Object.entries(networks))
  test(`${address} belongs to the network ${network}`, (t) => {
    t.is(networkOf(address), network);
  });
