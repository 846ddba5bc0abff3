import { useQuery } from '@connectrpc/connect-query';
import { AuditService } from '../../../gen/es/personalisation/v1/audit_service_pb.js';
import { ActivityTable } from '../activity/list.tsx';
import { PageLink, Section } from '../kit/page.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

/** The latest changes; hidden without any. */
export function RecentActivity() {
  const environment = useConsole().environment.name;
  const { data } = useQuery(AuditService.method.listActivity, { environment, pageSize: 5 });
  if (!data || data.entries.length === 0) return null;
  return (
    <Section title={t('Recent activity')} actions={<PageLink to="activity">{t('All activity')}</PageLink>}>
      <ActivityTable entries={data.entries} />
    </Section>
  );
}
