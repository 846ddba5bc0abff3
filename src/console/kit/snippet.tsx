import { ActionIcon, Alert, Box, Button, Code, Group, ScrollArea, Stack, Tooltip } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { useState } from 'react';
import type { Change } from '../../formats/diff.ts';
import { t } from '../texts/texts.ts';
import { copyText } from './files.ts';
import { Check, Copy } from './icons.ts';
import { Hint } from './page.tsx';
import classes from './snippet.module.css';

const copiedMs = 1_000;

/** Code with a button that copies it. */
export function Snippet({ code, label }: { code: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const { start } = useTimeout(() => setCopied(false), copiedMs);
  const copy = async () => {
    setCopied(await copyText(code));
    start();
  };
  return (
    <Box className={classes.snippet}>
      <ScrollArea.Autosize
        className={classes.scroll}
        mah={360}
        type="auto"
        viewportProps={{ tabIndex: 0, 'aria-label': label, role: 'region' }}
      >
        <pre className={classes.code}>{code}</pre>
      </ScrollArea.Autosize>
      <Tooltip label={isCopied ? t('Copied') : t('Copy')}>
        <ActionIcon
          className={classes.copy}
          size="sm"
          onClick={() => void copy()}
          aria-label={isCopied ? t('Copied') : t('Copy {label}', { label })}
        >
          {isCopied ? <Check size={14} /> : <Copy size={14} />}
        </ActionIcon>
      </Tooltip>
    </Box>
  );
}

type NewSecretProps = {
  title: string;
  hint: string;
  code: string;
  label: string;
  /** Of the notice [orange]. */
  color?: string;
  onClose(): void;
};

/** Content of a dialog that shows a secret once. */
export const NewSecret = ({ title, hint, code, label, color = 'orange', onClose }: NewSecretProps) => (
  <Stack gap="sm">
    <Alert color={color} title={title}>
      {hint}
    </Alert>
    <Snippet label={label} code={code} />
    <Group justify="flex-end">
      <Button variant="filled" onClick={onClose}>
        {t('Done')}
      </Button>
    </Group>
  </Stack>
);

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
