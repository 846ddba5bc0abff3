/**
 * A small news site with known habits: each reader has a favourite section (60 %), reads fresh articles more than old ones, and
 * some articles far more than others.
 */

import { chanceOf } from './chance.ts';
import type { LoggedEvent, LoggedItem, SiteLog } from './log.ts';

export const generatedDeployment = `
environments:
  - name: generated
    item_types: [ { name: article } ]
`;

export type SiteSize = { articles: number; readers: number; days: number; seed: number };

const sections = ['Politics', 'Sports', 'Business', 'Culture'];
const daySeconds = 86_400;
const favouriteShare = 0.6;
const readingsPerVisit = 4;

export function generateSite({ articles, readers, days, seed }: SiteSize): SiteLog {
  const chance = chanceOf(seed);
  const startAt = Date.UTC(2026, 0, 1) / 1_000;
  const items = Array.from({ length: articles }, (_, index): LoggedItem => {
    const publishedAt = startAt + Math.floor((index / articles) * days * daySeconds);
    const categories = [sections[index % sections.length]];
    const published = new Date(publishedAt * 1_000).toISOString();
    const document = { title: `Article ${index}`, categories, publication_datetime: published };
    return { itemType: 'article', itemId: `a${index}`, categories, publishedAt, document };
  });
  const appeal = items.map(() => Math.exp(2 * (chance() + chance() - 1)));
  const events: LoggedEvent[] = [];
  for (let day = 1; day < days; day++)
    for (let reader = 0; reader < readers; reader++) {
      if (chance() < 0.5) continue;
      let at = startAt + Math.floor((day + chance()) * daySeconds);
      for (let reading = 0; reading < readingsPerVisit; reading++, at += 60) {
        const section =
          chance() < favouriteShare ? reader % sections.length : Math.floor(chance() * sections.length);
        const index = choose(items, appeal, { at, section, chance });
        if (index !== undefined) events.push(eventOf(`r${reader}`, items[index], at));
      }
    }
  return { items, events: events.sort((a, b) => a.at - b.at) };
}

type Choice = { at: number; section: number; chance: () => number };

/** Of some recent articles of a section, one by its appeal. */
function choose(items: readonly LoggedItem[], appeal: readonly number[], { at, section, chance }: Choice) {
  const published = items.findLastIndex(({ publishedAt }) => publishedAt <= at);
  const candidates: number[] = [];
  for (let draw = 0; draw < 20; draw++) {
    const index = published - Math.floor(-Math.log(1 - chance()) * 12);
    if (index >= 0 && index % sections.length === section) candidates.push(index);
  }
  const total = candidates.reduce((sum, index) => sum + appeal[index], 0);
  let left = chance() * total;
  for (const index of candidates) {
    left -= appeal[index];
    if (left <= 0) return index;
  }
  return undefined;
}

function eventOf(subject: string, { itemId, itemType }: LoggedItem, at: number): LoggedEvent {
  const document = {
    ...{ event_type: 'detail_pageview', timestamp: at, device_id: subject, page_type: 'detail' },
    ...{ action_item: itemId, action_item_type: itemType },
  };
  return { at, subject, itemId, eventType: 'detail_pageview', pageType: 'detail', document };
}
