import { useMutation } from '@connectrpc/connect-query';
import { Alert, Button, Group, MultiSelect, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Webhook } from '../../../gen/es/personalisation/v1/webhook_pb.js';
import { WebhookService } from '../../../gen/es/personalisation/v1/webhook_service_pb.js';
import { ErrorNotice } from '../kit/page.tsx';
import { useRefresh } from '../kit/queries.ts';
import { Snippet } from '../kit/snippet.tsx';
import { useConsole } from '../service/console-context.ts';

const kinds = [
  { value: 'items.changed', label: 'Items changed' },
  { value: 'configuration.published', label: 'Rule set published' },
  { value: 'training.published', label: 'Training published' },
  { value: 'training.refused', label: 'Training refused' },
  { value: 'import.failed', label: 'Import failed' },
  { value: 'batch.ready', label: 'Batch ready' },
  { value: 'audience.ready', label: 'Audience ready' },
  { value: 'experiment.decided', label: 'Experiment decided' },
  { value: 'alert.raised', label: 'Alert raised' },
  { value: 'alert.resolved', label: 'Alert resolved' },
];

export const kindLabel = (kind: string): string => kinds.find(({ value }) => value === kind)?.label ?? kind;

/** Creates a webhook and shows its secret once, or edits one. */
export function WebhookForm({ webhook, onClose }: { webhook?: Webhook; onClose(): void }) {
  const { environment } = useConsole();
  const { url = '', description = '', kinds: chosen = [], state, webhookId } = webhook ?? {};
  const [draft, setDraft] = useState({ url, description, kinds: chosen });
  const create = useMutation(WebhookService.method.createWebhook, useRefresh());
  const update = useMutation(WebhookService.method.updateWebhook, useRefresh());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const request = { environment: environment.name, webhook: { ...draft, state } };
    if (webhook) update.mutate({ ...request, webhookId }, { onSuccess: onClose });
    else create.mutate(request);
  };
  if (create.data) return <Secret secret={create.data.secret} onClose={onClose} />;
  const error = create.error ?? update.error;
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="Address"
          placeholder="https://shop.example/hooks"
          data-autofocus
          required
          type="url"
          maxLength={2_048}
          value={draft.url}
          onChange={(event) => setDraft({ ...draft, url: event.currentTarget.value })}
        />
        <MultiSelect
          label="Changes"
          data={kinds}
          placeholder={draft.kinds.length === 0 ? 'All' : ''}
          value={draft.kinds}
          onChange={(next) => setDraft({ ...draft, kinds: next })}
          hidePickedOptions
        />
        <TextInput
          label="Description"
          value={draft.description}
          onChange={(event) => setDraft({ ...draft, description: event.currentTarget.value })}
        />
        {error && <ErrorNotice error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending || update.isPending}>
            {webhook ? 'Save' : 'Create'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function Secret({ secret, onClose }: { secret: string; onClose(): void }) {
  return (
    <Stack gap="sm">
      <Alert color="orange" title="Copy the secret now; it is shown once">
        Receivers check the signature of each message with it.
      </Alert>
      <Snippet label="secret" code={secret} />
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}
