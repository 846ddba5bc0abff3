import { create } from '@bufbuild/protobuf';
import test from 'ava';
import { AudienceRequestSchema } from '../../gen/es/personalisation/v1/audience_pb.js';
import { EnvironmentSettingsSchema } from '../../gen/es/personalisation/v1/environment_pb.js';
import { draftAddress, draftOf, requestOf } from '../../src/console/audiences/draft.ts';

const environment = create(EnvironmentSettingsSchema, {
  integrationTypes: ['email', 'push'],
  audienceDefaults: { excludeMailedWithinDays: 7, holdOutShare: 0.1 },
});

test('a new audience has the default exclusions of the deployment', (t) => {
  t.like(requestOf(draftOf({}, environment)), { excludeMailedWithinDays: 7, holdOutShare: 0.1 });
  const chosen = draftOf({ mailed: '0', hold: '0' }, environment);
  t.like(requestOf(chosen), { excludeMailedWithinDays: 0, holdOutShare: 0 });
});

test('a new audience includes buyers of a promoted item if the deployment does', (t) => {
  t.is(requestOf(draftOf({}, environment)).excludeBought, false);
  const careful = create(EnvironmentSettingsSchema, { audienceDefaults: { excludeBought: true } });
  t.is(requestOf(draftOf({}, careful)).excludeBought, true);
  t.is(requestOf(draftOf({ bought: '0' }, careful)).excludeBought, false);
});

test('a draft of a stored audience keeps its definition', (t) => {
  const stored = {
    audienceName: 'Boots',
    audienceSize: 50,
    integrationType: 'push',
    promotion: [{ id: 'a/b', itemType: 'item' }],
    excludeBought: false,
    excludeMailedWithinDays: 30,
    mailings: ['spring, 2026', 'autumn'],
    holdOutShare: 0.125,
    configurationId: 'watchers',
    variables: { brand: 'x' },
  };
  const address = draftAddress(create(AudienceRequestSchema, stored));
  const values = Object.fromEntries(new URLSearchParams(address.split('?')[1]));
  t.deepEqual(requestOf(draftOf(values, environment)), { ...stored, limit: 0 });
});
