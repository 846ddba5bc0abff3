/** Loads files of the known kinds into one data set; test events may be in a separate file. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EventWeights } from '../../ranking/models/event-weights.ts';
import type { InteractionEvent } from '../../ranking/models/interactions.ts';
import { createDatasetBuilder, type Dataset, type DatasetBuilder } from './dataset.ts';
import { type EventColumns, knownColumns, readDelimitedEvents } from './readers/delimited-events.ts';
import { readEventDocuments } from './readers/event-documents.ts';
import { readFilms } from './readers/films.ts';
import { readItemLists } from './readers/item-lists.ts';

/** `events`: documents of the service. `columns`: a table with column names from the caller. */
export const fileKinds = ['movielens', 'item-lists', 'sessions', 'events', 'columns'] as const;
export type FileKind = (typeof fileKinds)[number];

export type DatasetFiles = {
  kind: FileKind;
  path: string;
  /** Test events, which follow all others; their sessions are subjects of their own. */
  testPath?: string;
  /** Column names for the kind `columns`. */
  columns?: EventColumns;
  eventWeights?: EventWeights;
};

export type LoadedDataset = Dataset & {
  /** Start time of the test file's events. */
  testFromSeconds?: number;
};

/** Treats every rating as a view, since questions ask for the next film watched. */
const ratingWeights: EventWeights = Object.fromEntries(
  Array.from({ length: 10 }, (_, half) => (half + 1) / 2).flatMap((rating) => [
    [rating.toFixed(1), 1],
    [String(rating), 1],
  ]),
);

export async function loadDataset(files: DatasetFiles): Promise<LoadedDataset> {
  const { kind, path, testPath } = files;
  const eventWeights = files.eventWeights ?? (kind === 'movielens' ? ratingWeights : undefined);
  const builder = createDatasetBuilder(eventWeights);
  let latest = 0;
  for await (const event of readEvents(path, files)) {
    builder.add(event);
    latest = Math.max(latest, event.timeSeconds);
  }
  const testFromSeconds = latest + 1;
  if (testPath !== undefined) await addTest(builder, files, testPath, testFromSeconds);
  if (kind === 'movielens') await describeFilms(builder, path);
  const dataset = builder.finish();
  if (dataset.interactions.item.length === 0)
    throw new Error(`${path} has no events that carry information about an item.`);
  return testPath === undefined ? dataset : { ...dataset, testFromSeconds };
}

function readEvents(path: string, { kind, columns }: DatasetFiles): AsyncIterable<InteractionEvent> {
  if (kind === 'item-lists') return readItemLists(path);
  if (kind === 'events') return readEventDocuments(path);
  if (kind !== 'columns') return readDelimitedEvents(path, knownColumns[kind]);
  if (columns === undefined) throw new Error('Say which columns hold the subject and the item.');
  return readDelimitedEvents(path, columns);
}

/** Shifts the test events to start after all training events, and separates equal session IDs. */
async function addTest(builder: DatasetBuilder, files: DatasetFiles, testPath: string, fromSeconds: number) {
  const events: InteractionEvent[] = [];
  for await (const event of readEvents(testPath, files)) events.push(event);
  const first = events.reduce(
    (least, { timeSeconds }) => Math.min(least, timeSeconds),
    Number.POSITIVE_INFINITY,
  );
  const shift = Math.max(0, fromSeconds - first);
  for (const event of events) {
    const subjectKey = files.kind === 'sessions' ? `test ${event.subjectKey}` : event.subjectKey;
    builder.add({ ...event, subjectKey, timeSeconds: event.timeSeconds + shift });
  }
}

async function describeFilms(builder: DatasetBuilder, ratingsPath: string): Promise<void> {
  const path = join(dirname(ratingsPath), 'movies.csv');
  if (!existsSync(path)) return;
  for await (const { id, content } of readFilms(path)) builder.describe(id, content);
}
