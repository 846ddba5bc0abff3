/** Contact details and addresses of sites in generated spellings, and ordinary queries. */
import test from 'ava';
import { contactsIn, isPersonal } from '../../../../src/ranking/search/suggestions/contact-text.ts';
import { fc } from '../../../support/properties.ts';

const personal = [
  'jane.doe@example.org',
  'call +31 20 123 4567',
  '0031201234567',
  '＋４９ １７０ １２３４５６７',
  'jane(at)doe(dot)org',
  'DE89 3704 0044 0532 0130 00',
  '4111 1111 1111 1111',
];

for (const text of personal)
  test(`${text} is personal`, (t) => {
    t.true(isPersonal(text));
    t.true(contactsIn(text).length > 0);
  });

const ordinary = [
  'dv7-1211ea',
  'iphone 15 128gb',
  'iPhone 15 128 GB',
  'polka dot dress',
  'dot to dot book',
  '3.5 mm jack',
  '195/65 R15 91H',
  '120 x 60 x 75 cm',
  'wi-fi 802.11ac',
  'usb 2.0',
  'size 38 39',
  'C++ für Anfänger',
  '1.75 l × 6',
  'l’oréal 24h',
  'at home',
  'โซฟา สีแดง',
  '赤いソファ',
];

for (const text of ordinary)
  test(`${text} is an ordinary query`, (t) => {
    t.false(isPersonal(text));
    t.deepEqual(contactsIn(text), []);
  });

test('product codes are not personal, but only the catalogue distinguishes them from telephone numbers', (t) => {
  for (const text of ['4006381333931', 'B000123456789', '0815-4711-99']) t.false(isPersonal(text));
  t.deepEqual(contactsIn('4006381333931'), ['4006381333931']);
});

const pick = <Value>(...values: Value[]) => fc.constantFrom(...values);
const unseen = pick('', '', '\u200b', '\u00ad', '\u2060', '\ufe0f', '\u034f');
const word = pick('evil', 'shop24', 'bücher', 'a-b', 'xyz');
const before = pick('', 'sofa ', 'red sofa at ', 'cheaper: ');

/** Zeros of scripts that have ten digits in a row. */
const zeros = pick('0', '０', '٠', '۰', '०', '๐', '𝟎');
const separators = pick('', ' ', '-', '.', '/', ' - ', '–', ') ', '\u00a0');

const telephone = fc
  .tuple(
    fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 7, maxLength: 12 }),
    zeros,
    separators,
    unseen,
    before,
  )
  .map(([digits, zero, separator, hidden, text]) => {
    const spelled = digits.map((digit) => String.fromCodePoint(zero.codePointAt(0)! + digit));
    return text + spelled.join(separator + hidden);
  });

const dot = pick('.', '．', '。', '․', ' . ', ' dot ', '(dot)', '[dot]', ' [.] ', '{dot}', ' DOT ', '-dot-');
const at = pick('@', '＠', '﹫', ' @ ', '(at)', '[at]', ' (AT) ', '{at}', ' at ');
const topLevel = pick('com', 'net', 'org', 'de', 'example', 'COM');
const scheme = pick('', 'http://', 'hxxps://', 'www.', 'https : //');

const link = fc
  .tuple(before, scheme, word, dot, topLevel, unseen)
  .map(([text, start, name, point, end, hidden]) => `${text}${start}${name}${hidden}${point}${hidden}${end}`);

const mail = fc.tuple(before, word, at, word, dot, topLevel).map(([text, ...parts]) => text + parts.join(''));

const spacedLink = fc
  .tuple(pick('evil', 'abc', 'shop'), pick('com', 'net', 'org'))
  .map(([name, end]) => [...`${name}.${end}`].join(' '));

const handle = fc
  .tuple(before, pick('@', '＠', '@ ', 't.me/', 'wa.me/', 'telegram: ', 'WhatsApp @', 'xn--'), word, unseen)
  .map(([text, start, name, hidden]) => text + start + hidden + name);

const kinds = { telephone, link, mail, 'spaced link': spacedLink, handle };

for (const [name, spelling] of Object.entries(kinds))
  test(`a ${name} is found in every spelling`, (t) => {
    t.notThrows(() =>
      fc.assert(
        fc.property(spelling, (text) => contactsIn(text).length > 0),
        { numRuns: 2_000 },
      ),
    );
  });

test('a mail address is personal in every spelling', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(mail, (text) => isPersonal(text)),
      { numRuns: 1_000 },
    ),
  );
});

test('words and short numbers are an ordinary query in every order', (t) => {
  const plain = pick(
    'sofa',
    'red',
    'iphone',
    '15',
    '128 gb',
    'xl',
    '2.5 l',
    '40x60',
    'size 42',
    "women's",
    'é',
  );
  const query = fc.array(plain, { minLength: 1, maxLength: 4 }).filter((words) => {
    const digits = words.join('').replace(/\D/g, '').length;
    return digits < 7;
  });
  t.notThrows(() =>
    fc.assert(
      fc.property(query, (words) => contactsIn(words.join(' ')).length === 0),
      { numRuns: 1_000 },
    ),
  );
});
