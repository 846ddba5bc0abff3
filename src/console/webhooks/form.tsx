import { useMutation } from '@connectrpc/connect-query';
import { Alert, Button, Group, MultiSelect, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Webhook } from '../../../gen/es/personalisation/v1/webhook_pb.js';
import { WebhookService } from '../../../gen/es/personalisation/v1/webhook_service_pb.js';
import { ErrorNotice } from '../kit/page.tsx';
import { useRefresh } from '../kit/queries.ts';
import { Snippet } from '../kit/snippet.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

const kinds = [
  { value: 'items.changed', label: t('Items changed') },
  { value: 'configuration.published', label: t('Rule set published') },
  { value: 'training.published', label: t('Training published') },
  { value: 'training.refused', label: t('Training refused') },
  { value: 'import.failed', label: t('Import failed') },
  { value: 'batch.ready', label: t('Batch ready') },
  { value: 'audience.ready', label: t('Audience ready') },
  { value: 'experiment.decided', label: t('Experiment decided') },
  { value: 'alert.raised', label: t('Alert raised') },
  { value: 'alert.resolved', label: t('Alert resolved') },
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
          label={t('Address')}
          placeholder="https://shop.example/hooks"
          data-autofocus
          required
          type="url"
          maxLength={2_048}
          value={draft.url}
          onChange={(event) => setDraft({ ...draft, url: event.currentTarget.value })}
        />
        <MultiSelect
          label={t('Changes')}
          data={kinds}
          placeholder={draft.kinds.length === 0 ? t('All') : ''}
          value={draft.kinds}
          onChange={(next) => setDraft({ ...draft, kinds: next })}
          hidePickedOptions
        />
        <TextInput
          label={t('Description')}
          value={draft.description}
          onChange={(event) => setDraft({ ...draft, description: event.currentTarget.value })}
        />
        {error && <ErrorNotice error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('Cancel')}
          </Button>
          <Button type="submit" loading={create.isPending || update.isPending}>
            {webhook ? t('Save') : t('Create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function Secret({ secret, onClose }: { secret: string; onClose(): void }) {
  return (
    <Stack gap="sm">
      <Alert color="orange" title={t('Copy the secret now; it is shown once')}>
        {t('Receivers check the signature of each message with it.')}
      </Alert>
      <Snippet label={t('secret')} code={secret} />
      <Group justify="flex-end">
        <Button onClick={onClose}>{t('Done')}</Button>
      </Group>
    </Stack>
  );
}
