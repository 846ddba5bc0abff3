/** An audience as a file. */

import { createClient } from '@connectrpc/connect';
import type { Audience } from '../../../gen/es/personalisation/v1/audience_pb.js';
import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { csvRow } from '../../formats/records/csv.ts';
import { saveText } from '../kit/save.ts';
import type { Connection } from '../service/transport.ts';

type Exported = { environment: string; audience: Audience; heldOut: boolean };

/** CSV, the most interested first. */
export async function exportAudience(
  { transport }: Connection,
  { environment, audience, heldOut }: Exported,
): Promise<void> {
  const { audienceId, audienceName } = audience;
  const lines = ['id,user_type,score'];
  const parts = createClient(AudienceService, transport).exportAudience({ environment, audienceId, heldOut });
  for await (const { users } of parts)
    for (const { id, userType, score } of users) lines.push(csvRow([id, userType, score]));
  const suffix = heldOut ? '-held-out' : '';
  saveText(`${audienceName.replace(/[^\p{L}\p{N}_-]+/gu, '-')}${suffix}.csv`, `${lines.join('\r\n')}\r\n`);
}
