import test from 'ava';
import { DomainError } from '../../../src/errors.ts';
import { type PageRequest, readPage } from '../../../src/handlers/messages/pages.ts';

const numbers = Array.from({ length: 7 }, (_, i) => i + 1);

const read = (request: PageRequest, chosen = 'shop') =>
  readPage<number, readonly [number]>(request, {
    list: async (limit, after) => numbers.filter((number) => number > (after?.[0] ?? 0)).slice(0, limit),
    keyOf: (number) => [number],
    kinds: ['number'],
    chosen: [chosen],
    limits: { usual: 3, most: 4 },
  });

const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('pages follow each other without gap or repetition, and the last has no token', async (t) => {
  const pages: number[][] = [];
  let pageToken: string | undefined;
  do {
    const page = await read({ pageToken });
    pages.push(page.elements);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  t.deepEqual(pages, [[1, 2, 3], [4, 5, 6], [7]]);
});

test('a full page with the last elements is the last', async (t) => {
  const { nextPageToken } = await read({ pageSize: 3, pageToken: forged([['shop'], [4]]) });
  t.is(nextPageToken, '');
  t.not((await read({ pageSize: 3, pageToken: forged([['shop'], [3]]) })).nextPageToken, '');
});

test('a page has the requested length, up to the limit', async (t) => {
  const sizeOf = async (pageSize: number) => (await read({ pageSize })).elements.length;
  t.deepEqual(await Promise.all([0, 1, 4, 5, 1_000].map(sizeOf)), [3, 1, 4, 4, 4]);
});

for (const [what, token] of [
  ['no base64', '%%%'],
  ['no token', forged('x')],
  ['without a key', forged([['shop']])],
  ['with a key of another kind', forged([['shop'], ['1']])],
  ['with a longer key', forged([['shop'], [1, 2]])],
  ['with an invalid number', forged([['shop'], [1e300]])],
])
  test(`a page token ${what} is refused`, async (t) => {
    const error = await t.throwsAsync<DomainError>(read({ pageToken: token }), { instanceOf: DomainError });
    t.is(error.reason, 'PARAMETER_INVALID');
    t.is(error.violations[0].pointer, 'query:page_token');
  });

test('a number is refused if ids are texts', async (t) => {
  const source = { keyOf: (id: string) => [id] as const, kinds: ['string'] as const, chosen: [] };
  const readIds = (pageToken: string) =>
    readPage(
      { pageToken },
      { ...source, list: async (_, after) => [...after!], limits: { usual: 3, most: 4 } },
    );
  t.deepEqual((await readIds(forged([[], ['a']]))).elements, ['a']);
  await t.throwsAsync(readIds(forged([[], [1]])), { instanceOf: DomainError });
});

test('an invalid id is refused if ids are UUIDs', async (t) => {
  const source = { keyOf: (id: string) => [id] as const, kinds: ['uuid'] as const, chosen: [] };
  const readIds = (pageToken: string) =>
    readPage(
      { pageToken },
      { ...source, list: async (_, after) => [...after!], limits: { usual: 3, most: 4 } },
    );
  const id = '0b7f4a52-9d1c-4f0e-8a36-5c2d7e9b1f04';
  t.deepEqual((await readIds(forged([[], [id]]))).elements, [id]);
  await t.throwsAsync(readIds(forged([[], ['made up']])), { instanceOf: DomainError });
});

test('a page token is valid for its own request only', async (t) => {
  const { nextPageToken } = await read({});
  await t.throwsAsync(read({ pageToken: nextPageToken }, 'news'), { instanceOf: DomainError });
  t.deepEqual((await read({ pageToken: nextPageToken, pageSize: 1 })).elements, [4]);
});
