import { Route, Switch } from 'wouter';
import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { formatCount, formatDay, momentOf } from '../kit/format.ts';
import { Users } from '../kit/icons.ts';
import { RowLink } from '../kit/page.tsx';
import { Ago, ResourceList } from '../kit/table.tsx';
import { t } from '../texts/texts.ts';
import { AudiencePage } from './audience-page.tsx';
import { NewAudience } from './new-audience.tsx';

export function Page() {
  return (
    <Switch>
      <Route path="/:environment/audiences/new">
        <NewAudience />
      </Route>
      <Route path="/:environment/audiences/:id">
        {({ id }) => <AudiencePage key={id} audienceId={decodeURIComponent(id)} />}
      </Route>
      <Route>
        <AudienceList />
      </Route>
    </Switch>
  );
}

const text = {
  title: t('Audiences'),
  lead: t('The people with the highest interest in a promotion, without those you must not contact.'),
  create: t('New audience'),
  none: t('No audience yet'),
  noneLead: t('Choose the items to promote. The service finds the most interested people for export.'),
};

function AudienceList() {
  return (
    <ResourceList
      text={text}
      icon={Users}
      createPath="audiences/new"
      method={AudienceService.method.listAudiences}
      rowsOf={({ audiences }) => audiences}
      keyOf={({ audienceId }) => audienceId}
      columns={[
        {
          label: t('Audience'),
          cell: (one) => <RowLink to={`audiences/${one.audienceId}`}>{one.audienceName}</RowLink>,
        },
        { label: t('People'), isNumber: true, cell: ({ audienceSize }) => formatCount(audienceSize) },
        { label: t('Control group'), isNumber: true, cell: ({ heldOutCount }) => formatCount(heldOutCount) },
        { label: t('Channel'), from: 'sm', cell: ({ integrationType }) => integrationType },
        { label: t('Built'), from: 'sm', isQuiet: true, cell: (one) => <Ago time={one.createTime} /> },
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
