import { Text } from '@mantine/core';
import type { Synonym } from '../../../../gen/es/personalisation/v1/synonym_pb.js';

/** `a = b`, or `a → b` where only the first finds what the second finds. */
export function Words({ synonym: { words, from, to } }: { synonym: Pick<Synonym, 'words' | 'from' | 'to'> }) {
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      <bdi>{(words.length > 0 ? words : from).join(words.length > 0 ? ' = ' : ', ')}</bdi>
      {to.length > 0 && (
        <>
          {' → '}
          <bdi>{to.join(', ')}</bdi>
        </>
      )}
    </Text>
  );
}
