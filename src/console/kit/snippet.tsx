import { ActionIcon, Box, CopyButton, ScrollArea, Tooltip } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import classes from './snippet.module.css';

/** Code to take away. */
export function Snippet({ code, label }: { code: string; label: string }) {
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
      <CopyButton value={code}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : 'Copy'}>
            <ActionIcon
              className={classes.copy}
              variant="default"
              size="sm"
              onClick={copy}
              aria-label={copied ? 'Copied' : `Copy ${label}`}
            >
              {copied ? <Check size={14} /> : <Copy size={14} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Box>
  );
}
