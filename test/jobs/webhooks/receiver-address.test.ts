/** Addresses that webhooks may reach. */

import test from 'ava';
import { createReceiverAddresses } from '../../../src/jobs/webhooks/receiver-address.ts';

const strict = createReceiverAddresses([]);
const open = createReceiverAddresses([
  { address: '10.1.0.0', bits: 16, family: 'ipv4' },
  { address: '127.0.0.0', bits: 8, family: 'ipv4' },
  { address: '::1', bits: 128, family: 'ipv6' },
]);

const refused = [
  ...['ftp://shop.example', 'https://user:word@shop.example', 'shop.example', 'http://93.184.216.34/'],
  ...['https://127.0.0.1', 'https://0x7f.1', 'https://2130706433', 'https://10.2.0.1', 'https://192.168.1.1'],
  ...['https://169.254.169.254', 'https://100.64.0.1', 'https://0.0.0.0', 'https://[::1]', 'https://[::]'],
  ...[
    'https://[::ffff:127.0.0.1]',
    'https://[64:ff9b::a00:1]',
    'https://[fe80::1]',
    'https://[fd00:ec2::254]',
  ],
  ...['https://[2002:7f00:1::]', `https://shop.example/${'a'.repeat(2_048)}`],
];

test('literal private addresses are refused in every notation', (t) => {
  t.deepEqual(
    refused.filter((url) => strict.faultOf(url) === undefined),
    [],
  );
  for (const url of [
    'https://93.184.216.34/',
    'https://[2606:2800:220:1::1]:8443/a?b=c',
    'https://shop.example',
  ])
    t.is(strict.faultOf(url), undefined, url);
});

test('the allow list opens its networks only, also without TLS', (t) => {
  for (const url of ['http://10.1.2.3', 'https://10.1.2.3', 'http://[::1]:8080'])
    t.is(open.faultOf(url), undefined, url);
  t.truthy(open.faultOf('https://10.2.0.1'));
});

const resolve = (addresses: typeof strict, name: string) =>
  new Promise<string | undefined>((done) =>
    addresses.lookupFor('http:')(name, { all: true }, (error) => done(error?.message)),
  );

test('a name that resolves to a private address is refused on connecting', async (t) => {
  t.regex((await resolve(strict, 'localhost'))!, /^localhost is not a public address/);
  t.is(await resolve(open, 'localhost'), undefined);
});
