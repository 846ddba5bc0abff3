/** One write of a configuration, as a line for people. */

import type { ConfigurationVersion } from '../../../gen/grpc/personalisation/v1/configuration_service.ts';

export function describeVersion({
  version,
  create_time,
  client_id,
  comment,
  deletion,
}: ConfigurationVersion): string {
  const writer = client_id || 'the service';
  return [String(version).padStart(5), create_time?.toISOString(), writer, deletion && '(deletion)', comment]
    .filter((part) => part)
    .join('  ');
}
