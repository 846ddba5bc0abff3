/** Stores learnt blends in an artefact: one JSON text in a string table. */

import { createStringTable, type StringTable, stringAt } from '../arrays/string-table.ts';
import type { LearntBlend } from './learn-blend.ts';

export function packLearnt(learnt: LearntBlend): StringTable {
  return createStringTable([JSON.stringify(learnt)]);
}

export function unpackLearnt(table: StringTable): LearntBlend {
  return JSON.parse(stringAt(table, 0));
}
