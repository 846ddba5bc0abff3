/** The parts of the service's JSON interface that a page meets; names are those of its documents. */

export type EventName =
  | 'detail_pageview'
  | 'group_pageview'
  | 'page_visit'
  | 'item_interaction'
  | 'group_interaction'
  | 'impression'
  | 'click_on_recommendation'
  | 'search_impression'
  | 'search_click_on_recommendation'
  | 'session_impression'
  | 'session_click_on_recommendation'
  | 'add_to_cart'
  | 'remove_from_cart'
  | 'purchase'
  | 'checkpoint'
  | 'user_interaction'
  | 'start_subscription'
  | 'cancel_subscription';

type EventFields = {
  page_type?: string;
  action_item?: string;
  action_item_type?: string;
  action_group?: string;
  action_group_type?: string;
  interaction_type?: string;
  amount?: number;
  original_price?: number;
  purchased_price?: number;
  progress?: number;
  /** Events with the same ID within 7 days are stored once [a new ID]. */
  event_id?: string;
  [property: string]: unknown;
};

/** The client adds subject, page, channel and ID. */
export type PageEvent = EventFields & { event_type: EventName };

/** A page, as the visitor sees it; of an item or a group, if it is about one. */
export type Page = EventFields & { page_type: string; event_type?: EventName };

export type RequestList = {
  configuration_id: string;
  list_name: string;
  list_size: number;
  limit?: number;
  list_content?: { item_id: string; rank: number; item_type?: string }[];
  allow_duplicates?: boolean;
  purpose?: 'similar' | 'bought_together' | 'complete_basket';
  [variable: string]: unknown;
};

/** `page_type` and `context_item` are those of the current page, unless they are given. */
export type RecommendationRequest = {
  lists: RequestList[];
  page_type?: string;
  context_item?: string;
  context_item_type?: string;
  [variable: string]: unknown;
};

export type SearchRequest = {
  q: string;
  page_type?: string;
  autocorrect?: boolean;
  filter_by?: Record<string, unknown>;
  group_by?: string[];
  limit?: number;
  list_size?: number;
  num_lists?: number;
  [property: string]: unknown;
};

export type Item = {
  item_id: string;
  rank?: number;
  item_type?: string;
  title?: string;
  information_field?: string;
  [property: string]: unknown;
};

/** Fields of events about a list. */
export type ListOrigin = {
  kind: 'recommendation' | 'search';
  list_name: string;
  request_id: string;
  user_group: string;
  version?: string;
  page_type: string;
  context_item?: string;
  context_item_type?: string;
};

/** A list with all that its impressions and clicks need; plain data, so that a server can hand it to a page. */
export type List = ListOrigin & {
  configuration_id?: string;
  list_key?: string;
  list_size: number;
  limit?: number;
  items: Item[];
  grouped_by?: string[];
};

export type Answer = {
  lists: List[];
  request_id: string;
  user_group: string;
  version?: string;
  /**
   * Class of a program that steers the browser: `automation` in headless tests, `crawler` or
   * `assistant`. Its lists are not personal and its events count in `events` only, unless the deployment
   * file names the class in `visitor_agents`.
   */
  agent?: string;
  /** `draft` for a preview of a draft; `ignored` if its link does not apply. */
  preview?: 'draft' | 'ignored';
  /** The lists are the caller's own, because the service did not answer. */
  is_fallback: boolean;
};

/** How many of the found items have each value; ranges have bounds. */
export type Facet = {
  key: string;
  /** Range of the numbers of the counted items. */
  min?: number;
  max?: number;
  values: { value: string | number | boolean; count: number; minimum?: number; maximum?: number }[];
};

export type SearchAnswer = Answer & {
  auto_suggest?: string;
  perfect_match?: Item;
  num_lists?: number;
  /** Where the request asks for them. */
  facets?: Facet[];
  total_size?: number;
  /** Where a configuration says so. */
  redirect?: string;
  promoted_content?: Record<string, unknown>[];
};

export type Completions = { completions: Item[]; request_id: number; user_group: string; version?: string };

/** A visitor's choice about the lists of the device. */
export type Choice =
  | { action: 'not_interested' | 'forget' | 'undo'; item_id: string; item_type?: string }
  | { action: 'less_of' | 'undo'; property: string; value: string }
  | { action: 'reset' };
