/** Overview, metrics, experiments, trainings and the calendar. */

import { readFileSync } from 'node:fs';
import test from 'ava';
import type { Page } from 'playwright-core';
import { busy, findViolations, waitUntil } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

const dayMs = 86_400_000;

export function testObserving(fixture: Fixture): void {
  testMeasures(fixture);
  testCompared(fixture);
  testNextHour(fixture);
  testTrainings(fixture);
  test.serial('the calendar shows a schedule in its months only', async (t) => {
    const { page, visit } = fixture.shared;
    const body = {
      constraints: [],
      active_from: '2031-03-30T00:00:00+01:00',
      active_until: '2031-04-10T00:00:00+02:00',
    };
    await fixture.send('PUT', '/configurations/spring-sale', body);
    await visit('/demo/configurations?view=calendar&month=2031-03');
    const calendar = page.getByRole('region', { name: 'Calendar' });
    await calendar.getByRole('link', { name: 'spring-sale' }).waitFor();
    await page.getByRole('button', { name: 'Next month' }).click();
    await calendar.getByText('April 2031').waitFor();
    t.is(await calendar.getByRole('link', { name: 'spring-sale' }).count(), 1);
    t.deepEqual(await findViolations(page), []);
    await page.getByRole('button', { name: 'Next month' }).click();
    await calendar.getByText('No schedules').waitFor();
    t.regex(page.url(), /month=2031-05/);
  });

  test.serial('an experiment shows its intervals over time, with a summary in words', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    const now = Date.now();
    const events = Array.from({ length: 800 }, (_, i) => {
      const version = i % 2 === 0 ? 'control' : 'bold';
      const event_type = i % 8 === 0 || (version === 'bold' && i % 4 === 1) ? 'add_to_cart' : 'page_visit';
      const timestamp = (now - (i % 20) * dayMs) / 1_000 - 3_600;
      return { event_type, version, device_id: `arm-${i}`, page_type: 'home', action_item: 'x', timestamp };
    });
    await fixture.send('POST', '/demo/events', { events });
    await goTo('/demo/experiments?view=split&metric=add_to_carts');
    await page.getByRole('img', { name: 'Result over time' }).waitFor();
    await page.getByText('The change is between').waitFor();
    t.deepEqual(await findViolations(page), []);
    t.deepEqual(troubles, []);

    let asked = 0;
    await page.route('**/*ExperimentService/ReadExperiment', (route) => {
      asked += 1;
      return asked === 4 ? route.fulfill(busy) : route.continue();
    });
    t.teardown(() => page.unrouteAll());
    await page.reload();
    await page.getByRole('alert').getByText('The service is busy').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The change is between').waitFor();
  });
  testNothingInControl(fixture);
}

function testNothingInControl(fixture: Fixture): void {
  test.serial('an event without occurrences in control has an absolute interval', async (t) => {
    const { page, visit } = fixture.shared;
    const events = Array.from({ length: 800 }, (_, i) => {
      const version = i % 2 === 0 ? 'control' : 'bold';
      const event_type = version === 'bold' && i % 8 === 1 ? 'item_interaction' : 'page_visit';
      const rest = { page_type: 'home', action_item: 'x', interaction_type: 'like' };
      return { event_type, version, device_id: `arm-${i}`, ...rest };
    });
    const bought = { event_type: 'purchase', version: 'control', device_id: 'arm-0', action_item: 'x' };
    await fixture.send('POST', '/demo/events', { events: [...events, bought] });
    await visit('/demo/experiments?view=split');
    const row = page.getByRole('row', { name: 'Likes, saves and shares' });
    await row.waitFor();
    t.regex((await row.getByRole('cell').last().textContent())!, /^0\.1\d* to 0\.3\d*$/);
    const undecided = page
      .getByRole('listitem')
      .filter({ hasText: 'No significant difference in units sold' });
    t.regex((await undecided.textContent())!, /^No significant difference in units sold for bold yet\. /);
    const means = page.getByRole('row', { name: 'Units sold' }).first().getByRole('cell');
    /** Includes devices of other stories in the same variant. */
    t.regex((await means.nth(2).textContent())!, /^0\.002\d*$/);
  });
}

