import { Alert, Button, Group } from '@mantine/core';
import { type Text, t } from '../texts/texts.ts';

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
export const OutdatedNotice = ({ of }: { of: keyof typeof outdated }) => (
  <Alert color="orange" mb="md" role="alert">
    {t(outdated[of])}
  </Alert>
);

const outdated = {
  item: 'Another user has saved this item since you started. Discard shows their version; Save replaces it.',
  page: 'Another user has saved this page since you started. Discard shows their version; Save replaces it.',
} as const satisfies Record<string, Text>;
