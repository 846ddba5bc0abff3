/**
 * The largest allowed value of every field of public requests.
 *
 * A request has all fields with small values, except one at its maximum: the contract's limit for
 * texts, numbers and options, the rows here for all others. Meaningful texts (IDs, names of fields,
 * words) exist in the service, so that they cause work.
 */

import { hash } from 'node:crypto';

export type Json = Record<string, unknown>;

/** Derives the request of a row from a complete one. */
export type Row = (full: Json) => Json;

export type PublicRequest = {
  path: string;
  method: 'GET' | 'POST';
  /** A typical page's request. */
  plain: Json;
  /** A request with every field. */
  full: Json;
  /** Maximum values by dimension, unless the contract's limit is the maximum. */
  rows: Record<string, Row>;
  /** Several dimensions at once. */
  combinations: Record<string, Row>;
};

/** Items of the service, `i0` and so on. */
export const itemCount = 2_000;

/** A visitor with more events than a history keeps. */
export const busyDevice = 'busy';

export const words = ['lamp', 'sofa', 'table', 'chair', 'desk', 'shelf', 'carpet', 'mirror', 'vase', 'clock'];

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

const entriesOf = <T>(count: number, make: (index: number) => [string, T]): Record<string, T> =>
  Object.fromEntries(times(count, make));

const entry = (index: number) => ({
  id: `i${index % itemCount}`,
  item_type: 'product',
  timestamp: 1_700_000_000 + index,
});

/** Placeholder for five digits of each try. */
export const nonce = 'NONCE';

const visitor = { device_id: `a-visitor-${nonce}`, page_type: 'home' };

const histories: Record<string, Row> = {
  histories: (full) => ({ ...full, histories: entriesOf(100, (i) => [`h${i}`, [entry(i)]]) }),
  'histories.entries': (full) => ({ ...full, histories: { h: times(50, entry) } }),
  'histories.entries.timestamp': (full) => ({
    ...full,
    histories: { h: [{ id: 'i1', timestamp: 253_402_300_799 }] },
  }),
};

/** The maximum number in total. */
const fullHistories = entriesOf(20, (h) => [`h${h}`, times(50, (i) => entry(h * 50 + i))]);

const shownFields = ['title', 'description', 'uri', 'brand', 'tags', 'categories', 'item_type', 'language'];
const fields: Record<string, Row> = {
  fields: (full) => ({ ...full, fields: times(50, (i) => shownFields[i % shownFields.length]) }),
};

const previews: Record<string, Row> = {
  preview: (full) => ({ ...full, preview: Array(3).fill('x'.repeat(1_364)).join('.') }),
};

const consents: Record<string, Row> = {
  consent: (full) => ({ ...full, consent: 'none' }),
  profiling: (full) => ({ ...full, profiling: 'none' }),
};

/** Numbers of each item's vector `look`. */
export const dimensions = 256;

export const lookOf = (i: number): number[] => times(dimensions, (at) => ((i * 31 + at * 17) % 101) - 50);

const similar = ({ group_by: _, ...full }: Json, given: Json): Json => ({
  ...full,
  query_vector: { name: 'look', ...given },
});

const vectors: Record<string, Row> = {
  query_vector: (full) => similar(full, { values: lookOf(7), like: ['i1'], unlike: ['i2'] }),
  'query_vector.weight': (full) => similar(full, { values: lookOf(7), weight: 0.5 }),
  'query_vector.name': (full) => similar(full, { like: ['i1'] }),
  'query_vector.values': (full) => similar(full, { values: lookOf(7) }),
  'query_vector.like': (full) => similar(full, { like: times(50, (i) => `i${i}`) }),
  'query_vector.unlike': (full) => similar(full, { unlike: times(50, (i) => `i${i}`) }),
};

const list = { configuration_id: 'plain', list_name: 'l', list_size: 10 };

const listed = (full: Json, given: Json): Json => ({ ...full, lists: [{ ...list, ...given }] });

