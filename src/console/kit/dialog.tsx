import { Button, Group, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../texts/texts.ts';
import { ErrorNotice } from './page.tsx';

type Mutation = { error: Error | null; isPending: boolean; reset(): void };

type ConfirmDialogProps = {
  isOpen: boolean;
  title: string;
  /** Label of the button that confirms. */
  confirm: string;
  /** Label of the button that closes the dialog [Cancel]. */
  cancel?: string;
  isHarmless?: boolean;
  isDisabled?: boolean;
  mutation: Mutation;
  onConfirm(): void;
  onClose(): void;
  /** Consequence of confirming. */
  children: ReactNode;
};

/** Asks before a change. Closing it forgets the error, which belongs to the object asked about. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    isOpen,
    title,
    confirm,
    cancel = t('Cancel'),
    isHarmless,
    isDisabled,
    mutation,
    onConfirm,
    onClose,
  } = props;
  const close = () => {
    mutation.reset();
    onClose();
  };
  return (
    <Modal opened={isOpen} onClose={close} title={title}>
      <Text size="sm" component="div">
        {props.children}
      </Text>
      {mutation.error && <ErrorNotice error={mutation.error} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close}>
          {cancel}
        </Button>
        <Button
          color={isHarmless ? undefined : 'red.8'}
          loading={mutation.isPending}
          disabled={isDisabled}
          onClick={onConfirm}
        >
          {confirm}
        </Button>
      </Group>
    </Modal>
  );
}
