/** The documents and their examples. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fenced block. */
export type Example = { document: string; line: number; language: string; text: string };

export const root = new URL('../../../', import.meta.url).pathname;

const folders = ['', 'docs', 'docs/guides', 'docs/quick-starts', 'clients', ...packages()];

export const documents: readonly string[] = folders.flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md')
    .map((name) => join(folder, name)),
);

function packages(): string[] {
  const entries = readdirSync(join(root, 'clients'), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join('clients', name));
}

export function readDocument(document: string): string {
  return readFileSync(join(root, document), 'utf8');
}

const fence = /^```(?<language>\w*)\n(?<text>.*?)\n```$/gms;

export function examplesOf(document: string): Example[] {
  const content = readDocument(document);
  return Array.from(content.matchAll(fence), ({ groups, index }) => {
    const { language, text } = groups!;
    return { document, line: content.slice(0, index).split('\n').length, language, text };
  });
}

/** Text between backticks in a sentence, on any number of lines. */
export function phrasesOf(document: string): string[] {
  const prose = readDocument(document).replaceAll(fence, '');
  return Array.from(prose.matchAll(/`([^`]+)`/g), ([, phrase]) => phrase.replaceAll(/\s+/g, ' '));
}
