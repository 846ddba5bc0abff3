import { Alert, Badge, Button, Group, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import {
  type Webhook,
  type WebhookDelivery,
  WebhookState,
} from '../../../gen/es/personalisation/v1/webhook_pb.js';
import { WebhookService } from '../../../gen/es/personalisation/v1/webhook_service_pb.js';
import { ConfirmDialog } from '../kit/dialog.tsx';
import { formatCounted, formatMoment, formatPlace, momentOf } from '../kit/format.ts';
import { Plus, Webhook as WebhookIcon } from '../kit/icons.ts';
import { ErrorNotice, Hint, Loading, PageFrame, RowLink, Section, Unread } from '../kit/page.tsx';
import { useCall, useChange, useRead } from '../kit/queries.ts';
import { Ago, DataTable, ResourceList } from '../kit/table.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { kindLabel, Secret, WebhookForm } from './form.tsx';

export function Page() {
  return (
    <Switch>
      <Route path="/:environment/webhooks/:id">{({ id }) => <WebhookPage key={id} webhookId={id} />}</Route>
      <Route>
        <WebhookList />
      </Route>
    </Switch>
  );
}

const text = {
  title: t('Webhooks'),
  lead: t('Receivers of the changes of this environment, such as a published rule set or a finished batch.'),
  none: t('No webhook yet'),
  noneLead: t('Add the address of a program that should learn of changes.'),
};

function WebhookList() {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <ResourceList
      text={text}
      icon={WebhookIcon}
      actions={
        <Button variant="filled" leftSection={<Plus size={15} />} onClick={dialog.open} data-create>
          {t('New webhook')}
        </Button>
      }
      method={WebhookService.method.listWebhooks}
      rowsOf={({ webhooks }) => webhooks}
      keyOf={({ webhookId }) => webhookId}
      columns={[
        {
          label: t('Address'),
          cell: ({ webhookId, url, description }) => (
            <>
              <RowLink to={`webhooks/${webhookId}`}>{url}</RowLink>
              <Hint>{description}</Hint>
            </>
          ),
        },
        { label: t('State'), cell: (webhook) => <StateBadge webhook={webhook} /> },
        { label: t('Changes'), from: 'sm', cell: ({ kinds }) => kinds.join(', ') || t('All') },
        {
          label: t('Created'),
          from: 'md',
          isQuiet: true,
          cell: ({ createTime }) => <Ago time={createTime} />,
        },
      ]}
    >
      <Modal opened={isOpen} onClose={dialog.close} title={t('New webhook')} closeOnClickOutside={false}>
        {isOpen && <WebhookForm onClose={dialog.close} />}
      </Modal>
    </ResourceList>
  );
}

export function StateBadge({ webhook: { state, failedAttempts } }: { webhook: Webhook }) {
  if (state === WebhookState.DISABLED) return <Badge color="gray">{t('Disabled')}</Badge>;
  if (state === WebhookState.FAILING) return <Badge color="red">{t('Failing')}</Badge>;
  return failedAttempts > 0 ? (
    <Badge color="orange">{t('Retrying')}</Badge>
  ) : (
    <Badge color="green">{t('Active')}</Badge>
  );
}

const { method } = WebhookService;
const refreshMs = 5_000;

/** One webhook: state, actions and its last attempts. */
function WebhookPage({ webhookId }: { webhookId: string }) {
  const request = { webhookId };
  const { data, error, refetch } = useRead(method.getWebhook, request, { refetchInterval: refreshMs });
  const webhook = data?.webhook;
  if (!webhook) return <Unread error={error} onRetry={refetch} />;
  const { url, kinds, description, state, failedAttempts } = webhook;
  const next = momentOf(webhook.nextAttemptTime);
  const title = (
    <Group gap="sm" component="span">
      <bdi style={{ overflowWrap: 'anywhere' }}>{description || url}</bdi>
      <StateBadge webhook={webhook} />
    </Group>
  );
  return (
    <PageFrame title={title} lead={description && url} actions={<Actions webhook={webhook} />}>
      <Stack gap="lg">
        {failedAttempts > 0 && (
          <Alert color={state === WebhookState.FAILING ? 'red' : 'orange'} title={t('Deliveries fail')}>
            {t('{failedAttempts} since the last success.', {
              failedAttempts: formatCounted(failedAttempts, 'failed attempt'),
            })}{' '}
            {state === WebhookState.ACTIVE && next
              ? t('Next attempt: {time}.', { time: formatMoment(next) })
              : t('Changes wait until you enable the webhook.')}
          </Alert>
        )}
        <Hint size="sm">
          {t('Changes: {kinds}.', { kinds: kinds.map(kindLabel).join(', ') || t('all') })}
        </Hint>
        <Deliveries request={request} />
      </Stack>
    </PageFrame>
  );
}

