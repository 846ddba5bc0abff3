/** An environment's events and items as a data set for evaluation, read through the service's export. */

import { EventService } from '../../gen/es/personalisation/v1/event_service_pb.js';
import { ItemService } from '../../gen/es/personalisation/v1/item_service_pb.js';
import { createDatasetBuilder, type Dataset } from '../jobs/evaluation/dataset.ts';
import type { DatasetFiles } from '../jobs/evaluation/load-dataset.ts';
import { parseEventDocument } from '../jobs/evaluation/readers/event-documents.ts';
import { type Connection, withoutDeadline } from './connection/connect.ts';

export type EnvironmentSource = { environment: string; eventWeights: DatasetFiles['eventWeights'] };

export async function readEnvironment(
  connection: Connection,
  { environment, eventWeights }: EnvironmentSource,
): Promise<Dataset> {
  const builder = createDatasetBuilder(eventWeights);
  let eventCount = 0;
  const events = connection.client(EventService).exportEvents({ environment }, withoutDeadline);
  for await (const { json } of events) {
    for (const text of json) {
      const event = parseEventDocument(text, eventWeights);
      if (event !== undefined && builder.add(event)) eventCount += 1;
    }
  }
  if (eventCount === 0) throw new Error(`${environment} has no events about items.`);
  const items = connection.client(ItemService).exportItems({ environment }, withoutDeadline);
  for await (const { items: exported } of items) {
    for (const { json } of exported) {
      const { item_id: itemId, title, tags, categories } = JSON.parse(json);
      builder.describe(itemId, { title, tags, categories });
    }
  }
  return builder.finish();
}
