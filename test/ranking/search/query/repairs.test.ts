/** Repairs of misspelt queries. */
import test from 'ava';
import { createWorld, merge } from '../support/world.ts';

const items = [
  { id: 'fixture', title: 'LED light fixtures', description: 'for the kitchen' },
  { id: 'pipe', title: 'Black pipe 1 ft' },
  { id: 'blanket', title: 'Black blanket' },
  { id: 'disk', title: 'Hard disk 500 GB' },
  { id: 'disks', title: 'Hard disk case' },
  { id: 'brand', title: 'Hadisa lipstick' },
  { id: 'drum', title: 'Drum sticks' },
  { id: 'dream', title: 'Dream catcher' },
  { id: 'microphone', title: 'Wireless microphone' },
];

const suggestions: [typed: string, shown: string | undefined, reason: string][] = [
  ['led fixtues for the kitchen', 'led fixtures for the kitchen', 'words that tell nothing stay'],
  ['1-1/2in. x 1 ft. blakc pipe', '1-1/2in. x 1 ft. black pipe', 'numbers and signs stay'],
  ['LED Fixtues, please', 'LED Fixtures, please', 'case stays'],
  ['BLAKC PIPE', 'BLACK PIPE', 'capitals stay'],
  ['hardisk 500 gb', 'hard disk 500 gb', 'a word that means two is cut, also with an error in one of them'],
  ['mikro phone', 'microphone', 'two strange words that are one are joined'],
  ['dreum catcher', 'dream catcher', 'the candidate that shares items with the other word'],
  ['dreum sticks', 'drum sticks', 'the candidate that shares items with the other word'],
  ['hadise pipe', undefined, 'no item has the brand and a pipe, so nothing is put in its place'],
  ['pipe quiver', undefined, 'a word that is like none is left alone'],
];

for (const [typed, shown, reason] of suggestions) {
  test(`${typed} is shown as ${shown ?? 'typed'}: ${reason}`, (t) => {
    const world = createWorld(items);
    merge(world);
    t.is(world.search.search({ q: typed, nowMs: 0, listSize: 10 }).correctedQuery, shown);
  });
}
