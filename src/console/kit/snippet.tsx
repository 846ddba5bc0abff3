import { ActionIcon, Box, ScrollArea, Tooltip } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { useState } from 'react';
import { t } from '../texts/texts.ts';
import { copyText } from './files.ts';
import { Check, Copy } from './icons.ts';
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
          variant="default"
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
