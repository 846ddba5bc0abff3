import test from 'ava';
import type { Format } from '../../../src/formats/records/formats.ts';
import { parseMapping, type RecordKind } from '../../../src/formats/records/mapping/mapping.ts';
import { openRows, toOutcomes } from '../../../src/formats/records/open-records.ts';
import { collectAll } from '../../cli/support/collect.ts';

type Options = {
  format?: Format;
  mapping?: string;
  kind?: RecordKind;
  encoding?: string;
  notes?: string[];
  guesses?: string[];
  timeZone?: string;
};

async function outcomesOf(content: string | Uint8Array, options: Options = {}, sizes?: number) {
  const { format = 'csv', mapping, kind = 'items', encoding, notes = [], guesses = [], timeZone } = options;
  async function* chunks() {
    const bytes = Buffer.from(content);
    for (let start = 0; start < bytes.length; start += sizes ?? bytes.length)
      yield bytes.subarray(start, start + (sizes ?? bytes.length));
  }
  const opened = await openRows({
    chunks: chunks(),
    format,
    kind,
    encoding,
    mapping: mapping === undefined ? undefined : parseMapping(mapping, 'm.yaml', kind),
    note: (sentence) => notes.push(sentence),
    onGuess: (guess) => guesses.push(guess),
  });
  return collectAll(toOutcomes(opened, { kind, itemType: undefined, eventIdPrefix: 'e', timeZone }, 0));
}

async function documentsOf(...given: Parameters<typeof outcomesOf>) {
  return (await outcomesOf(...given)).map((one) =>
    one.kind === 'record' ? JSON.parse(one.json) : one.kind === 'refused' ? one.faults[0].detail : 'skipped',
  );
}

const text = 'item_id;title\nc1;Größe €\nc2;"a\nb"\n';
const items = [
  { item_id: 'c1', title: 'Größe €' },
  { item_id: 'c2', title: 'a\nb' },
];
/** The euro sign is 0x80 in Windows-1252. */
const windows1252 = Buffer.from(text.replace('€', '\x80'), 'latin1');
const utf16le = Buffer.from(`\ufeff${text}`, 'utf16le');

for (const [title, bytes, encoding] of [
  ['UTF-8', Buffer.from(text)],
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
  ['Windows-1252', windows1252, 'windows-1252'],
  ['UTF-16 little-endian', utf16le, 'utf-16le'],
  ['UTF-16 without a byte order mark', utf16le.subarray(2), 'utf-16le'],
  ['UTF-16 big-endian', Buffer.from(utf16le).swap16(), 'utf-16be'],
  ['CR line ends', Buffer.from(text.replaceAll('\n', '\r'))],
  ['CR line ends in UTF-16', Buffer.from(`\ufeff${text.replaceAll('\n', '\r')}`, 'utf16le'), 'utf-16le'],
  ['CRLF line ends', Buffer.from(text.replaceAll('\n', '\r\n'))],
] as const)
  test(`a table in ${title} is read, and its encoding reported`, async (t) => {
    for (const size of [bytes.length, 7]) {
      const [notes, guesses]: [string[], string[]] = [[], []];
      t.deepEqual(await documentsOf(bytes, { notes, guesses }, size), items);
      t.deepEqual(guesses, encoding === 'windows-1252' ? [encoding] : []);
      t.deepEqual(
        notes.map((note) => /read as ([\w-]+)/.exec(note)?.[1]),
        encoding === undefined ? [] : [encoding],
      );
    }
  });

test('an encoding can be named, and one broken line leaves UTF-8 alone', async (t) => {
  const polish = Buffer.concat([Buffer.from('item_id,title\n1,'), Buffer.from([0xb3]), Buffer.from('\n')]);
  t.deepEqual(await documentsOf(polish, { encoding: 'windows-1250' }), [{ item_id: '1', title: 'ł' }]);
  const broken = Buffer.concat([
    Buffer.from('item_id,title\n1,äö\n2,'),
    Buffer.from([0xff]),
    Buffer.from('\n'),
  ]);
  t.deepEqual(await documentsOf(broken), [{ item_id: '1', title: 'äö' }, 'Is not UTF-8.']);
  await t.throwsAsync(documentsOf('a\n', { encoding: 'klingon' }), { message: /Unknown encoding "klingon"/ });
});