type Request = { webhookId: string };

function Deliveries({ request }: { request: Request }) {
  const { data, error, refetch } = useRead(method.listWebhookDeliveries, request, {
    refetchInterval: refreshMs,
  });
  if (!data) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <Loading h={200} />;
  return (
    <Section title={t('Deliveries')} lead={t('The last 50 attempts, newest first.')}>
      {data.deliveries.length === 0 ? (
        <Hint size="sm">{t('No attempt yet. Send a test to check the receiver; tests are not listed.')}</Hint>
      ) : (
        <DataTable
          aria-label={t('Deliveries')}
          horizontalSpacing={6}
          rows={data.deliveries}
          keyOf={({ changeId, attemptTime }) => `${changeId} ${attemptTime?.seconds} ${attemptTime?.nanos}`}
          columns={[
            { label: t('Change'), cell: ({ kind }) => kindLabel(kind) },
            {
              label: t('Result'),
              cell: ({ error: failure, status }) =>
                failure ? (
                  <span style={{ color: 'var(--down)' }}>{failure}</span>
                ) : (
                  t('Delivered ({status})', { status })
                ),
            },
            {
              label: t('Duration'),
              from: 'sm',
              isNumber: true,
              cell: ({ durationMs }) => `${formatPlace(durationMs)} ms`,
            },
            { label: t('Time'), isQuiet: true, cell: (one) => <Ago time={one.attemptTime} /> },
          ]}
        />
      )}
    </Section>
  );
}

type Asked = 'edit' | 'replay' | 'rotate' | 'delete';

function Actions({ webhook }: { webhook: Webhook }) {
  const [asked, setAsked] = useState<Asked>();
  const update = useChange(method.updateWebhook);
  const test = useChange(method.testWebhook);
  const { webhookId, url, kinds, description } = webhook;
  const request = { webhookId };
  const isActive = webhook.state === WebhookState.ACTIVE;
  const state = isActive ? WebhookState.DISABLED : WebhookState.ACTIVE;
  const error = update.error ?? test.error;
  return (
    <>
      <Button
        variant="filled"
        loading={test.isPending}
        onClick={() => test.mutate(request, { onSuccess: ({ delivery }) => showTest(delivery) })}
      >
        {t('Send a test')}
      </Button>
      <Button
        loading={update.isPending}
        onClick={() => update.mutate({ ...request, webhook: { url, kinds, description, state } })}
      >
        {isActive ? t('Disable') : t('Enable')}
      </Button>
      {(['edit', 'replay', 'rotate', 'delete'] as const).map((name) => (
        <Button key={name} onClick={() => setAsked(name)}>
          {labels[name]}
        </Button>
      ))}
      {error && <ErrorNotice error={error} />}
      {asked && <Ask name={asked} webhook={webhook} request={request} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function showTest({ error = '', status }: Partial<WebhookDelivery> = {}): void {
  if (error) notifications.show({ message: t('Test failed: {error}', { error }), color: 'red' });
  else notifications.show({ message: t('Test delivered ({status}).', { status }), color: 'green' });
}

const labels: Record<Asked, string> = {
  edit: t('Edit'),
  replay: t('Replay'),
  rotate: t('Rotate the secret'),
  delete: t('Delete'),
};

const consequences = {
  replay: t('Sends all stored changes again, oldest first, with the same IDs.'),
  rotate: t('Messages are signed with the new and the earlier secrets for 24 hours.'),
  delete: t('No more changes are sent. A delivery under way may still arrive.'),
};

type AskProps = { name: Asked; webhook: Webhook; request: Request; onClose(): void };

function Ask({ name, webhook, request, onClose }: AskProps) {
  const { pathTo } = useConsole();
  const [, navigate] = useLocation();
  const mutations = {
    replay: useChange(method.replayWebhook),
    rotate: useCall(method.rotateWebhookSecret),
    delete: useCall(method.deleteWebhook),
  };
  const secret = mutations.rotate.data?.secret;
  if (name === 'edit' || secret)
    return (
      <Modal opened onClose={onClose} title={labels[name]} closeOnClickOutside={false}>
        {secret ? (
          <Secret secret={secret} onClose={onClose} />
        ) : (
          <WebhookForm webhook={webhook} onClose={onClose} />
        )}
      </Modal>
    );
  const onSuccess = { replay: onClose, rotate: undefined, delete: () => navigate(pathTo('webhooks')) }[name];
  return (
    <ConfirmDialog
      isOpen
      title={`${labels[name]}: ${webhook.url}`}
      confirm={labels[name]}
      isHarmless={name !== 'delete'}
      mutation={mutations[name]}
      onConfirm={() => mutations[name].mutate(request, { onSuccess })}
      onClose={onClose}
    >
      {consequences[name]}
    </ConfirmDialog>
  );
}
