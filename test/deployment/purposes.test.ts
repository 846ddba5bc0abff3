/** The contract offers every purpose of the table, and no other. */

import { type DescMessage, getOption } from '@bufbuild/protobuf';
import test from 'ava';
import { field as fieldOption } from '../../gen/es/personalisation/rest/v1/options_pb.js';
import { ConfigurationSchema } from '../../gen/es/personalisation/v1/configuration_pb.js';
import { RequestListSchema } from '../../gen/es/personalisation/v1/recommendation_pb.js';
import { purposes } from '../../src/deployment/deployment.ts';

for (const schema of [RequestListSchema, ConfigurationSchema] as DescMessage[]) {
  test(`the purpose of a ${schema.name} is one of the table`, (t) => {
    t.deepEqual(getOption(schema.field.purpose, fieldOption).oneOf, [...purposes]);
  });
}
