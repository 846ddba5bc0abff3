import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query';
import { Link, Route, Switch } from 'wouter';
import { PageService } from '../../../gen/es/personalisation/v1/page_service_pb.js';
import { formatCount, momentOf } from '../kit/format.ts';
import { Rows3 } from '../kit/icons.ts';
import { ErrorNotice, Hint, PageSkeleton } from '../kit/page.tsx';
import { byPageToken, isNotFound } from '../kit/queries.ts';
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
  const { environment, mayChange, pathTo } = useConsole();
  const request = { environment: environment.name, pageToken: '' };
  const pages = useInfiniteQuery(PageService.method.listPages, request, byPageToken);
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
      createPath={mayChange('configurations', 'publish') ? pathTo('pages?new=1') : undefined}
      pages={pages}
      rows={pages.data?.pages.flatMap((one) => one.pages)}
      keyOf={({ pageId = '' }) => pageId}
      columns={[
        {
          label: t('Page'),
          cell: ({ pageId = '', title }) => (
            <>
              <Link href={pathTo(`pages/${encodeURIComponent(pageId)}`)} className="row-link">
                <bdi>{title || pageId}</bdi>
              </Link>
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
              <Ago time={momentOf(updateTime)} /> <bdi>{clientName}</bdi>
            </>
          ),
        },
      ]}
    />
  );
}

function StoredPage({ pageId }: { pageId: string }) {
  const request = { environment: useConsole().environment.name, pageId };
  const { data, error, refetch } = useQuery(PageService.method.getPage, request);
  if (data?.page) return <Editor page={data.page} />;
  if (!error) return <PageSkeleton />;
  return <ErrorNotice error={error} onRetry={isNotFound(error) ? undefined : refetch} />;
}
