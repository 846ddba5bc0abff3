import { Alert, Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../texts/texts.ts';

type SaveButtonsProps = {
  isChanged: boolean;
  /** Whether the changes have no fault. */
  isSound: boolean;
  isSaving: boolean;
  onDiscard(): void;
  onSave(): void;
};

/** Buttons that discard and save what was typed. */
export const SaveButtons = ({ isChanged, isSound, isSaving, onDiscard, onSave }: SaveButtonsProps) => (
  <Group gap="xs">
    <Button disabled={!isChanged} onClick={onDiscard}>
      {t('Discard')}
    </Button>
    <Button variant="filled" disabled={!isChanged || !isSound} loading={isSaving} onClick={onSave}>
      {t('Save')}
    </Button>
  </Group>
);

/** Says that another user has saved since the typing began. */
export const OutdatedNotice = ({ children }: { children: ReactNode }) => (
  <Alert color="orange" mb="md" role="alert">
    {children}
  </Alert>
);