function testNextHour(fixture: Fixture): void {
  test.serial('the overview moves on to the next hour', async (t) => {
    const { page, visit } = await fixture.open(t);
    await page.clock.install({ time: new Date('2026-03-10T10:30:00Z') });
    const asks = (count: 'one measure' | 'several', until: string) =>
      page.waitForRequest((request) => {
        if (!request.url().endsWith('MetricService/QueryMetrics')) return false;
        const { metrics, startTime } = request.postDataJSON();
        return startTime.lt === until && metrics.length > 1 === (count === 'several');
      });
    const both = (until: string) => Promise.all([asks('one measure', until), asks('several', until)]);
    const first = both('2026-03-10T11:00:00Z');
    await visit('/demo/overview');
    t.is((await first).length, 2);
    await page.getByText('events this hour').waitFor();
    const next = both('2026-03-10T12:00:00Z');
    await page.clock.fastForward('01:00:00');
    t.is((await next).length, 2);
  });
}

/** Row of a group; excludes the legend of the chart, which is a table too. */
const figuresOf = (page: Page, group: string) =>
  page
    .getByRole('table')
    .filter({ has: page.getByRole('columnheader', { name: 'Series' }) })
    .getByRole('row', { name: group });

function testMeasures(fixture: Fixture): void {
  test.serial('draws another metric after a change, and a single point', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    await fixture.send('POST', '/demo/events', {
      events: [{ event_type: 'page_visit', device_id: 'measured', page_type: 'home' }],
    });
    await goTo('/demo/metrics?range=24h&step=day');
    const chart = page.getByRole('img', { name: 'Events over time' });
    await chart.waitFor();
    await waitUntil(
      page,
      `(() => {
      const canvas = document.querySelector('[role=img] canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      for (let i = 0; i < data.length; i += 4)
        if (data[i] === 0x43 && data[i + 1] === 0x53 && data[i + 2] === 0xc9) return true;
      return false;
    })()`,
    );
    await page.getByRole('combobox', { name: 'Metric' }).click();
    await page.getByRole('option', { name: 'Impressions', exact: true }).click();
    await chart.waitFor({ state: 'detached' });
    t.is(await page.getByRole('alert').count(), 0);
    t.deepEqual(troubles, []);
  });

  test.serial('a year of weeks ends with a full week', async (t) => {
    const { page, goTo } = fixture.shared;
    const now = Date.now() / 1_000;
    const events = Array.from({ length: 400 }, (_, day) => ({
      event_type: 'page_visit',
      device_id: 'steady',
      page_type: 'steady',
      timestamp: now - (day * dayMs) / 1_000,
    }));
    await fixture.send('POST', '/demo/events', { events });
    await goTo('/demo/metrics?metric=pageviews&by=page_type&range=365d');
    const cells = figuresOf(page, 'steady').getByRole('cell');
    await cells.first().waitFor();
    t.deepEqual(await cells.allTextContents(), ['steady', '364', '7', '7']);
  });

  test.serial('shows the rates of the groups with the most impressions', async (t) => {
    const { page, goTo } = fixture.shared;
    const rest = { device_id: 'rated', page_type: 'home', action_item: 'x', request_id: 'r' };
    const shown = (list_name: string, clicks: number, impressions: number) => [
      ...Array(clicks).fill({ ...rest, list_name, user_group: 'cms', event_type: 'click_on_recommendation' }),
      ...Array(impressions).fill({ ...rest, list_name, user_group: 'cms', event_type: 'impression' }),
    ];
    const small = Array.from({ length: 8 }, (_, i) => shown(`small-${i}`, 1, 1));
    await fixture.send('POST', '/demo/events', { events: [...shown('large', 1, 400), ...small.flat()] });
    await goTo('/demo/metrics?metric=click_through_rate&by=list_name&range=24h');
    const cells = figuresOf(page, 'large').getByRole('cell');
    await cells.first().waitFor();
    t.is(await cells.nth(1).textContent(), '0.3%1 / 400');
  });
}

