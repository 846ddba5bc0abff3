import { useMutation } from '@connectrpc/connect-query';
import { Button, Group, Modal, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { DeletionReceipt } from '../../../gen/es/personalisation/v1/user_pb.js';
import { UserService } from '../../../gen/es/personalisation/v1/user_service_pb.js';
import { ErrorNotice } from '../kit/error-notice.tsx';
import type { Who } from './records.ts';
import { text } from './text.ts';

type DeleteDialogProps = {
  who: Who;
  isOpen: boolean;
  onClose(): void;
  onDeleted(receipt: DeletionReceipt | undefined): void;
};

/** Asks for the id again before everything goes. */
export function DeleteDialog({ who, isOpen, onClose, onDeleted }: DeleteDialogProps) {
  const [typed, setTyped] = useState('');
  const done = { onSuccess: ({ receipt }: { receipt?: DeletionReceipt }) => onDeleted(receipt) };
  const user = useMutation(UserService.method.deleteUser, done);
  const device = useMutation(UserService.method.deleteDevice, done);
  const { error, isPending } = who.kind === 'user' ? user : device;
  const remove = () =>
    who.kind === 'user'
      ? user.mutate({ environment: who.environment, userId: who.id })
      : device.mutate({ environment: who.environment, deviceId: who.id });
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={<Text fw={600}>{text.removeTitle(who.id)}</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Text size="sm">{text.removeLead}</Text>
      <TextInput
        mt="md"
        label={text.confirm}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        data-autofocus
      />
      {error && <ErrorNotice error={error} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button color="red.8" loading={isPending} disabled={typed !== who.id} onClick={remove}>
          {text.removeNow}
        </Button>
      </Group>
    </Modal>
  );
}
