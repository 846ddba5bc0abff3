/** Lets the similarity to a request's vector count beside the blend, instead of before it. */

import { add, reserve } from '../models/arrays/accumulator.ts';
import type { Blend } from '../models/blend.ts';
import { type IndexMapping, type Model, sumIndexOf } from '../models/model.ts';
import { defaultSeedProfile } from '../models/query.ts';
import type { SimilarItems } from '../vectors/item-vectors.ts';

/** Whether similarity is mixed with other scores; otherwise similar items come first. */
export function isMixed(similar: SimilarItems | undefined): similar is SimilarItems & { weight: number } {
  return similar?.weight !== undefined && similar.weight < 1;
}

/**
 * Returns the blend with the request's vector as the target of similarity, in place of the subject's
 * items. Best candidates of a blend average 1, so a share w of the score is w / (1 - w) of the blend.
 * @param itemCount Items at later positions are left out.
 */
export function mixSimilar(
  blend: Blend,
  similar: SimilarItems & { weight: number },
  itemCount: number,
): Blend {
  const weight = similar.weight / (1 - similar.weight);
  const model = createSimilarModel(similar, blend.mapping, itemCount);
  const others = ({ model: { name } }: Blend['parts'][number]) => name !== 'vectors';
  const own = { model, weight, profile: defaultSeedProfile };
  const [proposing, parts] = [blend.proposing, blend.parts].map((some) => [own, ...some.filter(others)]);
  return { ...blend, proposing, parts };
}

function createSimilarModel(
  { items, similarities, liked }: SimilarItems,
  mapping: IndexMapping,
  itemCount: number,
): Model {
  const best = Math.max(0, similarities[0] ?? 0);
  const scoreAt = (place: number) => (best > 0 ? Math.max(0, similarities[place]) / best : 0);
  return {
    name: 'vector',
    role: 'proposes',
    accumulate(_, weight, accumulator) {
      reserve(accumulator, mapping.itemIndexOf.length + itemCount);
      for (const [place, itemIndex] of items.entries())
        if (itemIndex < itemCount) add(accumulator, sumIndexOf(mapping, itemIndex), weight * scoreAt(place));
    },
    explain(_, weight, itemIndex) {
      const place = items.indexOf(itemIndex);
      if (place < 0) return [];
      const score = weight * scoreAt(place);
      if (liked.length === 0) return [{ score }];
      return liked.map((seedItemIndex) => ({ seedItemIndex, score: score / liked.length }));
    },
  };
}
