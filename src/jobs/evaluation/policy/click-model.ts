/**
 * Predicts the reward of an item at a rank by a position-based model (Craswell, Zoeter, Taylor and
 * Ramsey, 2008): reward(item, rank) = θ(rank) · γ(item).
 *
 * θ comes from the explored slots: weighted by 1 / propensity, every slot shows a uniform draw of the
 * same candidates, so that the weighted rewards differ by position alone (Joachims, Swaminathan and
 * Schnabel, 2017). γ is an item's rewards per θ of its showings. Both shrink towards the mean.
 */

export type Shown = {
  list: number;
  rank: number;
  item: string;
  propensity: number;
  reward: number;
};

export type RewardModel = (item: string, rank: number) => number;

/** Weights of the means: showings of a rank, and of an item. */
const rankPrior = 50;
const itemPrior = 20;

/** Returns θ by rank, relative to the mean of the slots. */
export function positionBias(shown: readonly Shown[]): Map<number, number> {
  const byRank = new Map<number, { rewards: number; weight: number; count: number }>();
  let [rewards, weight] = [0, 0];
  for (const { rank, propensity, reward } of shown) {
    const own = byRank.get(rank) ?? { rewards: 0, weight: 0, count: 0 };
    byRank.set(rank, own);
    own.rewards += reward / propensity;
    own.weight += 1 / propensity;
    own.count += 1;
    rewards += reward / propensity;
    weight += 1 / propensity;
  }
  const mean = weight === 0 ? 0 : rewards / weight;
  if (mean <= 0) return new Map(Array.from(byRank.keys(), (rank) => [rank, 1]));
  return new Map(
    Array.from(byRank, ([rank, own]) => {
      const prior = (rankPrior * own.weight) / own.count;
      return [rank, (own.rewards + prior * mean) / (own.weight + prior) / mean];
    }),
  );
}

function fitRewards(shown: readonly Shown[]): RewardModel {
  const theta = positionBias(shown);
  const byItem = new Map<string, { rewards: number; examined: number }>();
  let [rewards, examined] = [0, 0];
  for (const { item, rank, reward } of shown) {
    const own = byItem.get(item) ?? { rewards: 0, examined: 0 };
    byItem.set(item, own);
    own.rewards += reward;
    own.examined += theta.get(rank)!;
    rewards += reward;
    examined += theta.get(rank)!;
  }
  const mean = examined === 0 ? 0 : rewards / examined;
  return (item, rank) => {
    const { rewards: of, examined: over } = byItem.get(item) ?? { rewards: 0, examined: 0 };
    return (theta.get(rank) ?? 1) * ((of + itemPrior * mean) / (over + itemPrior));
  };
}

/**
 * Returns a model for each list that is fitted on the other half of the lists, so that no prediction
 * knows its own reward (cross-fitting; Chernozhukov et al., 2018).
 */
export function crossFit(shown: readonly Shown[]): (list: number) => RewardModel {
  const [even, odd] = [0, 1].map((half) => fitRewards(shown.filter(({ list }) => list % 2 === half)));
  return (list) => (list % 2 === 0 ? odd : even);
}
