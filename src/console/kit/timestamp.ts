import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';

/** A message's moment; undefined when it has none. */
export const momentOf = (timestamp: Timestamp | undefined): Date | undefined =>
  timestamp && timestampDate(timestamp);
