/** What a page reports of items that it shows, with all that the interface requires of it. */

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
