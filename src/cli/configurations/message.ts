/** A configuration of a file as the message that gRPC sends. */

import { toBinary } from '@bufbuild/protobuf';
import { ConfigurationSchema } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { Configuration } from '../../../gen/grpc/personalisation/v1/configuration.ts';
import { decodeJson } from '../../formats/codec.ts';
import { KnownFailure } from '../connection/failure.ts';
import type { ConfigurationDocument } from './documents.ts';

/** From any documented spelling. @throws KnownFailure with what is wrong and where. */
export function toMessage(document: ConfigurationDocument): Configuration {
  const { message, violations, reason } = decodeJson(ConfigurationSchema, document);
  if (reason) throw new KnownFailure({ reason, message: 'The configuration is malformed.', violations });
  return Configuration.decode(toBinary(ConfigurationSchema, message));
}
