import { Route, Switch } from 'wouter';
import { PageService } from '../../../gen/es/personalisation/v1/page_service_pb.js';
import { formatCount } from '../kit/format.ts';
import { Rows3 } from '../kit/icons.ts';
import { Hint, RowLink, Unread } from '../kit/page.tsx';
import { useRead } from '../kit/queries.ts';
import { Ago, ResourceList } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { Editor } from './editor.tsx';

/** Stored pages, or one of them. Any ID can have a page, so the address of a new one is a parameter. */
export function Page() {
  const { values } = useAddress<'new'>();
  const mayPublish = useConsole().mayChange('configurations', 'publish');
  return (
    <Switch>
      <Route path="/:environment/pages/:id">{({ id }) => <StoredPage key={id} pageId={id} />}</Route>
      <Route>{values.new && mayPublish ? <Editor /> : <PageList />}</Route>
    </Switch>
  );
}

function PageList() {
  const { mayChange } = useConsole();
  return (
    <ResourceList
      text={{
        title: t('Pages'),
        lead: t('Rows of lists that your site requests by the ID of their page, such as its start page.'),
        none: t('No page yet'),
        noneLead: t('Create a page to change its rows without a release of your site.'),
        create: t('New page'),
      }}
      icon={Rows3}
      createPath={mayChange('configurations', 'publish') ? 'pages?new=1' : undefined}
      method={PageService.method.listPages}
      rowsOf={({ pages }) => pages}
      keyOf={({ pageId = '' }) => pageId}
      columns={[
        {
          label: t('Page'),
          cell: ({ pageId = '', title }) => (
            <>
              <RowLink to={`pages/${encodeURIComponent(pageId)}`}>{title || pageId}</RowLink>
              {title && <Hint>{pageId}</Hint>}
            </>
          ),
        },
        { label: t('Rows'), isNumber: true, cell: ({ rows }) => formatCount(rows.length) },
        {
          label: t('Last edited'),
          isQuiet: true,
          from: 'sm',
          cell: ({ updateTime, clientName }) => (
            <>
              <Ago time={updateTime} /> <bdi>{clientName}</bdi>
            </>
          ),
        },
      ]}
    />
  );
}

function StoredPage({ pageId }: { pageId: string }) {
  const request = { pageId };
  const { data, error, refetch } = useRead(PageService.method.getPage, request);
  return data?.page ? <Editor page={data.page} /> : <Unread error={error} onRetry={refetch} />;
}
