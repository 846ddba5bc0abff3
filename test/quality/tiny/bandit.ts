/** Logs in the format of the Open Bandit data: five items at three positions, item 0 clicked most. */

import { createChance } from '../../../src/deployment/demo/random.ts';
import type { Files } from './files.ts';

const rows = 400;
const itemCount = 5;
const favoured = 0.6;

function logOf(policy: string, campaign: string): string {
  const chance = createChance(`${policy} ${campaign}`);
  const lines = Array.from({ length: rows }, () => {
    const others = (1 - favoured) / (itemCount - 1);
    const item = policy === 'bts' && chance.happens(favoured) ? 0 : chance.whole(0, itemCount - 1);
    const own = favoured * Number(item === 0) + (1 - favoured) / itemCount;
    const propensity = policy === 'bts' ? own : 1 / itemCount;
    const click = Number(chance.happens(item === 0 ? 0.4 : others));
    return [item, chance.whole(1, 3), click, propensity].join(',');
  });
  return ['item_id,position,click,propensity_score', ...lines].join('\n');
}

const context = ['item_id', ...Array.from({ length: itemCount }, (_, i) => String(i))].join('\n');

export const bandit: Files = Object.fromEntries(
  ['all', 'men', 'women'].flatMap((campaign) => [
    ...['bts', 'random'].map((policy) => [`${policy}/${campaign}/${campaign}.csv`, logOf(policy, campaign)]),
    [`bts/${campaign}/item_context.csv`, context],
  ]),
);
