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
    /** Number of admitted visitors of a network. */
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

test('only a network with far more visitors than the others is limited', (t) => {
  const site = open();
  visitFromEverywhere(site);
  site.nextHour();
  visitFromEverywhere(site);
  t.is(site.visit('192.0.2', 10_000), usualVisitors);
  t.is(site.visit('10.0.1', 90, 'new'), 90);
  t.is(site.visit('192.0.2', usualVisitors), usualVisitors, 'those who were admitted stay so');
  t.is(site.visit('192.0.2', 1, 'another'), 0);
});

test('a network may have a quarter of the visitors of all others', (t) => {
  const site = open();
  site.nextHour();
  for (let i = 0; i < 80; i++) site.visit(`10.0.${i}`, 50);
  t.is(site.visit('192.0.2', 10_000), 1_000);
});

test('the limit of a network at most doubles in an hour', (t) => {
  const site = open();
  site.nextHour();
  visitFromEverywhere(site);
  t.is(site.visit('192.0.2', 10_000), 100);
  site.nextHour();
  visitFromEverywhere(site);
  t.is(site.visit('192.0.2', 10_000, 'second'), 200);
});

test('a proxy with all visitors behind it is not limited', (t) => {
  const site = open();
  for (let hour = 0; hour < 3; hour++) {
    for (let i = 0; i < fewestNetworks - 1; i++) site.visit(`10.0.${i}`, 2);
    t.is(site.visit('172.16.0', 5_000, `hour ${hour}`), 5_000);
    site.nextHour();
  }
});

test('a proxy beside direct visitors is accepted from the first hour of a process', (t) => {
  const site = open();
  visitFromEverywhere(site);
  t.is(site.visit('172.16.0', 3_000, 'first'), 3_000);
  site.nextHour();
  visitFromEverywhere(site);
  t.is(site.visit('172.16.0', 5_000, 'second'), 5_000);
});

test('memory is bounded, and visitors beyond it are not limited', (t) => {
  const site = open();
  site.nextHour();
  for (let i = 0; i < 600; i++) site.visit(`10.${i >> 8}.${i & 255}`, 100);
  t.is(site.sharesOf('shop')?.visitorCount, 50_000);
  t.is(site.visit('192.0.2', 200), 200);
});

test('shares are those of the busier of two hours, by environment', (t) => {
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
