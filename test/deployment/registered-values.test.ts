import test from 'ava';
import type { Registry } from '../../src/deployment/deployment.ts';
import { findUnregistered, type Registries } from '../../src/deployment/registered-values.ts';

const registry = (onUnknown: Registry['onUnknown'], ...values: string[]): Registry => ({
  values: new Set(values),
  onUnknown,
});

const registries: Registries = {
  pageTypes: registry('reject', 'home'),
  channels: registry('warn', 'web'),
  listNames: registry('accept', 'top'),
};

test('unregistered values are found, unless the registry accepts all values', (t) => {
  const found = findUnregistered({ pageType: 'x', channel: 'y', listName: 'z' }, registries);
  t.deepEqual(found, [
    { pointer: '/page_type', field: 'page_type', value: 'x', onUnknown: 'reject' },
    { pointer: '/channel', field: 'channel', value: 'y', onUnknown: 'warn' },
  ]);
});

test('known and absent values are not reported, nor any value without registries', (t) => {
  t.deepEqual(findUnregistered({ pageType: 'home', channel: 'web' }, registries), []);
  t.deepEqual(findUnregistered({}, registries), []);
  t.deepEqual(findUnregistered({ pageType: 'x' }, {}), []);
});