const manyLists = (full: Json, count: number, size: number, given: Json = {}): Json => ({
  ...full,
  lists: times(count, (i) => ({ ...list, list_name: `l${i}`, list_size: size, ...given })),
});

const content = (count: number, end = '') =>
  times(count, (i) => ({ item_id: `i${i}${end}`, rank: i + 1, item_type: 'product' }));

/** A few bytes below the limit of the variables of a request. */
const variables = (count: number) =>
  entriesOf(count, (i) => [`variable${i}`, `${nonce}${'x'.repeat(16_000 / count - 30)}`]);

const recommendations: PublicRequest = {
  path: '/shop/recommendations/requests',
  method: 'POST',
  plain: { ...visitor, histories: { h: [entry(1)] }, lists: [list] },
  full: {
    ...visitor,
    ...{ user_id: 'u', channel: 'web', context_item: 'i1', context_item_type: 'product' },
    ...{ timeout_ms: 60_000, do_not_store: false, fields: ['title'], wanted: 'lamp' },
    histories: { h: [entry(1)] },
    lists: [
      {
        ...list,
        limit: 10,
        list_content: [{ item_id: 'i5', rank: 1, item_type: 'product' }],
        wanted: 'lamp',
      },
    ],
  },
  rows: {
    ...histories,
    ...fields,
    ...consents,
    ...previews,
    ...vectors,
    user_group: (full) => ({ ...full, user_group: 'recommender' }),
    version: (full) => ({ ...full, version: 'default' }),
    variables: (full) => ({ ...listed(full, { configuration_id: 'reading' }), ...variables(199) }),
    lists: (full) => manyLists(full, 100, 10),
    'lists.configuration_id': (full) => listed(full, { configuration_id: 'c'.repeat(256) }),
    'lists.purpose': (full) => listed(full, { purpose: 'complete_basket' }),
    'lists.list_size': (full) => listed(full, { list_size: 1_000, limit: 10 }),
    'lists.limit': (full) => listed(full, { list_size: 1_000, limit: 1_000 }),
    'lists.list_content': (full) =>
      listed(full, { list_size: 1_000, limit: 10, list_content: content(1_000) }),
    'lists.list_content.rank': (full) =>
      listed(full, { list_size: 1_000, limit: 10, list_content: [{ item_id: 'i5', rank: 1_000 }] }),
    'lists.variables': (full) => listed(full, { configuration_id: 'reading', ...variables(200) }),
  },
  combinations: {
    'one variable of all bytes': (full) =>
      listed({ ...full }, { configuration_id: 'reading', wanted: [nonce, ...times(1_600, (i) => `w${i}`)] }),
    'conditions on everything, for as many lists as there may be': (full) =>
      manyLists({ ...full, wanted: [nonce, ...times(1_500, (i) => `w${i}`)] }, 100, 10, {
        configuration_id: 'reading',
      }),
    'pins and hides for as many lists as there may be': (full) =>
      manyLists(full, 100, 10, { configuration_id: 'pinned' }),
    'similar items for as many lists as there may be': (full) =>
      similar(manyLists(full, 100, 10, { configuration_id: 'reading' }), {
        ...{ values: lookOf(7), like: times(50, (i) => `i${i}`) },
      }),
    'a visitor with the longest history': (full) => ({ ...full, device_id: busyDevice, user_id: busyDevice }),
    'histories and injected items with the longest ids': (full) => ({
      ...listed(full, { list_size: 1_000, limit: 10, list_content: content(1_000, 'x'.repeat(250)) }),
      histories: entriesOf(20, (h) => [`h${h}`, times(50, (i) => ({ id: `${i}`.padEnd(256, 'y') }))]),
    }),
    'full histories and a long list with long fields': (full) => ({
      ...listed(full, { list_size: 1_000, limit: 100 }),
      ...{ histories: fullHistories, fields: shownFields },
    }),
  },
};

const rowSource = { ...list, for_each: 'brand', maximum_rows: 1 };

const manyRows = (full: Json, count: number, given: Json): Json => ({
  ...full,
  rows: times(count, (i) => ({ ...rowSource, list_name: `l${i}`, ...given })),
});

