/** Data for recommendations: check-ins, click sessions, ratings and reading, of users with constant tastes. */

import { createChance } from '../../../src/deployment/demo/random.ts';
import { type Files, linesOf, tableOf } from './files.ts';

const chance = createChance('tiny logs');
const peopleCount = 24;
const itemCount = 40;
const kindCount = 4;
const startSeconds = 1_600_000_000;
const daySeconds = 86_400;

/** Four of five times an item of the kind that this person likes. */
function drawItem(person: number): number {
  if (chance.happens(0.2)) return chance.whole(1, itemCount);
  const ofKind = itemCount / kindCount;
  return 1 + (person % kindCount) * ofKind + Math.floor(chance.fraction() ** 1.5 * ofKind);
}

function drawItems(person: number, count: number): number[] {
  const items = new Set<number>();
  while (items.size < count) items.add(drawItem(person));
  return [...items];
}

const people = Array.from({ length: peopleCount }, (_, person) => person);

/** Items after the first twelve of a user are predicted. */
function checkIns(): Files {
  const visited = people.map((person) => drawItems(person, 16));
  const lines = (from: number, to: number) =>
    linesOf(visited.map((items, person) => [person, ...items.slice(from, to)].join(' ')));
  return { 'gowalla/train.txt.gz': lines(0, 12), 'gowalla/test.txt.gz': lines(12, 16) };
}

function sessions(): Files {
  const clicks = (firstSession: number, count: number, fromSeconds: number) =>
    Array.from({ length: count }, (_, session) =>
      drawItems(session, 5).map((item, place) => [
        firstSession + session,
        item,
        `${fromSeconds + session * 600 + place * 30}.0`,
      ]),
    ).flat();
  const table = (rows: unknown[][]) => tableOf('SessionId ItemId Time', rows, '\t');
  return {
    'serenade-sessions/train.txt.gz': table(clicks(1, 80, startSeconds)),
    'serenade-sessions/test.txt': table(clicks(500, 10, startSeconds + 30 * daySeconds)),
  };
}

/** Each person's own items, spread over so many days. */
function visits(itemsEach: number, days: number): { person: number; item: number; seconds: number }[] {
  return people
    .flatMap((person) => drawItems(person, itemsEach).map((item) => ({ person, item })))
    .map((visit) => ({
      ...visit,
      seconds: startSeconds + Math.floor(chance.fraction() * days * daySeconds),
    }));
}

function ratings(): Files {
  const rows = visits(12, 200).map(({ person, item, seconds }) => [
    person + 1,
    item,
    `${chance.whole(1, 5)}.0`,
    seconds,
  ]);
  return { 'movielens-latest-small/ratings.csv.gz': tableOf('userId movieId rating timestamp', rows) };
}

function reading(): Files {
  const rows = visits(12, 60).map(({ person, item, seconds }) => [
    seconds,
    chance.pick(['VIEW', 'VIEW', 'LIKE', 'BOOKMARK']),
    -item,
    person,
  ]);
  return {
    'deskdrop/users_interactions.csv.gz': tableOf('timestamp eventType contentId personId', rows),
  };
}

export const logs: Files = { ...checkIns(), ...sessions(), ...ratings(), ...reading() };
