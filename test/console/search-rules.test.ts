/** Search rules of a document. */

import test from 'ava';
import type { Document } from '../../src/console/grammar/document.ts';
import { steersAllSites } from '../../src/console/grammar/search-rules.ts';

for (const [document, steersAll] of [
  [{}, false],
  [{ search: {} }, true],
  [{ search: { environments: [] } }, true],
  [{ search: { environments: ['shop'] } }, false],
] as [Document, boolean][]) {
  test(`${JSON.stringify(document)} ${steersAll ? 'changes' : 'does not change'} every site`, (t) => {
    t.is(steersAllSites(document), steersAll);
  });
}