function testCompared(fixture: Fixture): void {
  test.serial('compares each row with the previous period, in the table and in the CSV', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    const now = Date.now() / 1_000;
    const rest = {
      device_id: 'compared',
      page_type: 'home',
      user_group: 'cms',
      list_name: 'compared',
      request_id: 'r',
    };
    const shown = (clicks: number, impressions: number, timestamp: number) => [
      ...Array(clicks).fill({ ...rest, timestamp, action_item: 'x', event_type: 'click_on_recommendation' }),
      ...Array(impressions).fill({ ...rest, timestamp, action_item: 'x', event_type: 'impression' }),
    ];
    const events = [...shown(3, 10, now), ...shown(2, 20, now - (7 * dayMs) / 1_000)];
    await fixture.send('POST', '/demo/events', { events });
    await goTo('/demo/metrics?metric=click_through_rate&by=list_name&range=7d&compare=1');
    const cells = figuresOf(page, 'compared').getByRole('cell');
    /** The table shows the period alone until the previous one is read. */
    await cells.filter({ hasText: '+20 pp' }).waitFor();
    t.deepEqual((await cells.allTextContents()).slice(0, 5), [
      'compared',
      '30%3 / 10',
      '10%2 / 20',
      '+20 pp',
      '+200%',
    ]);
    t.is(await page.getByRole('combobox', { name: 'Granularity' }).inputValue(), 'Days');
    const values = page.getByRole('slider', { name: 'Click-through rate over time, values' });
    await values.press('ArrowLeft');
    t.regex((await values.getAttribute('aria-valuetext')) ?? '', /compared –/);
    await page.getByRole('button', { name: 'Export' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
    const [head, ...days] = readFileSync(await (await download).path(), 'utf8').split('\r\n');
    t.is(days.length, 7);
    for (const part of ['Impressions', 'previous period', 'difference', 'change in %'])
      t.true(head.includes(`"compared, ${part}"`), head);
    t.deepEqual(await findViolations(page), []);
    t.deepEqual(troubles, []);
  });

  test.serial('reads metrics beyond the limit of one answer', async (t) => {
    const { page, goTo } = fixture.shared;
    const now = Math.floor(Date.now() / 1_000);
    const events = Array.from({ length: 60 }, (_, i) => ({
      event_type: 'page_visit',
      device_id: `many-${i}`,
      page_type: `many-${i % 3}`,
      timestamp: now - 3_600 * Math.floor(i / 3),
    }));
    await fixture.send('POST', '/demo/events', { events });
    await page.route('**/*MetricService/QueryMetrics', (route) =>
      route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), limit: 20 }) }),
    );
    t.teardown(() => page.unrouteAll());
    await goTo('/demo/metrics?metric=events&by=page_type&range=24h&step=hour');
    for (const group of ['many-0', 'many-1', 'many-2']) {
      const row = figuresOf(page, group);
      await row.waitFor();
      t.is(await row.getByRole('cell').nth(1).textContent(), '20');
    }
  });
}

function testTrainings(fixture: Fixture): void {
  test.serial('loads more than fifty trainings', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    const { pool } = fixture.service.database;
    t.teardown(() => pool.query(`delete from trainings where decision like 'Long ago %'`));
    await pool.query(
      `insert into trainings (environment, reason, state, requested_at, ended_at, decision)
       select 'demo', 'events', 'kept', moment, moment, 'Long ago ' || number from generate_series(1, 60) as number
       cross join lateral (select now() - make_interval(days => number) as moment) as moments`,
    );
    await goTo('/demo/models');
    const oldest = page.getByRole('cell', { name: 'Long ago 60', exact: true });
    await page.getByRole('cell', { name: 'Long ago 40', exact: true }).waitFor();
    t.is(await oldest.count(), 0);
    await page.getByRole('button', { name: 'Load more' }).click();
    await oldest.waitFor();
    t.is(await page.getByRole('button', { name: 'Load more' }).count(), 0);
    t.deepEqual(troubles, []);
  });
}