const one = { item_id: '1' };
const two = { item_id: '2' };
const jsons: [title: string, text: string, expected: unknown[], mapping?: string][] = [
  ['lines', '{"item_id":"1"}\n\n{"item_id":"2"}', [one, two]],
  ['an array', '[{"item_id":"1"},{"item_id":"2"}]', [one, two]],
  ['a printed array', '\ufeff[\n  {"item_id":"1"},\n  5\n]', [one, 'Is not a JSON object.']],
  ['a printed object', '{\n "item_id": "1"\n}', [one]],
  ['printed objects in sequence', '{\n "item_id": "1"\n}\n{\n "item_id": "2"\n}\n', [one, two]],
  ['an object with records', '{\n "page": 1,\n "products": [{"item_id":"1"}]\n}', [one]],
  ['an object with records in one line', '{"products":[{"item_id":"1"},{"item_id":"2"}]}', [one, two]],
  ['records at a path', '{"a":{"b":[{"id":"1"}]}}', [one], 'records: a.b\nitems: { item_id: id }'],
  [
    'elements of arrays',
    '{"v":[{"id":1,"w":[{"n":"x"},{"n":"y"}]},{"id":2}]}',
    [{ item_id: '1', title: 'x' }, { item_id: '1', title: 'y' }, { item_id: '2' }],
    'for_each: [v, v.w]\nitems: { item_id: v.id, title: v.w.n }',
  ],
  [
    'numbers that are too large',
    '{"item_id":"1","price":1e999}\n{"item_id":"2","a":[12345678901234567890]}\n{"item_id":"3","b":0.1234567890123456789}',
    [
      'The number "1e999" is too large; write it as text.',
      'The number "12345678901234567890" is too large; write it as text.',
      { item_id: '3', b: 0.123_456_789_012_345_68 },
    ],
  ],
  [
    'numbers that are too large, in an array',
    '[{"item_id":"1","price":-1e999},{"item_id":"2"}]',
    ['The number "-1e999" is too large; write it as text.', two],
  ],
  [
    'a large number that a mapping reads as text',
    '{"id":12345678901234567890,"other":1e999}',
    [{ item_id: '12345678901234567890' }],
    'items: { item_id: id }',
  ],
];

for (const [title, content, expected, mapping] of jsons)
  test(`JSON is read as ${title}`, async (t) => {
    t.deepEqual(await documentsOf(content, { format: 'ndjson', mapping }), expected);
  });

test('records of XML are objects, and damage is an error', async (t) => {
  const xml = `<?xml version="1.0" encoding="ISO-8859-1"?><shop><!-- x --><product sku="1"><name>Größe &amp; &nbsp;</name>
    <tag>a</tag><tag><![CDATA[<b>]]></tag><offer cur="EUR">5</offer></product><product sku="2"/></shop>`;
  const mapping =
    'items: { item_id: "@sku", title: name, tags: tag, price: { column: "offer.#text", as: number } }';
  const latin1 = Buffer.from(xml, 'latin1');
  const expected = [
    { item_id: '1', title: 'Größe & &nbsp;', tags: ['a', '<b>'], price: 5 },
    { item_id: '2' },
  ];
  for (const size of [latin1.length, 5])
    t.deepEqual(await documentsOf(latin1, { format: 'xml', mapping }, size), expected);
  await t.throwsAsync(documentsOf(xml.slice(0, -12), { format: 'xml', mapping }), {
    message: /^The XML is damaged/,
  });
});

test('XML without records is an error that tells how to name them', async (t) => {
  const xml = '<shop><shopitem><item_id>1</item_id></shopitem></shop>';
  await t.throwsAsync(documentsOf(xml, { format: 'xml' }), { message: /a mapping can name/ });
  const mapping = 'records: shopitem\nitems: { item_id: item_id }';
  t.deepEqual(await documentsOf(xml, { format: 'xml', mapping }), [one]);
});

