import { type DescMessage, type JsonValue, toBinary } from '@bufbuild/protobuf';
import test from 'ava';
import { file_personalisation_deployment_v1_deployment as deploymentFile } from '../../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import { file_personalisation_v1_audience as audienceFile } from '../../../gen/es/personalisation/v1/audience_pb.js';
import { file_personalisation_v1_configuration as configurationFile } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { file_personalisation_v1_event as eventFile } from '../../../gen/es/personalisation/v1/event_pb.js';
import { file_personalisation_v1_item as itemFile } from '../../../gen/es/personalisation/v1/item_pb.js';
import { file_personalisation_v1_metric as metricFile } from '../../../gen/es/personalisation/v1/metric_pb.js';
import { file_personalisation_v1_recommendation as recommendationFile } from '../../../gen/es/personalisation/v1/recommendation_pb.js';
import { file_personalisation_v1_search as searchFile } from '../../../gen/es/personalisation/v1/search_pb.js';
import { planOf } from '../../../src/formats/codec/plan.ts';
import { decodeJson, encodeJson, validateMessage } from '../../../src/formats/codec.ts';
import { fc } from '../../support/properties.ts';
import { arbitraryJson, arbitraryMessage } from './arbitrary-message.ts';

const types = [
  deploymentFile,
  audienceFile,
  configurationFile,
  eventFile,
  itemFile,
  metricFile,
  recommendationFile,
  searchFile,
].flatMap((file) => file.messages);

const numRuns = 40;

for (const desc of types) {
  test(`${desc.name} is the same after JSON and back`, (t) => {
    fc.assert(
      fc.property(arbitraryMessage(planOf(desc)), (message) => {
        const json = JSON.parse(JSON.stringify(encodeJson(desc, message))) as JsonValue;
        const decoded = decodeJson(desc, json);
        t.deepEqual(validateMessage(desc, message), []);
        t.deepEqual(decoded.violations, []);
        t.deepEqual(toBinary(desc, decoded.message), toBinary(desc, message));
      }),
      { numRuns },
    );
  });

  test(`any JSON for ${desc.name} is decoded or reported`, (t) => {
    fc.assert(
      fc.property(damagedJson(desc), (json) => {
        const { message, violations, reason } = decodeJson(desc, json);
        t.is(violations.length > 0, reason !== undefined);
        if (violations.length === 0) {
          t.deepEqual(validateMessage(desc, message), []);
          toBinary(desc, message);
        }
      }),
      { numRuns: numRuns * 2 },
    );
  });
}

/** The JSON of a valid message with one of its nodes replaced by any JSON. */
function damagedJson(desc: DescMessage): fc.Arbitrary<JsonValue> {
  return fc
    .tuple(arbitraryMessage(planOf(desc)), arbitraryJson, fc.array(fc.nat(20), { maxLength: 5 }))
    .map(([message, damage, route]) => replaceNode(encodeJson(desc, message), damage, route));
}

function replaceNode(json: JsonValue, damage: JsonValue, route: readonly number[]): JsonValue {
  if (route.length === 0 || typeof json !== 'object' || json === null) return damage;
  const names = Object.keys(json);
  if (names.length === 0) return damage;
  const name = names[route[0] % names.length];
  const copy = (Array.isArray(json) ? [...json] : { ...json }) as Record<string, JsonValue>;
  copy[name] = replaceNode(copy[name], damage, route.slice(1));
  return copy as JsonValue;
}
