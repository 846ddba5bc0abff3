import { create, fromJson } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import test from 'ava';
import { CreateSearchResponseSchema } from '../../../gen/es/personalisation/v1/search_service_pb.js';
import { describeSearch } from '../../../src/cli/explanation/describe-search.ts';
import { parseFacet } from '../../../src/cli/search.ts';

const lamp = { itemId: 'l1', title: 'Red lamp', informationField: 'Aka' };

test('results are printed list by list', (t) => {
  const answer = create(CreateSearchResponseSchema, {
    results: {
      userGroup: 'recommender',
      version: 'default',
      autoSuggest: 'red lamp',
      lists: [{ listName: 'brand: Aka', listSize: 7, items: [lamp] }],
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

test('facets are printed under the results, and groups with their size', (t) => {
  const answer = create(CreateSearchResponseSchema, {
    results: {
      userGroup: 'g',
      version: 'v',
      lists: [{ listName: 'results', listSize: 1, items: [{ ...lamp, groupSize: 3 }] }],
      facets: [{ key: 'brand', values: [{ value: fromJson(ValueSchema, 'Aka'), count: 12 }] }],
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

test('an answer without results says so', (t) => {
  const answer = create(CreateSearchResponseSchema, { results: { userGroup: 'g', version: 'v' } });
  t.is(describeSearch(answer), 'g, version v\n    nothing found');
});

test('an explanation prints the words, the parts of each score, and absences', (t) => {
  const answer = create(CreateSearchResponseSchema, {
    results: {
      userGroup: 'g',
      version: 'v',
      lists: [{ listName: 'results', listSize: 1, items: [lamp] }],
    },
    explanation: {
      queryUsed: 'red lamp',
      words: [
        { word: 'red', alternatives: [{ kind: 'word', text: 'red', weight: 1 }] },
        { word: 'lamp', alternatives: [{ kind: 'synonym', text: 'light', weight: 0.8 }] },
      ],
      droppedWords: ['zzz'],
      corrections: [{ from: 'lanp', to: 'lamp' }],
      lists: [
        {
          listName: 'results',
          items: [
            {
              rank: 1,
              itemId: 'l1',
              tier: 'title_phrase',
              score: 2.5,
              textScore: 3,
              tasteScore: 0.25,
              clickScore: -0.75,
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
      whyNot: [
        { itemId: 'x', reason: 'outranked', detail: 'Better items.', tier: 'some_words', score: 0.12345 },
        { itemId: 'y', reason: 'unknown', detail: 'The catalogue does not hold it.' },
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

test('an explanation prints configurations, pins, preferences and promoted content', (t) => {
  const answer = create(CreateSearchResponseSchema, {
    results: {
      userGroup: 'g',
      version: 'v',
      redirect: '/lamps',
      promotedContent: [{ image: 'a.jpg' }],
      lists: [{ listName: 'results', listSize: 1, items: [lamp] }],
    },
    explanation: {
      lists: [
        {
          listName: 'results',
          items: [
            { rank: 1, itemId: 'l1', tier: 'title', score: 2, pinnedBy: 'spring', preferenceWeight: 3 },
          ],
        },
      ],
      configurations: [
        {
          configurationId: 'spring',
          version: 4,
          reasons: ['exact lamp', 'page_type search'],
          unmet: [{ constraintIndex: 1, wanted: 2, found: 0 }],
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
