/** Impressions as a page reports them, with all required fields. */

import type { Document } from './shops.ts';

export const impression = (itemId: string, rest: Document): Document => ({
  event_type: 'impression',
  action_item: itemId,
  list_name: 'l',
  request_id: 'r',
  user_group: 'recommender',
  ...rest,
});

export const click = (itemId: string, rest: Document): Document => ({
  ...impression(itemId, rest),
  event_type: 'click_on_recommendation',
});
