import test from 'ava';
import type { Connection } from '../../src/cli/connection/connect.ts';
import { addToFeed, type Feed, removeMissing } from '../../src/cli/feed-removal.ts';
import { contextOf } from '../../src/cli/import.ts';

type ImportRequest = { items: { form: { value: string }; enabled: boolean }[]; patch: boolean };

/** A service with items `0` to `count - 1`, of which the last is disabled. */
function storing(count: number) {
  const disabled: string[] = [];
  const types: string[][] = [];
  const client = {
    async *exportItems({ itemTypes }: { itemTypes: string[] }) {
      types.push(itemTypes);
      const ids = Array.from({ length: count }, (_, i) => String(i));
      yield {
        items: ids.map((id) => ({
          json: JSON.stringify({ item_type: 'product', item_id: id }),
          enabled: id !== String(count - 1),
        })),
      };
    },
    async *importItems(requests: AsyncIterable<ImportRequest>) {
      for await (const { items, patch } of requests) {
        for (const { form, enabled } of items)
          if (patch && !enabled) disabled.push(JSON.parse(form.value).item_id);
        yield { acceptedCount: items.length, refused: [] };
      }
    },
  };
  return { connection: { client: () => client } as unknown as Connection, disabled, types };
}

function feedOf(ids: readonly number[], unreadable = 0): Feed {
  const feed: Feed = { keys: new Set(), unreadableCount: 0 };
  const sent = (id: number) => ({ line: id, text: '', key: JSON.stringify(['product', String(id)]) });
  const records = ids.slice(1).map((id) => ({ ...sent(id), json: '', enabled: undefined }));
  const refused = [
    ...ids.slice(0, 1).map((id) => ({ ...sent(id), faults: [] })),
    ...Array.from({ length: unreadable }, () => ({ line: 0, text: '', faults: [] })),
  ];
  addToFeed(feed, { records, refused, skippedCount: 0, unmapped: [], lastLine: 1 });
  return feed;
}

const allBut = (count: number, missing: number) =>
  Array.from({ length: count - missing }, (_, i) => i + missing);
const options = { environment: 'shop', mostRemoved: 10, dryRun: undefined };

test('enabled items that the feed lacks are disabled; those of refused lines stay', async (t) => {
  const { connection, disabled, types } = storing(101);
  t.is(await removeMissing(connection, feedOf(allBut(100, 10)), options), 10);
  t.deepEqual(disabled, ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
  t.deepEqual(types, [['product']]);
});

test('a feed that lacks too many items, or has unreadable lines, removes nothing', async (t) => {
  const { connection, disabled } = storing(101);
  await t.throwsAsync(removeMissing(connection, feedOf(allBut(100, 11)), options), {
    message: /lacks 11 of 100 items \(11\.0 %\), more than 10 %/,
  });
  await t.throwsAsync(removeMissing(connection, feedOf(allBut(100, 1), 2), options), {
    message: /2 refused lines/,
  });
  t.is(
    await removeMissing(connection, feedOf(allBut(100, 11)), { ...options, mostRemoved: 20, dryRun: true }),
    11,
  );
  t.deepEqual(disabled, []);
});

test('an item that returns to a complete feed is enabled, unless the feed says otherwise', (t) => {
  const statusIn = (full: boolean, enabled?: boolean) => {
    const { toRequest } = contextOf(
      { kind: 'items', environment: 'shop', full },
      never,
      new AbortController().signal,
    );
    const request = toRequest([{ line: 1, json: '{}', text: '{}', enabled }]) as {
      items: { enabled?: boolean }[];
    };
    return request.items[0].enabled;
  };
  t.deepEqual([statusIn(true), statusIn(true, false), statusIn(false)], [true, false, undefined]);
});

const never = () => Promise.reject(new Error('No connection is needed.'));
