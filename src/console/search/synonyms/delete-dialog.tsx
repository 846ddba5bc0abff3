import { useMutation } from '@connectrpc/connect-query';
import { Button, Group, Modal, Text } from '@mantine/core';
import type { Synonym } from '../../../../gen/es/personalisation/v1/synonym_pb.js';
import { SynonymService } from '../../../../gen/es/personalisation/v1/synonym_service_pb.js';
import { ErrorNotice } from '../../kit/error-notice.tsx';
import { useRefresh } from '../../kit/refresh.ts';
import { useConsole } from '../../service/console-context.ts';
import { text } from './text.ts';
import { Words } from './words.tsx';

/** Asks before a synonym is lost. */
export function DeleteDialog({ synonym, onClose }: { synonym?: Synonym; onClose(): void }) {
  const { environment } = useConsole();
  const refresh = useRefresh();
  const remove = useMutation(SynonymService.method.deleteSynonym, {
    onSuccess: onClose,
    ...refresh,
  });
  const send = () =>
    remove.mutate({
      environment: environment.name,
      synonymId: synonym?.synonymId,
      expectedRevision: synonym?.revision,
    });
  /** What was refused for one synonym says nothing of the next. */
  const close = () => {
    remove.reset();
    onClose();
  };
  return (
    <Modal
      opened={synonym !== undefined}
      onClose={close}
      title={<Text fw={600}>{text.removeTitle}</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {synonym && <Words synonym={synonym} />}
      <Text size="sm" mt="xs">
        {text.removeLead}
      </Text>
      {remove.error && <ErrorNotice error={remove.error} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button color="red.8" loading={remove.isPending} onClick={send}>
          {text.remove}
        </Button>
      </Group>
    </Modal>
  );
}
