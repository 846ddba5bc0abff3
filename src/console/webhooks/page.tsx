import { useInfiniteQuery } from '@connectrpc/connect-query';
import { Badge, Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Route, Switch } from 'wouter';
import { type Webhook, WebhookState } from '../../../gen/es/personalisation/v1/webhook_pb.js';
import { WebhookService } from '../../../gen/es/personalisation/v1/webhook_service_pb.js';
import { momentOf } from '../kit/format.ts';
import { Plus, Webhook as WebhookIcon } from '../kit/icons.ts';
import { Hint } from '../kit/page.tsx';
import { byPageToken } from '../kit/queries.ts';
import { Ago, ResourceList } from '../kit/table.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { WebhookForm } from './form.tsx';
import { WebhookPage } from './webhook-page.tsx';

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
  const { environment, pathTo } = useConsole();
  const [isOpen, dialog] = useDisclosure(false);
  const pages = useInfiniteQuery(
    WebhookService.method.listWebhooks,
    { environment: environment.name, pageToken: '' },
    byPageToken,
  );
  return (
    <ResourceList
      text={text}
      icon={WebhookIcon}
      actions={
        <Button leftSection={<Plus size={15} aria-hidden />} onClick={dialog.open} data-create>
          {t('New webhook')}
        </Button>
      }
      pages={pages}
      rows={pages.data?.pages.flatMap(({ webhooks }) => webhooks)}
      keyOf={({ webhookId }) => webhookId}
      columns={[
        {
          label: t('Address'),
          cell: ({ webhookId, url, description }) => (
            <>
              <Link href={pathTo(`webhooks/${webhookId}`)} className="row-link">
                <bdi>{url}</bdi>
              </Link>
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
          cell: ({ createTime }) => <Ago time={momentOf(createTime)} />,
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
