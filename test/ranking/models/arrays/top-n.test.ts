import test from 'ava';
import { beginTopN, createTopN, finishTopN, offer } from '../../../../src/ranking/models/arrays/top-n.ts';
import { fc } from '../../../support/properties.ts';

const scoresArbitrary = fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 60 });

test('the heap keeps what a full sort by score, then index, would put first', (t) => {
  const top = createTopN(20);
  fc.assert(
    fc.property(scoresArbitrary, fc.integer({ min: 0, max: 30 }), (scores, limit) => {
      beginTopN(top, limit);
      for (let index = scores.length - 1; index >= 0; index--) offer(top, index, scores[index]);
      finishTopN(top);
      const expected = [...scores.keys()].sort((a, b) => scores[b] - scores[a] || a - b);
      const kept = Array.from(top.items.subarray(0, top.size));
      t.deepEqual(kept, expected.slice(0, Math.min(limit, 20)));
    }),
  );
});
