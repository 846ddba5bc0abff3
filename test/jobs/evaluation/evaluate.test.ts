import test from 'ava';
import { createDatasetBuilder, type Dataset } from '../../../src/jobs/evaluation/dataset.ts';
import { evaluate } from '../../../src/jobs/evaluation/evaluate.ts';
import { toHtml } from '../../../src/jobs/evaluation/report.ts';
import { summarise } from '../../../src/jobs/evaluation/summary.ts';
import { toTable } from '../../../src/jobs/evaluation/table.ts';

const themeCount = 5;
const itemsPerTheme = 30;
const hourSeconds = 3_600;

/** Readers with one theme each, at pseudo-random steps. */
function themedReaders(readerCount: number): Dataset {
  const builder = createDatasetBuilder();
  let state = 7;
  for (let step = 0; step < 14; step++) {
    for (let reader = 0; reader < readerCount; reader++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      const item = (reader % themeCount) * itemsPerTheme + ((state >>> 8) % itemsPerTheme);
      const timeSeconds = step * 24 * hourSeconds + reader;
      builder.add({
        subjectKey: `r${reader}`,
        itemId: `i${item}`,
        eventType: 'detail_pageview',
        timeSeconds,
      });
    }
  }
  return builder.finish();
}

const dataset = themedReaders(120);
const evaluation = evaluate({ dataset, protocol: { protocol: 'time-split' } });

test('readers of a theme get that theme, far better than popular items', (t) => {
  const { blend, models } = evaluation;
  t.true(blend.ndcg.mean - blend.ndcg.margin > models.popularity.ndcg.mean + models.popularity.ndcg.margin);
  t.true(blend.hitrate.mean > 0.8);
  t.true(blend.questionCount > 100);
});

test('the learnt blend reports the contribution of each model', (t) => {
  const { report, weights } = evaluation.learnt!;
  t.true(report.questionCount >= 100);
  for (const [name, { without }] of Object.entries(report.models)) {
    if (weights[name] === 0) t.is(without, report.blend, name);
  }
});

test('a model is behind the blend by the difference of their means on the same questions', (t) => {
  const { blend, models } = evaluation;
  for (const [name, { ndcg, behind, questionCount }] of Object.entries(models)) {
    t.is(questionCount, blend.questionCount, name);
    t.true(Math.abs(blend.ndcg.mean - ndcg.mean - behind.mean) < 1e-9, name);
  }
});

test('the table shows the distance of each model from the blend, and its contribution', (t) => {
  const lines = toTable(evaluation).split('\n');
  for (const [name, { ndcg, behind }] of Object.entries(evaluation.models)) {
    const line = lines.find((one) => one.startsWith(`${name} `))!;
    t.true(line.includes(`${ndcg.mean.toFixed(4)} ±${ndcg.margin.toFixed(4)}`), line);
    t.true(line.includes(`${behind.mean.toFixed(4)} ±${behind.margin.toFixed(4)}`), line);
  }
  t.true(lines[1].startsWith('blend '));
});

/**
 * Each subject buys three staples every week, the first of them twice, and a new item each time.
 */
function baskets(): Dataset {
  const builder = createDatasetBuilder();
  for (let week = 0; week < 20; week++) {
    for (let buyer = 0; buyer < 30; buyer++) {
      const own = [0, 0, 1, 2].map((one) => `own ${(buyer * 3 + one) % 50}`);
      for (const itemId of [...own, `new ${(week * 30 + buyer) % 97}`]) {
        const timeSeconds = week * 7 * 24 * hourSeconds + buyer;
        builder.add({ subjectKey: `b${buyer}`, itemId, eventType: 'purchase', timeSeconds });
      }
    }
  }
  return builder.finish();
}

test('with repeated purchases, the subject’s most bought items are a separate row', (t) => {
  const bought = evaluate({ dataset: baskets(), protocol: { protocol: 'next-basket' } });
  t.is(bought.models.met_most.recall.mean, 0.75);
  t.is(bought.models.met_most.questionCount, bought.blend.questionCount);
  t.true(toTable(bought).includes('\nmet_most '));
  t.false('met_most' in evaluation.models);
});

test('the same events give the same figures', (t) => {
  const again = evaluate({ dataset: themedReaders(120), protocol: { protocol: 'time-split' } });
  t.deepEqual(again.learnt, evaluation.learnt);
  t.deepEqual(again.blend, evaluation.blend);
});

test('items newer than the training are counted, and further rounds bring them into lists', (t) => {
  const builder = createDatasetBuilder();
  for (let day = 0; day < 20; day++) {
    for (let reader = 0; reader < 20; reader++) {
      const timeSeconds = day * 24 * hourSeconds + reader;
      const itemId = `day ${day} ${reader % 3}`;
      builder.add({ subjectKey: `r${reader}`, itemId, eventType: 'detail_pageview', timeSeconds });
    }
  }
  const news = builder.finish();
  const once = evaluate({ dataset: news, protocol: { protocol: 'time-split' } });
  const often = evaluate({ dataset: news, protocol: { protocol: 'time-split', rounds: 4 } });
  t.is(once.fresh.recommended, 0);
  t.is(once.fresh.answers, 1);
  t.true(often.fresh.recommended > 0);
});

test('too little data is reported, and the default weights apply', (t) => {
  const few = evaluate({ dataset: themedReaders(5), protocol: { protocol: 'leave-last-out' } });
  t.is(few.learnt, undefined);
  t.regex(toTable(few), /default weights/);
  t.true(few.blend.questionCount > 0);
});

test('table, JSON and report show the blend and every model', (t) => {
  const table = toTable(evaluation);
  const html = toHtml('a <title>', evaluation);
  const { blend, models, protocol } = summarise('themes', 'a split', evaluation);
  t.is(protocol, 'a split');
  t.true(blend['ndcg@20'] > 0 && blend['ndcg@20_margin'] > 0);
  for (const name of Object.keys(models)) t.true(table.includes(name) && html.includes(`>${name}<`));
  t.true(html.includes('a &lt;title&gt;') && html.includes('<svg') && !html.includes('<script'));
});