/** A stored page that `page_id` names. */
export const largestPage = manyRows({ maximum_rows: 50 }, 30, { maximum_rows: 1, list_size: 50 });

const pages: PublicRequest = {
  path: '/shop/pages/requests',
  method: 'POST',
  plain: { ...visitor, rows: [list] },
  full: {
    ...visitor,
    ...{ user_id: 'u', channel: 'web', timeout_ms: 60_000, do_not_store: false, fields: ['title'] },
    ...{ maximum_rows: 10, rows_per_segment: 1, language: 'en', wanted: 'lamp' },
    rows: [{ ...rowSource, title: '{segment}', limit: 10, minimum_items: 1 }],
  },
  rows: {
    ...fields,
    ...consents,
    variables: (full) => ({ ...manyRows(full, 1, { configuration_id: 'reading' }), ...variables(199) }),
    rows: (full) => ({ ...full, ...largestPage }),
    page_id: ({ rows, maximum_rows, rows_per_segment, ...full }) => ({ ...full, page_id: 'largest' }),
    'rows.configuration_id': (full) => manyRows(full, 1, { configuration_id: 'c'.repeat(256) }),
    'rows.for_each': (full) => manyRows(full, 1, { for_each: 'viewed_item' }),
    'rows.maximum_rows': (full) => manyRows(full, 1, { maximum_rows: 10 }),
    'rows.titles': (full) => manyRows(full, 1, { titles: entriesOf(50, (i) => [`l${i}`, 'x'.repeat(256)]) }),
    'rows.list_size': (full) => manyRows(full, 1, { list_size: 100 }),
    'rows.limit': (full) => manyRows(full, 1, { list_size: 100, limit: 100 }),
    'rows.order': (full) => manyRows(full, 1, { order: 'trending' }),
    'rows.purpose': (full) => manyRows(full, 1, { purpose: 'continue' }),
  },
  combinations: {
    'fifty rows of a visitor with the longest history': (full) =>
      manyRows({ ...full, device_id: busyDevice, user_id: busyDevice, maximum_rows: 50 }, 10, {
        ...{ for_each: 'viewed_item', maximum_rows: 5, list_size: 50 },
      }),
  },
};

const searched = { ...visitor, q: `lamp ${nonce}`, page_type: 'search' };

/** Words of the catalogue, and misspelt ones. */
const rightWords = `${nonce} ${times(200, (i) => words[i % words.length]).join(' ')}`.slice(0, 1_024);
const wrongWords =
  `${nonce} ${times(200, (i) => `${words[i % words.length]}${'qxz'[i % 3]}${i % 7}`).join(' ')}`.slice(
    0,
    1_024,
  );

const filters: Record<string, Row> = {
  filter_by: (full) => ({
    ...full,
    filter_by: {
      brand: [nonce, ...times(1_000, (i) => `b${i}`)],
      categories: times(1_000, (i) => `c${i}`),
      language: 'en',
      in_stock: true,
    },
  }),
};

