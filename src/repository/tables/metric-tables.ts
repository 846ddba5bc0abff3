/** Columns of the tables of metrics; see schema.ts. */
import { deviceMeasures, measures } from '../metrics/metric-measures.ts';

const columnsOf = <Name extends string, Kind extends string>(names: readonly Name[], kind: Kind) =>
  Object.fromEntries(names.map((name) => [name, kind])) as Record<Name, Kind>;

const sums = columnsOf(measures, 'float8?');

export const metricTables = {
  metric_clicks: {
    bucket: 'int4',
    environment: 'text',
    user_id: 'text?',
    device_id: 'text?',
    item_id: 'text',
    item_type: 'text',
    clicked_at: 'int8',
    dimension_id: 'int8',
    variant_id: 'text?',
  },
  metric_devices: {
    bucket: 'int4',
    environment: 'text',
    hour: 'int4',
    device_id: 'text',
    dimensions: 'int8[]',
    known_count: 'int2',
    ...columnsOf(deviceMeasures, 'float8'),
  },
  metric_dimensions: {
    bucket: 'int4',
    dimension_id: 'int8',
    environment: 'text',
    user_group: 'text',
    version: 'text',
    page_type: 'text',
    list_name: 'text',
    channel: 'text',
    configuration: 'text',
    added_at: 'timestamptz=',
  },
  metric_exposures: {
    bucket: 'int4',
    environment: 'text',
    day: 'int4',
    device_id: 'text',
    user_group: 'text',
    version: 'text',
  },
  metric_hours: {
    bucket: 'int4',
    hour: 'int4',
    dimension_id: 'int8',
    counted: 'int8',
    ...sums,
  },
  metric_keys: {
    bucket: 'int4',
    environment: 'text',
    kind: 'text',
    hour: 'int4',
    key: 'text',
    dimensions: 'int8[]',
    known_count: 'int2',
  },
  metric_purchases: {
    bucket: 'int4',
    purchase_id: 'int8',
    environment: 'text',
    user_id: 'text?',
    device_id: 'text?',
    item_id: 'text',
    item_type: 'text',
    purchased_at: 'int8',
    window_ms: 'int8',
    items: 'float8',
    revenue: 'float8',
    dimension_id: 'int8?',
    variant_id: 'text?',
  },
  metric_served: {
    bucket: 'int4',
    node: 'text',
    batch: 'int8',
    served_at: 'timestamptz',
  },
  metric_totals: {
    bucket: 'int4',
    environment: 'text',
    dimension: 'int2',
    hour: 'int4',
    value: 'text',
    ...sums,
  },
} as const;
