/** Metrics of performance tables: name, label, unit and formula. A new one is a row here. */

type Definition = {
  label: string;
  unit: 'count' | 'share' | 'money' | 'number';
  /** A sum, or the numerator and denominator of a ratio. */
  of: string | readonly [part: string, whole: string];
  /** Sum of squares that the error of a mean is estimated from, or that of a sampled sum. */
  squares?: string;
};

/** Sums by name; absent ones are unknown. */
export type Sums = Readonly<Record<string, number | undefined>>;

const definitions = {
  searches: { label: 'Searches', unit: 'count', of: 'searches' },
  no_result_rate: { label: 'No-result rate', unit: 'share', of: ['searches_without_results', 'searches'] },
  no_click_rate: { label: 'No-click rate', unit: 'share', of: ['searches_without_click', 'searches'] },
  correction_rate: { label: 'Correction rate', unit: 'share', of: ['corrected_searches', 'searches'] },
  requests: { label: 'Recommendation requests', unit: 'count', of: 'requests' },
  impressions: { label: 'Impressions', unit: 'count', of: 'impressions' },
  clicks: { label: 'Clicks', unit: 'count', of: 'clicks' },
  click_through_rate: { label: 'Click-through rate', unit: 'share', of: ['clicks', 'impressions'] },
  mean_click_position: { label: 'Mean click position', unit: 'number', of: ['rank_sum', 'ranked_clicks'] },
  purchases: { label: 'Purchases', unit: 'count', of: 'purchases' },
  purchased_items: { label: 'Units sold', unit: 'count', of: 'purchased_items' },
  revenue: { label: 'Revenue', unit: 'money', of: 'revenue', squares: 'visitor_squares' },
  attributed_purchased_items: {
    ...{ label: 'Purchases from recommendations', unit: 'count', of: 'attributed_purchased_items' },
  },
  search_purchases: { label: 'Purchases from searches', unit: 'count', of: 'purchases' },
  search_conversion_rate: { label: 'Purchases per search', unit: 'share', of: ['purchases', 'searches'] },
  attributed_revenue: { label: 'Attributed revenue', unit: 'money', of: 'attributed_revenue' },
  search_revenue: { label: 'Attributed revenue', unit: 'money', of: 'revenue' },
  coverage: { label: 'Coverage', unit: 'share', of: ['shown_items', 'servable_items'] },
  new_item_share: { label: 'Share of new items', unit: 'share', of: ['new_impressions', 'impressions'] },
  visitors: { label: 'Visitors', unit: 'count', of: 'visitors', squares: 'visitors' },
  sessions: { label: 'Sessions', unit: 'count', of: 'sessions', squares: 'sessions_of_visitor_squares' },
  orders: { label: 'Orders', unit: 'count', of: 'orders', squares: 'orders_of_visitor_squares' },
  conversion_rate: { label: 'Conversion rate', unit: 'share', of: ['buyers', 'visitors'] },
  session_conversion_rate: {
    label: 'Conversion rate per session',
    unit: 'share',
    of: ['orders', 'sessions'],
  },
  revenue_per_visitor: {
    ...{
      label: 'Revenue per visitor',
      unit: 'money',
      of: ['revenue', 'visitors'],
      squares: 'visitor_squares',
    },
  },
  revenue_per_session: {
    ...{
      label: 'Revenue per session',
      unit: 'money',
      of: ['revenue', 'sessions'],
      squares: 'session_squares',
    },
  },
  average_order_value: {
    ...{
      label: 'Average order value',
      unit: 'money',
      of: ['order_revenue', 'orders'],
      squares: 'order_squares',
    },
  },
} as const satisfies Record<string, Definition>;

export type MetricName = keyof typeof definitions;

const shown: readonly MetricName[] = ['impressions', 'clicks', 'click_through_rate'];

/** Metrics of each kind of table, in the order of its columns. */
export const metricsOf = {
  item: [...shown, 'purchases', 'purchased_items', 'revenue'],
  query: [
    ...(['searches', 'no_result_rate', 'no_click_rate', 'correction_rate', 'click_through_rate'] as const),
    ...(['mean_click_position', 'search_purchases', 'search_conversion_rate', 'search_revenue'] as const),
  ],
  place: shown,
  placement: ['requests', ...shown, 'attributed_purchased_items', 'attributed_revenue'],
  segment: [
    ...(['requests', ...shown, 'purchased_items', 'revenue'] as const),
    ...(['attributed_purchased_items', 'attributed_revenue'] as const),
  ],
  visitors: [
    ...(['visitors', 'sessions', 'orders', 'conversion_rate', 'session_conversion_rate', 'revenue'] as const),
    ...(['revenue_per_visitor', 'revenue_per_session', 'average_order_value'] as const),
  ],
} satisfies Record<string, readonly MetricName[]>;

export function definitionMessage(name: MetricName) {
  const { label, unit } = definitions[name];
  return { name, label, unit };
}

/** Two-sided, 95 %. */
const z = 1.959964;

/** @param scale One in so many visitors was counted; sums are scaled up, ratios are not [1]. */
export function figureOf(name: MetricName, sums: Sums, scale = 1) {
  const { of, unit, squares }: Definition = definitions[name];
  const squareSum = squares === undefined ? undefined : sums[squares];
  if (typeof of === 'string') {
    const sum = sums[of];
    if (sum === undefined) return {};
    const radius = z * Math.sqrt(scale * (scale - 1) * (squareSum ?? 0));
    return { value: exact(sum * scale), interval: radius > 0 ? around(sum * scale, radius) : undefined };
  }
  const [part, whole] = of.map((one) => sums[one]);
  if (part === undefined || !whole) return {};
  const value = part / whole;
  const figure = { value, part: exact(part * scale), whole: whole * scale };
  if (unit === 'share')
    return { ...figure, interval: part <= whole && part >= 0 ? wilson(part, whole) : undefined };
  if (squareSum === undefined) return figure;
  const variance = Math.max(0, squareSum / whole - value ** 2);
  return { ...figure, interval: around(value, z * Math.sqrt(variance / whole)) };
}

/** Sums are in millionths; adding them as fractions leaves an error in the last digit. */
const exact = (sum: number) => Math.round(sum * 1e6) / 1e6;

const around = (value: number, radius: number) => ({ low: value - radius, high: value + radius });

function wilson(part: number, whole: number) {
  const share = part / whole;
  const middle = share + z ** 2 / (2 * whole);
  const radius = z * Math.sqrt((share * (1 - share)) / whole + (z / (2 * whole)) ** 2);
  const low = (middle - radius) / (1 + z ** 2 / whole);
  return { low: Math.max(0, low), high: Math.min(1, (middle + radius) / (1 + z ** 2 / whole)) };
}
