/** Setups of previews in the address: one, or two side by side. */

import type { MessageInitShape } from '@bufbuild/protobuf';
import { keepPreviousData } from '@tanstack/react-query';
import type { Configuration } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { PreviewService } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import type { RecommendationRequestSchema } from '../../../gen/es/personalisation/v1/recommendation_pb.js';
import { type ItemName, itemKey, parseItemKey, readList, writeList } from '../kit/item-names.ts';
import { useRead } from '../kit/queries.ts';
import { readVariables } from '../kit/variables.ts';

export type VisitorKind = 'new' | 'user' | 'device';

export type Setup = {
  kind: VisitorKind;
  visitor: string;
  configurations: string[];
  size: number;
  page: string;
  context?: ItemName;
  /** Simulated history of clicks, oldest first. */
  history: ItemName[];
  /** A JSON object, or ''. */
  variables: string;
  version: string;
  group: string;
};

/** A setup, and whether its lists may have items in common. */
type Asked = Setup & { allowsDuplicates?: boolean };

type SetupKey = keyof Setup;

const defaultSize = 12;

type Values = Partial<Record<string, string>>;

/** @param suffix '' for the first setup, '2' for the one beside it. */
export function readSetup(values: Values, suffix: string, fallbackConfiguration: string): Setup {
  const read = (key: SetupKey) => values[key + suffix] ?? '';
  const visitor = read('visitor');
  const kind = read('kind') as VisitorKind;
  return {
    kind: ['user', 'device'].includes(kind) ? kind : 'new',
    visitor,
    configurations: readList(read('configurations') || writeList([fallbackConfiguration])),
    size: Number(read('size')) || defaultSize,
    page: read('page') || 'home',
    context: read('context') ? parseItemKey(read('context')) : undefined,
    history: readList(read('history')).map(parseItemKey),
    variables: read('variables'),
    version: read('version'),
    group: read('group'),
  };
}

/** Values of the address for changed members. */
export function writeSetup(changes: Partial<Setup>, suffix: string): Values {
  const texts = Object.entries(changes).map(([key, value]) => [key + suffix, textOf(value)]);
  return Object.fromEntries(texts);
}

function textOf(value: Setup[SetupKey]): string {
  if (value === undefined) return '';
  if (Array.isArray(value))
    return writeList(value.map((one) => (typeof one === 'string' ? one : itemKey(one))));
  return typeof value === 'object' ? itemKey(value) : String(value);
}

/** The service stores nothing for this device. */
export const newVisitorDevice = 'anonymous';

/** Undefined unless the variables are a JSON object. */
export function toRequest(setup: Asked): MessageInitShape<typeof RecommendationRequestSchema> | undefined {
  const variables = readVariables(setup.variables);
  if (!variables) return undefined;
  const { kind, visitor, context } = setup;
  return {
    deviceId: kind === 'device' && visitor ? visitor : newVisitorDevice,
    userId: kind === 'user' && visitor ? visitor : undefined,
    pageType: setup.page,
    contextItem: context?.itemId,
    contextItemType: context?.itemType,
    histories: setup.history.length > 0 ? { clicked: { items: setup.history.map(toHistoryItem) } } : {},
    lists: setup.configurations.map((configurationId) => ({
      configurationId,
      listName: configurationId,
      listSize: setup.size,
      allowDuplicates: setup.allowsDuplicates,
    })),
    version: setup.version || undefined,
    userGroup: setup.group || undefined,
    variables,
  };
}

const toHistoryItem = ({ itemType, itemId }: ItemName) => ({ id: itemId, itemType });

/** Explained lists of a setup, as its visitor would get them now. The service stores and counts nothing. */
export function usePreview(setup: Setup, drafts: Configuration[] = [], whyNot: ItemName[] = []) {
  const request = toRequest(setup);
  return useRead(
    PreviewService.method.previewRecommendations,
    { request, drafts, whyNot },
    { enabled: request !== undefined && setup.configurations.length > 0, placeholderData: keepPreviousData },
  );
}
