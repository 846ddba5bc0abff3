/** An environment's events and items as a data set for evaluation, read through the service's own export. */

import {
  EventServiceClient,
  type ExportEventsResponse,
} from '../../gen/grpc/personalisation/v1/event_service.ts';
import {
  type ExportItemsResponse,
  ItemServiceClient,
} from '../../gen/grpc/personalisation/v1/item_service.ts';
import { createDatasetBuilder, type Dataset, type DatasetBuilder } from '../jobs/evaluation/dataset.ts';
import type { DatasetFiles } from '../jobs/evaluation/load-dataset.ts';
import { parseEventDocument } from '../jobs/evaluation/readers/event-documents.ts';
import type { Connection } from './connection/connect.ts';
import { readStream } from './export.ts';

export type EnvironmentSource = { environment: string; eventWeights: DatasetFiles['eventWeights'] };

export async function readEnvironment(
  connection: Connection,
  { environment, eventWeights }: EnvironmentSource,
): Promise<Dataset> {
  const builder = createDatasetBuilder(eventWeights);
  const count = await readEvents(connection, environment, builder);
  if (count === 0) throw new Error(`${environment} holds no events that say anything about an item.`);
  await readItems(connection, environment, builder);
  return builder.finish();
}

/** How many say something. */
async function readEvents(
  { client, metadata }: Connection,
  environment: string,
  builder: DatasetBuilder,
): Promise<number> {
  const call = client(EventServiceClient).exportEvents(
    { environment, from: undefined, to: undefined },
    metadata,
  );
  let count = 0;
  for await (const { json } of readStream<ExportEventsResponse>(call)) {
    for (const text of json) {
      const event = parseEventDocument(text);
      if (event !== undefined && builder.add(event)) count += 1;
    }
  }
  return count;
}

async function readItems(
  { client, metadata }: Connection,
  environment: string,
  builder: DatasetBuilder,
): Promise<void> {
  const call = client(ItemServiceClient).exportItems({ environment, item_types: [] }, metadata);
  for await (const { items } of readStream<ExportItemsResponse>(call)) {
    for (const { json } of items) {
      const { item_id: itemId, title, tags, categories } = JSON.parse(json);
      builder.describe(itemId, { title, tags, categories });
    }
  }
}
