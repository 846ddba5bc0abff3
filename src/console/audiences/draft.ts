/** An audience as it is defined on the page; the address holds all of it. */

import type { AudienceRequest } from '../../../gen/es/personalisation/v1/audience_pb.js';
import { itemKey, parseItemKey } from '../kit/items.ts';
import { readVariables } from '../kit/variables.ts';

export type DraftKey =
  | 'name'
  | 'size'
  | 'integration'
  | 'items'
  | 'bought'
  | 'mailed'
  | 'hold'
  | 'configuration'
  | 'variables';

export type Draft = Record<DraftKey, string>;

const usual: Draft = {
  name: '',
  size: '1000',
  integration: '',
  items: '',
  bought: '1',
  mailed: '0',
  hold: '0',
  configuration: '',
  variables: '',
};

export const draftOf = (values: Partial<Draft>, integrations: readonly string[]): Draft => ({
  ...usual,
  integration: integrations[0] ?? 'email',
  ...values,
});

/** Item keys have no line end, but may have any other separator. */
const separator = '\n';

export const itemsOf = ({ items }: Draft): string[] => (items === '' ? [] : items.split(separator));
export const withItems = (keys: readonly string[]): string => keys.join(separator);

export function requestOf(draft: Draft) {
  const { name, size, integration, bought, mailed, hold, configuration, variables } = draft;
  return {
    audienceName: name.trim(),
    audienceSize: Number(size),
    integrationType: integration,
    promotion: itemsOf(draft).map((key) => {
      const { itemType, itemId } = parseItemKey(key);
      return { id: itemId, itemType: itemType || undefined };
    }),
    excludeBought: bought === '1',
    excludeMailedWithinDays: Number(mailed),
    holdOutShare: Number(hold) / 100,
    ...(configuration && { configurationId: configuration, variables: readVariables(variables) }),
    limit: 0,
  };
}

/** The address of a draft like a stored audience. */
export function draftAddress(request: AudienceRequest): string {
  const { audienceName, audienceSize = 0, integrationType, promotion } = request;
  const values: Draft = {
    name: audienceName,
    size: String(audienceSize),
    integration: integrationType,
    items: withItems(promotion.map(({ id, itemType = '' }) => itemKey({ itemType, itemId: id }))),
    bought: request.excludeBought ? '1' : '0',
    mailed: String(request.excludeMailedWithinDays ?? 0),
    hold: String(Math.round((request.holdOutShare ?? 0) * 100)),
    configuration: request.configurationId ?? '',
    variables: request.variables ? JSON.stringify(request.variables) : '',
  };
  return `audiences/new?${new URLSearchParams(values)}`;
}
