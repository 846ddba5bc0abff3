import test from 'ava';
import { CreateSearchResponse } from '../../../gen/grpc/personalisation/v1/search_service.ts';
import { describeSearch } from '../../../src/cli/explanation/describe-search.ts';
import { parseFacet } from '../../../src/cli/search.ts';

const lamp = { item_id: 'l1', title: 'Red lamp', information_field: 'Aka' };

test('results are printed list by list', (t) => {
  const answer = CreateSearchResponse.fromPartial({
    results: {
      user_group: 'recommender',
      version: 'default',
      auto_suggest: 'red lamp',
      lists: [{ list_name: 'brand: Aka', list_size: 7, items: [lamp] }],
    },
  });
  t.is(
    describeSearch(answer),
    [
      'recommender, version default',
      'Searched for: red lamp',
      '',
      'brand: Aka (7)',
      '   1.  l1  Red lamp  (Aka)',
    ].join('\n'),
  );
});

test('facets are printed under the results, and of a group how many there are', (t) => {
  const answer = CreateSearchResponse.fromPartial({
    results: {
      user_group: 'g',
      version: 'v',
      lists: [{ list_name: 'results', list_size: 1, items: [{ ...lamp, group_size: 3 }] }],
      facets: [{ key: 'brand', values: [{ value: 'Aka', count: 12 }] }],
    },
  });
  t.is(
    describeSearch(answer),
    [
      'g, version v',
      '',
      'results (1)',
      '   1.  l1  Red lamp  (Aka)  one of 3',
      '',
      'By brand:',
      '    12  Aka',
    ].join('\n'),
  );
});

test('a facet is a field, or a field with bounds of ranges', (t) => {
  t.deepEqual(parseFacet('brand'), { key: 'brand', ranges: [] });
  t.deepEqual(parseFacet('price=10,50'), { key: 'price', ranges: [10, 50] });
  t.throws(() => parseFacet('price=low'));
});

test('an empty answer says so', (t) => {
  const answer = CreateSearchResponse.fromPartial({ results: { user_group: 'g', version: 'v' } });
  t.is(describeSearch(answer), 'g, version v\n    nothing found');
});

test('an explanation says what was searched, what made each score, and why an item is absent', (t) => {
  const answer = CreateSearchResponse.fromPartial({
    results: {
      user_group: 'g',
      version: 'v',
      lists: [{ list_name: 'results', list_size: 1, items: [lamp] }],
    },
    explanation: {
      query_used: 'red lamp',
      words: [
        { word: 'red', alternatives: [{ kind: 'word', text: 'red', weight: 1 }] },
        { word: 'lamp', alternatives: [{ kind: 'synonym', text: 'light', weight: 0.8 }] },
      ],
      dropped_words: ['zzz'],
      corrections: [{ from: 'lanp', to: 'lamp' }],
      lists: [
        {
          list_name: 'results',
          items: [
            {
              rank: 1,
              item_id: 'l1',
              tier: 'title_phrase',
              score: 2.5,
              text_score: 3,
              taste_score: 0.25,
              click_score: -0.75,
              words: [
                {
                  word: 'lamp',
                  kind: 'synonym',
                  text: 'light',
                  score: 3,
                  fields: [{ field: 'title', score: 3 }],
                },
              ],
            },
          ],
        },
      ],
      why_not: [
        { item_id: 'x', reason: 'outranked', detail: 'Better items.', tier: 'some_words', score: 0.12345 },
        { item_id: 'y', reason: 'unknown', detail: 'The catalogue does not hold it.' },
      ],
    },
  });
  t.is(
    describeSearch(answer),
    [
      'g, version v',
      'Words: red; lamp, or synonym light (0.8)',
      'Corrected: lanp to lamp',
      'Unknown to the catalogue: zzz',
      '',
      'results (1)',
      '   1.  l1  Red lamp  (Aka)',
      '      title phrase; score 2.5 = text 3 + taste 0.25 - clicks 0.75',
      '          lamp as synonym light 3: title 3',
      '',
      'Why not:',
      '    x: Better items. Tier some words, score 0.123.',
      '    y: The catalogue does not hold it.',
    ].join('\n'),
  );
});

test('what configurations said is printed: who steers and why, what is pinned, preferred, promoted', (t) => {
  const answer = CreateSearchResponse.fromPartial({
    results: {
      user_group: 'g',
      version: 'v',
      redirect: '/lamps',
      promoted_content: [{ image: 'a.jpg' }],
      lists: [{ list_name: 'results', list_size: 1, items: [lamp] }],
    },
    explanation: {
      lists: [
        {
          list_name: 'results',
          items: [
            { rank: 1, item_id: 'l1', tier: 'title', score: 2, pinned_by: 'spring', preference_weight: 3 },
          ],
        },
      ],
      configurations: [
        {
          configuration_id: 'spring',
          version: 4,
          reasons: ['exact lamp', 'page_type search'],
          unmet: [{ constraint_index: 1, wanted: 2, found: 0 }],
        },
      ],
    },
  });
  t.is(
    describeSearch(answer),
    [
      'g, version v',
      'Redirect: /lamps',
      'Promoted: {"image":"a.jpg"}',
      'Steered by: spring, version 4 (exact lamp, page_type search); constraint 1 wants 2, has 0',
      '',
      'results (1)',
      '   1.  l1  Red lamp  (Aka)',
      '      pinned by spring',
      '      title; score 2 = text 0',
      '          preferences 3',
    ].join('\n'),
  );
});
