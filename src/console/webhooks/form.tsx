import { MultiSelect } from '@mantine/core';
import { useState } from 'react';
import type { Webhook } from '../../../gen/es/personalisation/v1/webhook_pb.js';
import { WebhookService } from '../../../gen/es/personalisation/v1/webhook_service_pb.js';
import { Form } from '../kit/dialog.tsx';
import { TextField } from '../kit/fields.tsx';
import { useChange } from '../kit/queries.ts';
import { NewSecret } from '../kit/snippet.tsx';
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
  const { url = '', description = '', kinds: chosen = [], state, webhookId } = webhook ?? {};
  const [draft, setDraft] = useState({ url, description, kinds: chosen });
  const create = useChange(WebhookService.method.createWebhook);
  const update = useChange(WebhookService.method.updateWebhook);
  const submit = () => {
    const request = { webhook: { ...draft, state } };
    if (webhook) update.mutate({ ...request, webhookId }, { onSuccess: onClose });
    else create.mutate(request);
  };
  if (create.data) return <Secret secret={create.data.secret} onClose={onClose} />;
  return (
    <Form
      submit={webhook ? t('Save') : t('Create')}
      error={create.error ?? update.error}
      isPending={create.isPending || update.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t('Address')}
        placeholder="https://shop.example/hooks"
        data-autofocus
        required
        type="url"
        maxLength={2_048}
        value={draft.url}
        onChange={(url) => setDraft({ ...draft, url })}
      />
      <MultiSelect
        label={t('Changes')}
        data={kinds}
        placeholder={draft.kinds.length === 0 ? t('All') : ''}
        value={draft.kinds}
        onChange={(next) => setDraft({ ...draft, kinds: next })}
        hidePickedOptions
      />
      <TextField
        label={t('Description')}
        value={draft.description}
        onChange={(description) => setDraft({ ...draft, description })}
      />
    </Form>
  );
}

export const Secret = ({ secret, onClose }: { secret: string; onClose(): void }) => (
  <NewSecret
    title={t('Copy the secret now; it is shown once')}
    hint={t('Receivers check the signature of each message with it.')}
    label={t('secret')}
    code={secret}
    onClose={onClose}
  />
);
