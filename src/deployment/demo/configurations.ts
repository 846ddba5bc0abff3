/**
 * Example configurations in the documented JSON grammar, one for each kind of list that the demo shows.
 * Each uses something that the others do not; the annotations say why a person would want it.
 */

export type DemoConfiguration = {
  configuration_id: string;
  constraints: (Constraint | Diversify)[];
  preferences: Preference[];
};

type Constraint = {
  query: Query;
  limit?: { min?: number; max?: number };
  _constraint_explanation: string;
};
type Diversify = { diversify: { key: string }; limit: { max: number }; _diversify_explanation: string };
type Preference = { query: Query; weight: number; _preference_explanation: string };

/** The operators in use here; the grammar knows more. */
type Query = {
  key: string;
  match?: Operand | { or: Operand[] } | { not: Operand };
  or?: Operand[];
  contains?: Operand;
  starts_with?: Operand[];
  lte?: Operand;
  range?: { min: number; max: number };
  date_range?: { min: string };
};
type Operand = { value: string | number | boolean } | { variable: Variable };
type Variable = {
  name: string;
  context?: 'request_body' | 'item';
  default?: string | number;
  on_absent_drop?: boolean;
};

/** The front page: a bit of everything the visitor cares about, and not a wall of products. */
const home: DemoConfiguration = {
  configuration_id: 'home',
  constraints: [
    {
      diversify: { key: 'categories' },
      limit: { max: 3 },
      _diversify_explanation: 'No subject takes over the front page.',
    },
    {
      query: { key: 'item_type', match: { value: 'item' } },
      limit: { max: 4 },
      _constraint_explanation: 'The front page belongs to the magazine, not to the shop.',
    },
    {
      query: { key: 'item_type', match: { value: 'video' } },
      limit: { min: 1 },
      _constraint_explanation: 'There is always something to watch.',
    },
  ],
  preferences: [],
};

/** Beside a story, video or product: more of its subject, in its language. */
const related: DemoConfiguration = {
  configuration_id: 'related',
  constraints: [
    {
      query: {
        key: 'language',
        match: { or: [{ value: 'en' }, { variable: { name: 'language', context: 'item', default: 'en' } }] },
      },
      _constraint_explanation: 'The reader knows the language of this page; English will do as well.',
    },
    {
      query: {
        key: 'categories',
        match: { variable: { name: 'categories', context: 'item', on_absent_drop: true } },
      },
      limit: { min: 3 },
      _constraint_explanation: 'At least three of the same category, whatever else the visitor likes.',
    },
  ],
  preferences: [
    {
      query: { key: 'tags', or: [{ variable: { name: 'tags', context: 'item', on_absent_drop: true } }] },
      weight: 1,
      _preference_explanation: 'What shares a tag with this page comes first.',
    },
  ],
};

/** The shop window. A request may send `max_price` and `category`. */
const shop: DemoConfiguration = {
  configuration_id: 'shop',
  constraints: [
    {
      query: { key: 'item_type', match: { value: 'item' } },
      _constraint_explanation: 'Products only.',
    },
    {
      query: { key: 'in_stock', match: { value: true } },
      _constraint_explanation: 'Never show what cannot be ordered.',
    },
    {
      query: { key: 'price', lte: { variable: { name: 'max_price', on_absent_drop: true } } },
      _constraint_explanation: 'Applies when the visitor moved the price slider.',
    },
    {
      diversify: { key: 'brand' },
      limit: { max: 2 },
      _diversify_explanation: 'At most two products of a brand.',
    },
  ],
  preferences: [
    {
      query: { key: 'categories', match: { variable: { name: 'category', on_absent_drop: true } } },
      weight: 3,
      _preference_explanation: 'The department that the visitor is in comes first.',
    },
    {
      query: { key: 'price', range: { min: 10, max: 150 } },
      weight: 1,
      _preference_explanation: 'Neither pennies nor furniture vans, if there is a choice.',
    },
  ],
};

/** What is new: the magazine of the last two weeks. A request may send `language`. */
const fresh: DemoConfiguration = {
  configuration_id: 'fresh',
  constraints: [
    {
      query: { key: 'item_type', match: { not: { value: 'item' } } },
      _constraint_explanation: 'Products do not make news.',
    },
    {
      query: { key: 'publication_datetime', date_range: { min: 'now-336h' } },
      _constraint_explanation: 'Nothing older than fourteen days.',
    },
    {
      query: { key: 'language', match: { variable: { name: 'language', default: 'en' } } },
      _constraint_explanation: 'English, unless the request names another language or several.',
    },
    {
      diversify: { key: 'item_attributes.author' },
      limit: { max: 2 },
      _diversify_explanation: 'At most two by one author.',
    },
  ],
  preferences: [
    {
      query: { key: 'publication_datetime', date_range: { min: 'now-72h' } },
      weight: 1,
      _preference_explanation: 'The last three days come first.',
    },
  ],
};

/** Something to watch over lunch. */
const watch: DemoConfiguration = {
  configuration_id: 'watch',
  constraints: [
    {
      query: { key: 'item_type', match: { value: 'video' } },
      _constraint_explanation: 'Videos only.',
    },
    {
      query: { key: 'duration_minutes', lte: { variable: { name: 'minutes', default: 20 } } },
      _constraint_explanation: 'Twenty minutes, unless the request says how long the break is.',
    },
    {
      query: { key: 'categories', starts_with: [{ value: 'kitchen/' }, { value: 'music/' }] },
      limit: { min: 2 },
      _constraint_explanation: 'Two for those who would rather eat or listen than learn.',
    },
  ],
  preferences: [
    {
      query: { key: 'tags', contains: { value: 'skills' } },
      weight: -1,
      _preference_explanation: 'Lessons can wait until the evening.',
    },
  ],
};

export const demoConfigurations: readonly DemoConfiguration[] = [home, related, shop, fresh, watch];
