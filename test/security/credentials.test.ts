import test from 'ava';
import { readBasic, readCredential } from '../../src/security/credentials.ts';
import { fc } from '../support/properties.ts';
import { outcomeOf } from './support/reasons.ts';

const peer = '192.0.2.1';

const accepted: [sent: { authorization?: string; writeKey?: string }, read: unknown][] = [
  [{}, undefined],
  [{ authorization: 'Bearer a.b.c' }, { kind: 'token', value: 'a.b.c' }],
  [{ authorization: 'bearer a.b.c' }, { kind: 'token', value: 'a.b.c' }],
  [{ authorization: 'BEARER wk_1' }, { kind: 'write_key', value: 'wk_1' }],
  [{ writeKey: 'wk_1' }, { kind: 'write_key', value: 'wk_1' }],
  [{ writeKey: 'a.b.c' }, { kind: 'write_key', value: 'a.b.c' }],
];

for (const [sent, read] of accepted) {
  test(`${JSON.stringify(sent)} is read as ${JSON.stringify(read)}`, (t) => {
    t.deepEqual(readCredential({ ...sent, peer }), read as never);
  });
}

const refused: [why: string, sent: { authorization?: string; writeKey?: string }][] = [
  ['an empty header', { authorization: '' }],
  ['a scheme without a token', { authorization: 'Bearer' }],
  ['a token without a scheme', { authorization: 'a.b.c' }],
  ['Basic', { authorization: 'Basic YTpi' }],
  ['Digest', { authorization: 'Digest username="x"' }],
  ['a token of more than 8 KiB', { authorization: `Bearer ${'a'.repeat(8193)}` }],
  ['a token together with a write key', { authorization: 'Bearer a.b.c', writeKey: 'wk_1' }],
];

for (const [why, sent] of refused) {
  test(`${why} is not a credential`, async (t) => {
    t.is(await outcomeOf(() => readCredential({ ...sent, peer })), 'UNAUTHENTICATED');
  });
}

const encode = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

const basics: [header: string | undefined, read: unknown, why: string][] = [
  [undefined, undefined, 'no header'],
  ['Bearer a.b.c', undefined, 'another scheme'],
  [encode('id:secret'), { clientId: 'id', clientSecret: 'secret' }, 'id and secret'],
  [encode('id:secret').replace('Basic', 'BASIC'), { clientId: 'id', clientSecret: 'secret' }, 'capitals'],
  [encode('id:a:b'), { clientId: 'id', clientSecret: 'a:b' }, 'a colon in the secret'],
  [encode('i+d:%3A%C3%BC'), { clientId: 'i d', clientSecret: ':ü' }, 'form-encoded parts'],
  [encode('id'), 'malformed', 'no colon'],
  [encode(':secret'), 'malformed', 'no id'],
  [encode('id:'), 'malformed', 'no secret'],
  [encode('id:%zz'), 'malformed', 'a broken escape'],
  [encode('id:%ff'), 'malformed', 'an escape that is not UTF-8'],
  [encode(`id:${'x'.repeat(257)}`), 'malformed', 'a secret of 257 characters'],
  [encode(`id:${'x'.repeat(10_000)}`), 'malformed', 'a header of more than 8 KiB'],
  ['Basic !!', 'malformed', 'what is not base64'],
  ['Basic', 'malformed', 'nothing'],
];

for (const [header, read, why] of basics) {
  test(`a Basic header with ${why} is read as ${JSON.stringify(read)}`, (t) => {
    t.deepEqual(readBasic(header), read as never);
  });
}

test('any form-encoded client ID and secret in a Basic header are read back', (t) => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
  const encodeForm = (value: string) => new URLSearchParams({ v: value }).toString().slice(2);
  fc.assert(
    fc.property(text, text, (clientId, clientSecret) => {
      const header = encode(`${encodeForm(clientId)}:${encodeForm(clientSecret)}`);
      t.deepEqual(readBasic(header), { clientId, clientSecret });
    }),
  );
});
