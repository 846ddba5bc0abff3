/** What threads that make lists are told: everything that changes what lists are made of, in the order of its happening. */

import type { CatalogRow } from '../../catalog/catalog.ts';
import type { Feature } from '../../models/features.ts';
import type { IndexMapping } from '../../models/model.ts';
import type { TrendSnapshot } from '../../models/trends/trends.ts';
import type { ActiveConfiguration } from '../../rules/active-configuration.ts';

export type ListNews =
  /** Rows as JSON, which many threads are told at the cost of one; `isFilled` with the last of a catalogue's beginning. */
  | { kind: 'items'; environment: string; rows: string; isFilled: boolean }
  /** Models to make ready; both are shared memory. Used from `use` on. */
  | {
      kind: 'models';
      environment: string;
      modelsId: number;
      buffer: SharedArrayBuffer;
      mapping: IndexMapping;
    }
  | {
      kind: 'arrived';
      environment: string;
      modelsId: number;
      itemIndex: number;
      features: readonly Feature[];
    }
  | { kind: 'use'; environment: string; modelsId: number }
  /** Trends as they are now. */
  | { kind: 'trends'; environment: string; snapshot: TrendSnapshot }
  | { kind: 'configuration'; configurationId: string; active: ActiveConfiguration }
  /** Histories that are remembered are forgotten. */
  | { kind: 'forget' };

export type ListRemark = { kind: 'models ready'; environment: string; modelsId: number };

export type ItemRows = readonly CatalogRow[];
