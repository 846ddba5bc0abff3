import { useInfiniteQuery } from '@connectrpc/connect-query';
import { Link } from 'wouter';
import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { formatCount, formatDay, momentOf } from '../kit/format.ts';
import { Users } from '../kit/icons.ts';
import { byPageToken } from '../kit/queries.ts';
import { Ago, ResourceList } from '../kit/table.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

const pageSize = 50;

const text = {
  title: t('Audiences'),
  lead: t('The people with the highest interest in a promotion, without those you must not contact.'),
  create: t('New audience'),
  none: t('No audience yet'),
  noneLead: t('Choose the items to promote. The service finds the most interested people for export.'),
};

export function AudienceList() {
  const { environment, pathTo } = useConsole();
  const pages = useInfiniteQuery(
    AudienceService.method.listAudiences,
    { environment: environment.name, pageSize, pageToken: '' },
    byPageToken,
  );
  return (
    <ResourceList
      text={text}
      icon={Users}
      createPath={pathTo('audiences/new')}
      pages={pages}
      rows={pages.data?.pages.flatMap(({ audiences }) => audiences)}
      keyOf={({ audienceId }) => audienceId}
      columns={[
        {
          label: t('Audience'),
          cell: ({ audienceId, audienceName }) => (
            <Link href={pathTo(`audiences/${audienceId}`)} className="row-link">
              <bdi>{audienceName}</bdi>
            </Link>
          ),
        },
        { label: t('People'), isNumber: true, cell: ({ audienceSize }) => formatCount(audienceSize) },
        { label: t('Control group'), isNumber: true, cell: ({ heldOutCount }) => formatCount(heldOutCount) },
        { label: t('Channel'), from: 'sm', cell: ({ integrationType }) => integrationType },
        {
          label: t('Built'),
          from: 'sm',
          isQuiet: true,
          cell: (one) => <Ago time={momentOf(one.createTime)} />,
        },
        {
          label: t('Kept until'),
          from: 'sm',
          isQuiet: true,
          cell: ({ expiresAt }) => expiresAt && formatDay(momentOf(expiresAt)!),
        },
      ]}
    />
  );
}