test('records of XML that are too long or too deep are refused', async (t) => {
  const deep = `<item>${'<a>'.repeat(40)}${'</a>'.repeat(40)}</item>`;
  const long = `<item><a>${'x'.repeat(4_200_000)}</a></item>`;
  const read = await documentsOf(`<rss>${deep}${long}<item><item_id>1</item_id></item></rss>`, {
    format: 'xml',
  });
  t.deepEqual(
    read.map((value) => typeof value),
    ['string', 'string', 'object'],
  );
});

test('values are carried down from the row above', async (t) => {
  const content = 'id,name,type\n1,A,x\n1,,\n2,,\n,,y\n';
  const within = 'carry_down: { within: id, columns: [name] }\nitems: { item_id: id, title: name }';
  t.deepEqual(await documentsOf(content, { mapping: within }), [
    { item_id: '1', title: 'A' },
    { item_id: '1', title: 'A' },
    { item_id: '2' },
    {},
  ]);
  const all = 'carry_down: [id, type]\nitems: { item_id: id, title: type }';
  t.deepEqual((await documentsOf(content, { mapping: all })).at(-1), { item_id: '2', title: 'y' });
});

test('categories with > are paths, and a single value is a list', async (t) => {
  const mapping = 'items: { item_id: id, categories: { column: c, split: "," }, tags: t }';
  const content = 'id,c,t\n1,"A > TV/Video, B",new\n';
  t.deepEqual(await documentsOf(content, { mapping }), [
    { item_id: '1', categories: [['A', 'TV/Video'], 'B'], tags: ['new'] },
  ]);
  t.deepEqual(await documentsOf('item_id,categories\n1,A > B|C\n'), [
    { item_id: '1', categories: [['A', 'B'], 'C'] },
  ]);
});

const track = { type: 'track', messageId: 'm', anonymousId: 'a', timestamp: '2026-11-01T09:00:00.000Z' };
const hit = { event_name: 'purchase', event_timestamp: '1793527200000000', user_pseudo_id: 'u' };
const visit = {
  event_id: 'e',
  collector_tstamp: '2026-11-01 10:00:00',
  domain_userid: null,
  event_name: 'page_view',
};

/** Values that exports of events have now and then, and fields of the events. */
const oddEvents: [what: string, line: object, expected: object][] = [
  [
    'a SKU alone',
    { ...track, event: 'Product Viewed', properties: { sku: 'S' } },
    { action_item: 'S', event_id: 'm' },
  ],
  [
    'a SKU in an order',
    { ...track, event: 'Order Completed', properties: { products: [{ sku: 'S', price: '3.50' }] } },
    { action_item: 'S', event_id: 'm-S', purchased_price: 3.5 },
  ],
  [
    'no quantity',
    { ...track, event: 'Product Added', properties: { product_id: 5, quantity: 'null' } },
    { action_item: '5', amount: undefined },
  ],
  [
    'the time of the device',
    {
      ...track,
      timestamp: undefined,
      originalTimestamp: track.timestamp,
      event: 'Product Viewed',
      properties: { sku: 1 },
    },
    { timestamp: track.timestamp },
  ],
  [
    'an order that is not set',
    {
      ...hit,
      ecommerce: { transaction_id: '(not set)' },
      items: [{ item_id: 'a', price: '2.5', quantity: '2' }],
    },
    { order_id: undefined, amount: 2, purchased_price: 2.5 },
  ],
  [
    'times in UTC',
    { ...visit, network_userid: 'n' },
    { device_id: 'n', timestamp: '2026-11-01T10:00:00.000Z' },
  ],
];

for (const [what, line, expected] of oddEvents)
  test(`an exported event with ${what} is read`, async (t) => {
    const options = { kind: 'events', format: 'ndjson', timeZone: 'Europe/Berlin' } as const;
    t.like((await documentsOf(JSON.stringify(line), options))[0], expected);
  });
