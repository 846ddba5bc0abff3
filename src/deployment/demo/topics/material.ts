/**
 * Reads the hand-written tables beside this file.
 *
 *     ## navigation                                       the last level of the category for what follows
 *     article: Title | minutes | tag, tag                 a fourth cell names the language, else English
 *       One or two sentences, on one or more lines.
 *     item: Title | Brand price | tag, tag
 *     video: Title | minutes | tag, tag
 *
 * A row that does not read is a mistake of ours, hence an assertion.
 */
import assert from 'node:assert/strict';

/** One subject of the demo's magazine and shop. */
export type Topic = {
  /** The first two levels of every category of the topic. */
  category: string;
  /** Who writes the articles and presents the videos. */
  authors: readonly string[];
  material: string;
};

export type Entry = {
  category: string;
  title: string;
  description: string;
  tags: string[];
  /** ISO 639-1. */
  language: string;
} & ({ itemType: 'article' | 'video'; minutes: number } | { itemType: 'item'; brand: string; price: number });

export function readTopic(topic: Topic): Entry[] {
  const entries: Entry[] = [];
  let category = topic.category;
  for (const line of topic.material.split('\n')) {
    if (line.trim() === '') continue;
    if (line.startsWith('## ')) category = `${topic.category}/${line.slice(3)}`;
    else if (line.startsWith('  ')) continueDescription(entries.at(-1), line.trim());
    else entries.push(readRow(line, category));
  }
  return entries;
}

function continueDescription(entry: Entry | undefined, text: string): void {
  assert(entry, `A description without a row: ${text}`);
  entry.description = `${entry.description} ${text}`.trimStart();
}

function readRow(row: string, category: string): Entry {
  const cells = /^(article|item|video): (.+)$/.exec(row);
  assert(cells, `Not a row: ${row}`);
  const [title, figures, tags, language = 'en'] = cells[2].split(' | ');
  assert(tags, `A row without tags: ${row}`);
  const text = { category, title, description: '', tags: tags.split(', '), language };
  if (cells[1] === 'item') return { ...text, itemType: 'item', ...readOffer(figures) };
  return { ...text, itemType: cells[1] as 'article' | 'video', minutes: readNumber(figures) };
}

function readOffer(cell: string): { brand: string; price: number } {
  const lastSpace = cell.lastIndexOf(' ');
  assert(lastSpace > 0, `Not a brand and a price: ${cell}`);
  return { brand: cell.slice(0, lastSpace), price: readNumber(cell.slice(lastSpace + 1)) };
}

function readNumber(cell: string): number {
  const value = Number(cell);
  assert(value > 0, `Not a positive number: ${cell}`);
  return value;
}
