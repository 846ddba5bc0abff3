import { Code } from '@mantine/core';
import type { Change } from '../../formats/diff.ts';
import { t } from '../texts/texts.ts';
import { Hint } from './page.tsx';

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

/** Differences of two documents: pointers with the values before and after. */
export const ChangeList = ({ changes }: { changes: readonly Change[] }) =>
  changes.map(({ pointer, before, after }) => (
    <div key={pointer}>
      <Hint>
        <code>{pointer}</code>
      </Hint>
      {before !== undefined && (
        <Code block bg="light-dark(#fdeeee, #3a1f22)" mt={4} aria-label={t('Before')}>
          − {pretty(before)}
        </Code>
      )}
      {after !== undefined && (
        <Code block bg="light-dark(#e9f6ef, #17301f)" mt={4} aria-label={t('After')}>
          + {pretty(after)}
        </Code>
      )}
    </div>
  ));