const searches: PublicRequest = {
  path: '/shop/searches/requests',
  method: 'POST',
  plain: searched,
  full: {
    ...searched,
    ...{
      user_id: 'u',
      channel: 'web',
      autocorrect: true,
      filter_by: { brand: ['b1', 'b2', nonce] },
      group_by: ['brand'],
    },
    ...{
      limit: 4,
      list_size: 100,
      num_lists: 4,
      histories: { h: [entry(1)] },
      fields: ['title'],
      language: 'en',
    },
  },
  rows: {
    ...histories,
    ...fields,
    ...filters,
    ...consents,
    ...previews,
    ...vectors,
    q: (full) => ({ ...full, q: rightWords }),
    group_by: (full) => ({ ...full, group_by: times(10, (i) => ['brand', 'categories', 'language'][i % 3]) }),
    limit: (full) => ({ ...full, list_size: 1_000, limit: 1_000, num_lists: 2 }),
    list_size: (full) => ({ ...full, list_size: 1_000, num_lists: 2 }),
    num_lists: (full) => ({ ...full, num_lists: 100, list_size: 20, group_by: ['brand'] }),
    facets: ({ group_by: _, ...full }) => ({
      ...full,
      facets: times(20, (i) => ({ key: facetKeys[i % facetKeys.length], limit: 1_000 })),
    }),
    'facets.key': ({ group_by: _, ...full }) => ({ ...full, facets: [{ key: 'categories' }] }),
    'facets.ranges': ({ group_by: _, ...full }) => ({
      ...full,
      facets: [{ key: 'price', ranges: times(100, (i) => i) }],
    }),
    'facets.limit': ({ group_by: _, ...full }) => ({ ...full, facets: [{ key: 'brand', limit: 1_000 }] }),
    facet_filters: ({ group_by: _, ...full }) => ({
      ...full,
      facet_filters: {
        brand: [nonce, ...times(1_000, (i) => `b${i}`)],
        categories: times(1_000, (i) => `c${i}`),
      },
    }),
    order_by: ({ group_by: _, ...full }) => ({ ...full, order_by: 'price desc' }),
    offset: ({ group_by: _, ...full }) => ({ ...full, offset: 1_000_000 }),
    list_key: ({ group_by: _, ...full }) => ({ ...full, offset: 10, list_key: 'k'.repeat(256) }),
    segments: (full) => ({
      ...full,
      segments: Object.fromEntries(times(20, (i) => [i === 0 ? 'device_class' : `s${i}`, 'x'.repeat(1_024)])),
    }),
  },
  combinations: {
    'a query of words that have to be corrected': (full) => ({ ...full, q: wrongWords }),
    'one long word': (full) => ({ ...full, q: `${nonce}${'lamp'.repeat(250)}` }),
    'everything at once': ({ group_by: _, ...full }) => ({
      ...full,
      ...{
        q: rightWords,
        list_size: 1_000,
        limit: 100,
        num_lists: 1,
        histories: fullHistories,
        fields: shownFields,
      },
      facets: times(20, (i) => ({ key: facetKeys[i % facetKeys.length], limit: 1_000 })),
    }),
  },
};

const facetKeys = ['brand', 'categories', 'language', 'in_stock'];

const completions: PublicRequest = {
  path: '/shop/searches/completions',
  method: 'POST',
  plain: { q: 'la', device_id: `a-visitor-${nonce}` },
  full: {
    ...{ q: 'la', device_id: `a-visitor-${nonce}`, user_id: 'u', fuzziness: 1, fields: ['title'] },
    ...{ filter_by: { brand: ['b1', 'b2', nonce] }, histories: { h: [entry(1)] }, do_not_store: false },
  },
  rows: { ...histories, ...fields, ...filters, ...consents, q: (full) => ({ ...full, q: rightWords }) },
  combinations: {
    'a query of words that have to be corrected': (full) => ({ ...full, q: wrongWords, fuzziness: 2 }),
    'one letter, corrected as far as it may be': (full) => ({ ...full, q: 'l', fuzziness: 2 }),
    'everything at once': (full) => ({
      ...full,
      q: rightWords,
      fuzziness: 2,
      histories: fullHistories,
      fields: shownFields,
    }),
  },
};

const typed: PublicRequest = {
  path: '/shop/searches/completions',
  method: 'GET',
  plain: { q: 'la', device_id: `a-visitor-${nonce}` },
  full: {
    q: 'la',
    device_id: `a-visitor-${nonce}`,
    user_id: 'u',
    request_id: 'r',
    page_type: 'home',
    fields: ['title'],
  },
  rows: { ...fields, q: (full) => ({ ...full, q: rightWords }) },
  combinations: {},
};

const view = {
  event_type: 'detail_pageview',
  page_type: 'detail',
  device_id: `a-visitor-${nonce}`,
  user_id: `b-visitor-${nonce}`,
  action_item: 'i1',
};

const event = (full: Json, given: Json): Json => ({ events: [{ ...(full.events as Json[])[0], ...given }] });

