import test from 'ava';
import { createVisitorNetworks, fewestNetworks, usualVisitors } from '../../src/events/visitor-networks.ts';

const hourMs = 3_600_000;

function open() {
  let nowMs = 1_000 * hourMs;
  const networks = createVisitorNetworks(() => nowMs);
  return {
    ...networks,
    nextHour: () => {
      nowMs += hourMs;
    },
    /** How many of some visitors of a network are admitted. */
    visit: (network: string, count: number, name = network) =>
      Array.from({ length: count }, (_, i) => networks.admit('shop', `d${name}-${i}`, network)).filter(
        Boolean,
      ).length,
  };
}

type Opened = ReturnType<typeof open>;

/** A site with visitors of many networks, ten each. */
function visitFromEverywhere({ visit }: Opened, networkCount = 30): void {
  for (let i = 0; i < networkCount; i++) visit(`10.0.${i}`, 10);
}

test('one network that shows many visitors beside those of many others is cut, and the others are not', (t) => {
  const site = open();
  visitFromEverywhere(site);
  site.nextHour();
  visitFromEverywhere(site);
  t.is(site.visit('192.0.2', 10_000), usualVisitors);
  t.is(site.visit('10.0.1', 90, 'new'), 90);
  t.is(site.visit('192.0.2', usualVisitors), usualVisitors, 'those who were admitted stay so');
  t.is(site.visit('192.0.2', 1, 'another'), 0);
});

test('a network may show a quarter of what the others show', (t) => {
  const site = open();
  site.nextHour();
  for (let i = 0; i < 80; i++) site.visit(`10.0.${i}`, 50);
  t.is(site.visit('192.0.2', 10_000), 1_000);
});

test('a network grows twofold in an hour at most', (t) => {
  const site = open();
  site.nextHour();
  visitFromEverywhere(site);
  t.is(site.visit('192.0.2', 10_000), 100);
  site.nextHour();
  visitFromEverywhere(site);
  t.is(site.visit('192.0.2', 10_000, 'second'), 200);
});

test('a proxy that hides all visitors is no crowd, however many come', (t) => {
  const site = open();
  for (let hour = 0; hour < 3; hour++) {
    for (let i = 0; i < fewestNetworks - 1; i++) site.visit(`10.0.${i}`, 2);
    t.is(site.visit('172.16.0', 5_000, `hour ${hour}`), 5_000);
    site.nextHour();
  }
});

test('a proxy beside direct visitors is usual from the first hour of a process on', (t) => {
  const site = open();
  visitFromEverywhere(site);
  t.is(site.visit('172.16.0', 3_000, 'first'), 3_000);
  site.nextHour();
  visitFromEverywhere(site);
  t.is(site.visit('172.16.0', 5_000, 'second'), 5_000);
});

test('what is remembered is bounded, and beyond it nobody is judged', (t) => {
  const site = open();
  site.nextHour();
  for (let i = 0; i < 600; i++) site.visit(`10.${i >> 8}.${i & 255}`, 100);
  t.is(site.sharesOf('shop')?.visitorCount, 50_000);
  t.is(site.visit('192.0.2', 200), 200);
});

test('shares are those of the fuller of two hours, by environment', (t) => {
  const site = open();
  t.is(site.sharesOf('shop'), undefined);
  site.visit('172.16.0', 9);
  site.visit('10.0.0', 1);
  site.nextHour();
  site.visit('10.0.0', 1);
  const shares = { visitorCount: 10, networkCount: 2, largest: '172.16.0', largestCount: 9 };
  t.deepEqual(site.sharesOf('shop'), shares);
  t.is(site.sharesOf('news'), undefined);
});
