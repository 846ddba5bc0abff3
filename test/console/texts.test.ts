/** The catalogues of the console's texts, and that the console has no text besides them. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

const root = join(import.meta.dirname, '../../src/console');
const german: Record<string, string> = JSON.parse(readFileSync(join(root, 'texts/de.json'), 'utf8'));
/** Files with names of models and metrics, which are texts of the console, too. */
const named = ['../ranking/models/registry.ts', '../handlers/metrics/performance/definitions.ts'];
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, code: readFileSync(join(root, path), 'utf8') }));

const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

test('each German text is complete and has the placeholders of its English text', (t) => {
  for (const [english, text] of Object.entries(german)) {
    t.regex(text, /\S/, english);
    t.deepEqual(placeholders(text), placeholders(english), english);
  }
});

test('each text of the catalogue is used', (t) => {
  const sources = [...files.map(({ path }) => path), ...named].map((path) => readFileSync(join(root, path)));
  const code = sources.join('\n').replaceAll("\\'", "'");
  const isUsed = (text: string) => code.includes(`'${text}'`) || code.includes(`"${text}"`);
  const unused = Object.keys(german).filter((text) => !isUsed(text) && !isUsed(text.replace(/s$/, '')));
  t.deepEqual(unused, []);
});

/** Texts in attributes and between tags. */
const untranslated = [
  /\s(?:label|title|aria-label|description|lead|placeholder|hint|confirm|submit|message)="([^"]*\p{L}{2}[^"]*)"/gu,
  /^\s*([A-Z][a-z]+(?: [^<>{}=;()]+)?)$/gmu,
  />([^<>{}=;()/]*\p{L}{2}[^<>{}=;()]*)<\//gu,
];
/** Examples and names, which are the same in every language. */
const exempt = /^(?:https:|configurations\/|\/sofas|personalisation )/;

for (const { path, code } of files.filter((file) => file.path.endsWith('.tsx')))
  test(`${path} has no text besides the catalogues`, (t) => {
    const jsx = code.replaceAll(/\/\*\*[\s\S]*?\*\/|\/\/.*$|^import [\s\S]*?;$/gm, '');
    const found = untranslated.flatMap((pattern) => Array.from(jsx.matchAll(pattern), ([, text]) => text));
    t.deepEqual(
      found.filter((text) => !exempt.test(text)),
      [],
    );
  });
