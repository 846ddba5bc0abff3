/** Draft of a batch, in the address except for IDs, which may be many. */

import type { BatchRequest } from '../../../gen/es/personalisation/v1/batch_pb.js';

/** Ways to choose the recipients. */
export const choices = ['active', 'audience', 'users', 'devices'] as const;
export type Choice = (typeof choices)[number];

export type DraftList = { configuration: string; name: string; size: number };

export type DraftKey = 'who' | 'days' | 'audience' | 'page' | 'lists' | 'fields';

export type Draft = {
  who: Choice;
  days: number;
  audience: string;
  page: string;
  lists: DraftList[];
  fields: string[];
};

const usualDays = 30;
const usualSize = 10;

export const newList = (configuration: string, taken: readonly DraftList[]): DraftList => ({
  configuration,
  name: taken.length === 0 ? 'mail' : `mail-${taken.length + 1}`,
  size: usualSize,
});

export function draftOf(values: Partial<Record<DraftKey, string>>, pageTypes: readonly string[]): Draft {
  return {
    who: choices.find((one) => one === values.who) ?? 'active',
    days: Number(values.days ?? usualDays),
    audience: values.audience ?? '',
    page: values.page ?? (pageTypes.includes('email') ? 'email' : (pageTypes[0] ?? 'email')),
    lists: readLists(values.lists),
    fields: values.fields ? values.fields.split(',') : [],
  };
}

function readLists(written: string | undefined): DraftList[] {
  try {
    return JSON.parse(written ?? '[]');
  } catch {
    return [];
  }
}

export function addressOf(draft: Draft): Record<DraftKey, string> {
  const { who, days, audience, page, lists, fields } = draft;
  return { who, days: String(days), audience, page, lists: JSON.stringify(lists), fields: fields.join(',') };
}

/** Splits IDs at line breaks, commas, semicolons and tabs; removes the quotes of spreadsheets. */
export function readIds(written: string): string[] {
  const ids = written.split(/[\n\r,;\t]+/).map((id) => id.trim().replace(/^"(.*)"$/, '$1'));
  return [...new Set(ids.filter((id) => id !== ''))];
}

export function isReady({ who, days, audience, page, lists }: Draft, ids: readonly string[]): boolean {
  const hasPeople = {
    active: days >= 1,
    audience: audience !== '',
    users: ids.length > 0,
    devices: ids.length > 0,
  };
  return (
    hasPeople[who] &&
    page !== '' &&
    lists.length > 0 &&
    lists.every(({ configuration, name }) => configuration !== '' && name !== '')
  );
}

export function requestOf({ who, days, audience, page, lists, fields }: Draft, ids: string[]) {
  const people = {
    active: { activeWithinDays: days },
    audience: { audienceId: audience },
    users: { userIds: ids },
    devices: { deviceIds: ids },
  }[who];
  return {
    ...people,
    pageType: page,
    lists: lists.map(({ configuration, name, size }) => ({
      configurationId: configuration,
      listName: name,
      listSize: size,
    })),
    fields,
  };
}

/** Address of a draft that copies a batch, without its IDs. */
export function draftAddress(request: BatchRequest): string {
  const { activeWithinDays, audienceId, pageType, lists, fields } = request;
  const who = audienceId ? 'audience' : activeWithinDays ? 'active' : 'users';
  const draft: Draft = {
    who,
    days: activeWithinDays ?? usualDays,
    audience: audienceId ?? '',
    page: pageType,
    lists: lists.map(({ configurationId, listName, listSize = usualSize }) => ({
      configuration: configurationId,
      name: listName,
      size: listSize,
    })),
    fields,
  };
  return `batches/new?${new URLSearchParams(addressOf(draft))}`;
}
