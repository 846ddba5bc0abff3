/** Messages to list threads: every change of the data behind lists, in order. */

import type { CatalogRow } from '../../catalog/catalog.ts';
import type { Feature } from '../../models/features.ts';
import type { IndexMapping } from '../../models/model.ts';
import type { TrendSnapshot } from '../../models/trends/trends.ts';
import type { ActiveConfiguration } from '../../rules/active-configuration.ts';

export type ListNews =
  /** Rows as JSON, serialised once for all threads; `isFilled` ends the initial rows. */
  | { kind: 'items'; environment: string; rows: string; isFilled: boolean }
  /** Models to prepare, in shared memory; `use` activates them. */
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
  /** A snapshot of current trends. */
  | { kind: 'trends'; environment: string; snapshot: TrendSnapshot }
  | { kind: 'configuration'; place: string; active: ActiveConfiguration }
  /** Clears the cached histories. */
  | { kind: 'forget' };

export type ListRemark = { kind: 'models ready'; environment: string; modelsId: number };

export type ItemRows = readonly CatalogRow[];

/** Versions of a configuration that a thread holds, for experiments that serve several. */
const heldVersions = 8;

/** Returns the place of a version in the memory of a thread, which a later version takes over. */
export function placeOf(configurationId: string, { version }: Pick<ActiveConfiguration, 'version'>): string {
  return `${version % heldVersions} ${configurationId}`;
}
