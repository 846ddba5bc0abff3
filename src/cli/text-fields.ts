/** The fields of a message that hold text, by the names of the interface: an id is text though it may look like a number. */

import { type DescMessage, ScalarType } from '@bufbuild/protobuf';

export function textFieldsOf({ fields }: DescMessage): ReadonlySet<string> {
  return new Set(fields.filter(({ scalar }) => scalar === ScalarType.STRING).map(({ name }) => name));
}
