/** Reads files of any of the known kinds into one data set; what is asked about may be in a file of its own. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EventWeights } from '../../ranking/models/event-weights.ts';
import type { InteractionEvent } from '../../ranking/models/interactions.ts';
import { createDatasetBuilder, type Dataset, type DatasetBuilder } from './dataset.ts';
import { type EventColumns, knownColumns, readDelimitedEvents } from './readers/delimited-events.ts';
import { readEventDocuments } from './readers/event-documents.ts';
import { readFilms } from './readers/films.ts';
import { readItemLists } from './readers/item-lists.ts';

/** `events` are documents of the service; `columns` a table whose columns are named by the caller. */
export const fileKinds = ['movielens', 'item-lists', 'sessions', 'events', 'columns'] as const;
export type FileKind = (typeof fileKinds)[number];

export type DatasetFiles = {
  kind: FileKind;
  path: string;
  /** Events that are asked about; they come after all others, and subjects of sessions are others too. */
  testPath?: string;
  /** For `columns`. */
  columns?: EventColumns;
  eventWeights?: EventWeights;
};

export type LoadedDataset = Dataset & {
  /** The moment that the events of the test file begin at. */
  testFromSeconds?: number;
};

/** Every rating says that a film was watched, and what is watched next is asked about. */
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
  if (dataset.interactions.item.length === 0) throw new Error(`${path} holds no events that say anything.`);
  return testPath === undefined ? dataset : { ...dataset, testFromSeconds };
}

function readEvents(path: string, { kind, columns }: DatasetFiles): AsyncIterable<InteractionEvent> {
  if (kind === 'item-lists') return readItemLists(path);
  if (kind === 'events') return readEventDocuments(path);
  if (kind !== 'columns') return readDelimitedEvents(path, knownColumns[kind]);
  if (columns === undefined) throw new Error('Say which columns hold the subject and the item.');
  return readDelimitedEvents(path, columns);
}

/** Moves the events as a whole so that they begin after all that was learnt from, and keeps sessions of equal number apart. */
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
