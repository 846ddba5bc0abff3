/** Alerts and dashboard use existing metrics in valid PromQL. */

import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { parse } from 'yaml';
import { createJsonClient } from '../support/json-client.ts';
import { startTestService } from '../support/service.ts';
import { readExpression } from './support/promql.ts';

type Family = { type: string; labels: Set<string> };

const read = (path: string) => readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8');

type Rule = { alert: string; expr: string; annotations: { summary: string; fix: string } };
const rules: Rule[] = parse(read('prometheus/alerts.yml')).groups.flatMap(
  ({ rules }: { rules: Rule[] }) => rules,
);
type Panel = { id: number; type: string; title: string; targets?: { expr: string }[] };
const panels: Panel[] = JSON.parse(read('grafana/dashboards/personalisation.json')).panels;

const expressions = [
  ...rules.map(({ alert, expr }) => ({ title: alert, expr })),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr }))),
];

/** Labels and series that Prometheus adds. */
const own = new Set(['job', 'instance']);
const up: Family = { type: 'gauge', labels: new Set() };

let families: Map<string, Family> | undefined;

test.before('collect the metrics', async () => {
  const tidies: (() => unknown)[] = [];
  const t = { teardown: (tidy: () => unknown) => void tidies.push(tidy) };
  const service = await startTestService(t, undefined, { trains: true, watch: { adminPort: 0 } });
  const http = createJsonClient(service);
  const seen = ['chair', 'table'].map((action_item) => ({
    event_type: 'detail_pageview',
    device_id: 'd1',
    page_type: 'detail',
    action_item,
  }));
  for (const { action_item } of seen) await http.put(`/shop/items/product/${action_item}`, {});
  await http.post('/shop/events', { events: seen });
  await http.post('/shop/models/trainings');
  /** Some series have samples and labels only after a published training. */
  while (!families?.get('personalisation_models_age_seconds')?.labels.size) {
    const exposition = await fetch(`http://127.0.0.1:${service.adminPort}/metrics`);
    families = readFamilies(await exposition.text());
    await setTimeout(50);
  }
  for (const tidy of tidies) await tidy();
});

/** By the names of their series; a histogram has three. */
function readFamilies(exposition: string): Map<string, Family> {
  const found = new Map<string, Family>([['up', up]]);
  for (const [, name, type] of exposition.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    const suffixes =
      type === 'histogram'
        ? ['_bucket', '_sum', '_count']
        : type === 'summary'
          ? ['', '_sum', '_count']
          : [''];
    for (const suffix of suffixes) {
      const isGauge = type === 'gauge' || (type === 'summary' && suffix === '');
      found.set(name + suffix, { type: isGauge ? 'gauge' : 'counter', labels: new Set() });
    }
  }
  for (const [, name, labels] of exposition.matchAll(/^(\w+)\{(.*)\} \S+$/gm))
    for (const [, label] of labels.matchAll(/(\w+)="/g)) found.get(name)?.labels.add(label);
  return found;
}

for (const { title, expr } of expressions) {
  test(`${title}: ${expr.replaceAll(/\s+/g, ' ')}`, (t) => {
    const { isWellFormed, selectors, groupings } = readExpression(expr);
    t.true(isWellFormed);
    t.true(selectors.length > 0);
    const known = new Set(own);
    for (const { name, labels, isCounted } of selectors) {
      const family = families!.get(name);
      t.truthy(family, `there is no ${name}`);
      t.is(family!.type === 'counter', isCounted, `${name} is a ${family!.type}`);
      for (const label of family!.labels) known.add(label);
      for (const label of labels) t.true(known.has(label), `${name} has no label ${label}`);
    }
    for (const label of groupings) t.true(known.has(label), `nothing has the label ${label}`);
  });
}

test('each alert has a summary and a fix, and panels have unique ids', (t) => {
  for (const { annotations } of rules) t.true(annotations.summary !== '' && annotations.fix !== '');
  t.is(new Set(panels.map(({ id }) => id)).size, panels.length);
});
