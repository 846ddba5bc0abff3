/** Parses stored configurations: JSON that was validated when it was stored. */

import { ConfigurationSchema } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { decodeJson } from '../../formats/codec.ts';
import type { ParsedConfiguration } from '../configurations/replica/configuration-replica.ts';
import { contentOf } from '../configurations/replica/content.ts';
import { parseConfiguration } from './parse-rules.ts';
import { parseSearch } from './parse-search.ts';
import { parseSchedule, parseSettings } from './parse-settings.ts';

export function parseStored(document: unknown): ParsedConfiguration {
  const { message, violations } = decodeJson(ConfigurationSchema, document);
  if (violations.length > 0) throw new Error(`${violations[0].pointer}: ${violations[0].detail}`);
  const { schedule } = parseSchedule(message);
  return {
    rules: parseConfiguration(message).configuration,
    settings: parseSettings(message),
    search: parseSearch(message),
    content: contentOf(message),
    ...schedule,
  };
}
