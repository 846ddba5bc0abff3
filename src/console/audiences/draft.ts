/** Draft of an audience, in the address. */

import type { AudienceRequest } from '../../../gen/es/personalisation/v1/audience_pb.js';
import type { EnvironmentSettings } from '../../../gen/es/personalisation/v1/environment_pb.js';
import { itemKey, parseItemKey } from '../kit/item-names.ts';
import { readVariables } from '../kit/variables.ts';

export type DraftKey =
  | 'name'
  | 'size'
  | 'integration'
  | 'items'
  | 'bought'
  | 'mailed'
  | 'mailings'
  | 'hold'
  | 'configuration'
  | 'variables';

export type Draft = Record<DraftKey, string>;

/** Draft with the deployment's default exclusions. */
export const draftOf = (
  values: Partial<Draft>,
  { integrationTypes, audienceDefaults }: Pick<EnvironmentSettings, 'integrationTypes' | 'audienceDefaults'>,
): Draft => ({
  name: '',
  size: '1000',
  integration: integrationTypes[0] ?? 'email',
  items: '',
  bought: audienceDefaults?.excludeBought ? '1' : '0',
  mailed: String(audienceDefaults?.excludeMailedWithinDays ?? 0),
  mailings: '',
  hold: percentOf(audienceDefaults?.holdOutShare),
  configuration: '',
  variables: '',
  ...values,
});

/** Rounds to a ten-thousandth of a per cent. */
const percentOf = (share = 0): string => String(Math.round(share * 1_000_000) / 10_000);

/** Item keys and names of campaigns contain no line break, but may contain any other separator. */
const separator = '\n';

const split = (joined: string): string[] => (joined === '' ? [] : joined.split(separator));

export const itemsOf = ({ items }: Draft): string[] => split(items);
export const mailingsOf = ({ mailings }: Draft): string[] => split(mailings);
export const joined = (values: readonly string[]): string => values.join(separator);

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
    mailings: mailingsOf(draft),
    holdOutShare: Number(hold) / 100,
    ...(configuration && { configurationId: configuration, variables: readVariables(variables) }),
    limit: 0,
  };
}

/** Address of a draft that copies a stored audience. */
export function draftAddress(request: AudienceRequest): string {
  const { audienceName, audienceSize = 0, integrationType, promotion } = request;
  const values: Draft = {
    name: audienceName,
    size: String(audienceSize),
    integration: integrationType,
    items: joined(promotion.map(({ id, itemType = '' }) => itemKey({ itemType, itemId: id }))),
    bought: request.excludeBought ? '1' : '0',
    mailed: String(request.excludeMailedWithinDays ?? 0),
    mailings: joined(request.mailings),
    hold: percentOf(request.holdOutShare),
    configuration: request.configurationId ?? '',
    variables: request.variables ? JSON.stringify(request.variables) : '',
  };
  return `audiences/new?${new URLSearchParams(values)}`;
}
