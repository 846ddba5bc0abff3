import { useMutation } from '@connectrpc/connect-query';
import { Button, Group, Modal, Text } from '@mantine/core';
import type { Client } from '../../../gen/es/personalisation/v1/client_pb.js';
import { ClientService } from '../../../gen/es/personalisation/v1/client_service_pb.js';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { useRefresh } from '../kit/refresh.ts';
import { text } from './text.ts';

/** Asks before a client is lost. */
export function DisableDialog({ client, onClose }: { client?: Client; onClose(): void }) {
  const refresh = useRefresh();
  const disable = useMutation(ClientService.method.disableClient, {
    onSuccess: onClose,
    ...refresh,
  });
  /** What was refused for one client says nothing of the next. */
  const close = () => {
    disable.reset();
    onClose();
  };
  return (
    <Modal
      opened={client !== undefined}
      onClose={close}
      title={<Text fw={600}>{text.disableTitle(client?.name || client?.clientId || '')}</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Text size="sm">{text.disableLead}</Text>
      {disable.error && <ErrorNotice error={disable.error} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button
          color="red.8"
          loading={disable.isPending}
          onClick={() => disable.mutate({ clientId: client?.clientId })}
        >
          {text.disable}
        </Button>
      </Group>
    </Modal>
  );
}
