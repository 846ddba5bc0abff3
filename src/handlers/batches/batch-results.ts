/** Results of a batch as messages, JSON lines and CSV. */

import { create, type JsonObject, toBinary } from '@bufbuild/protobuf';
import {
  type BatchRequest,
  type BatchResult,
  BatchResultSchema,
} from '../../../gen/es/personalisation/v1/batch_pb.js';
import { encodeJson } from '../../formats/codec.ts';
import { csvRow } from '../../formats/records/csv.ts';
import { type Answered, type AnsweredList, personOf } from '../../jobs/batches/answered.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import { isShowable } from '../lists/kept-items.ts';
import { fieldsOf, informationOf, withGroupSize } from '../recommendations/shown-items.ts';

export type Showing = { request: BatchRequest; serving: ServingEnvironment; nowMs: number };

/** @param offset Position of the subject in the batch, from 1. */
export function resultMessage(answered: Answered, offset: number, showing: Showing): BatchResult {
  const [subject, requestId, userGroup, version, lists] = answered;
  return create(BatchResultSchema, {
    offset,
    ...personOf(subject),
    requestId,
    userGroup,
    version,
    lists: lists.map((list, place) => {
      const { configurationId, listName, listContent } = showing.request.lists[place];
      const idAt = new Map(listContent.map(({ itemId, rank }) => [rank, itemId]));
      return { configurationId, listName, items: itemsOf(list, idAt, showing) };
    }),
  });
}

/** @param idAt ID that the batch placed at each rank. */
function itemsOf(
  [items, ranks]: AnsweredList,
  idAt: ReadonlyMap<number | undefined, string>,
  { request, serving, nowMs }: Showing,
) {
  const shown = { serving, fields: request.fields };
  const named = items.map(([itemId, itemType], place) => {
    const rank = ranks?.[place] ?? place + 1;
    return { itemId, itemType, rank, isPlaced: idAt.get(rank) === itemId };
  });
  return named
    .filter((item) => isShowable(item, serving, nowMs))
    .map((item) => ({
      ...withGroupSize(item, serving, nowMs),
      informationField: informationOf(item, shown),
      fields: fieldsOf(item, shown),
    }));
}

export function bytesOf(result: BatchResult): number {
  return toBinary(BatchResultSchema, result).length;
}

export function jsonLine(result: BatchResult): string {
  return JSON.stringify(encodeJson(BatchResultSchema, result));
}

const columns = [
  'offset',
  'user_id',
  'device_id',
  'request_id',
  'user_group',
  'version',
  'list_name',
  'configuration_id',
  'rank',
  'item_id',
  'information_field',
];

export function csvHead({ fields }: Pick<BatchRequest, 'fields'>): string {
  return csvRow([...columns, ...fields]);
}

/** Returns a CSV record for each item. */
export function csvLines(result: BatchResult, fields: readonly string[]): string[] {
  const { offset, userId, deviceId, requestId, userGroup, version, lists } = result;
  const person = csvRow([offset, userId, deviceId, requestId, userGroup, version]);
  return lists.flatMap(({ listName, configurationId, items }) => {
    const list = `${person},${csvRow([listName, configurationId])}`;
    return items.map((item) => {
      const shown = fields.map((name) => (item.fields as JsonObject | undefined)?.[name]);
      return `${list},${csvRow([item.rank, item.itemId, item.informationField, ...shown])}`;
    });
  });
}