const events: PublicRequest = {
  path: '/shop/events',
  method: 'POST',
  plain: { events: [view] },
  full: {
    events: [
      {
        ...view,
        action_item_type: 'product',
        channel: 'web',
        timestamp: Math.floor(Date.now() / 1_000),
        event_id: `e${nonce}`,
      },
    ],
  },
  rows: {
    events: () => ({
      events: times(1_000, (i) => ({ ...view, device_id: `d${i}-${nonce}`, action_item: `i${i}` })),
    }),
    'events.event_type': (full) => full,
    'events.amount': (full) => event(full, { amount: 10_000 }),
    'events.original_price': (full) => event(full, { original_price: 1_000_000 }),
    'events.purchased_price': (full) => event(full, { purchased_price: 1_000_000 }),
    partial: (full) => ({ ...full, partial: true }),
    'events.timestamp': (full) => full,
    'events.consent': (full) => event(full, { consent: 'none' }),
    'events.rating': (full) => event(full, { rating: 5 }),
    'events.extra': () => ({
      events: [{ ...view, ...entriesOf(100, (i) => [`extra${i}`, 'x'.repeat(9_000)]) }],
    }),
  },
  combinations: {},
};

/** The secret of `device_id`. */
const deviceSecret = 'a secret';

const control: PublicRequest = {
  path: '/shop/visitors/controls',
  method: 'POST',
  plain: {
    device_id: hash('sha256', deviceSecret).slice(0, 32),
    ...{ device_secret: deviceSecret, action: 'less_of', property: 'brand', value: `b${nonce}` },
  },
  full: {
    device_id: hash('sha256', deviceSecret).slice(0, 32),
    ...{ device_secret: deviceSecret, action: 'less_of', property: 'brand', value: 'b1' },
    ...{ item_id: 'i1', item_type: 'product' },
  },
  rows: {
    device_id: (full) => ({ ...full, device_id: hash('sha256', 'x').slice(0, 32), device_secret: 'x' }),
    device_secret: (full) => ({
      ...full,
      device_id: hash('sha256', 'x'.repeat(256)).slice(0, 32),
      device_secret: 'x'.repeat(256),
    }),
    action: (full) => ({ ...full, action: 'reset' }),
    property: (full) => ({ ...full, property: 'categories' }),
  },
  combinations: {},
};

const page: PublicRequest = {
  path: '/shop/recommendations/lists',
  method: 'GET',
  plain: { offset: 1, limit: 10 },
  full: { offset: 1, limit: 10 },
  rows: {
    list_key: (full) => full,
    offset: (full) => ({ ...full, offset: 2_147_483_647 }),
    limit: (full) => ({ ...full, limit: 2_147_483_647 }),
  },
  combinations: {},
};

const statement: PublicRequest = {
  path: '/shop/statements',
  method: 'GET',
  plain: { configuration_id: 'plain', page_type: 'home' },
  full: { configuration_id: 'plain', page_type: 'home', list_name: 'l', language: 'de' },
  rows: {
    configuration_id: (full) => ({ ...full, configuration_id: 'c'.repeat(256) }),
    language: (full) => full,
  },
  combinations: {},
};

const credentials = { grant_type: 'client_credentials' };

const token: PublicRequest = {
  path: '/oauth/token',
  method: 'POST',
  plain: { ...credentials, client_id: 'nobody', client_secret: 'wrong' },
  full: { ...credentials, client_id: 'nobody', client_secret: 'wrong', scope: 'items:shop' },
  rows: { grant_type: (full) => full },
  combinations: {},
};

export const publicRequests: Record<string, PublicRequest> = {
  'PageService/CreatePage': pages,
  'RecommendationService/CreateRecommendations': recommendations,
  'RecommendationService/GetRecommendationList': page,
  'SearchService/CreateSearch': searches,
  'SearchService/GetSearchList': { ...page, path: '/shop/searches/lists' },
  'SearchService/CreateCompletions': completions,
  'SearchService/GetCompletions': typed,
  'EventService/CreateEvents': events,
  'StatementService/GetListStatement': statement,
  'TokenService/CreateToken': token,
  'VisitorService/CreateVisitorControl': control,
};
