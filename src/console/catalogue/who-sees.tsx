import { useQuery } from '@connectrpc/connect-query';
import { Badge, Button, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { ConfigurationService } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { isInForce } from '../configurations/schedule.ts';
import { useConfigurations } from '../configurations/use-configurations.ts';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatCount } from '../kit/format.ts';
import { type ItemName, itemKey } from '../kit/item-key.ts';
import { LateInput } from '../kit/late-input.tsx';
import { writeList } from '../kit/listed.ts';
import { usePreview } from '../lists/queries.ts';
import { readSetup } from '../lists/setup.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { text } from './text.ts';

/** Each is asked for by itself: lists of one request do not repeat an item. */
const mostLists = 20;

/** In which lists an item stands for somebody, what keeps it out of the others, and the way to an audience for it. */
export function WhoSees({ name }: { name: ItemName }) {
  const { can, pathTo } = useConsole();
  const { values, set } = useAddress<'user'>();
  const list = useQuery(ConfigurationService.method.listConfigurations, {}, { staleTime: 0 });
  const { data } = list;
  const ids = data?.configurationIds.slice(0, mostLists) ?? [];
  const { configurations, ...read } = useConfigurations(ids);
  const failed = [list, read].find(({ error }) => error);
  const isRead = data !== undefined && configurations.every((one) => one !== undefined);
  const ofLists = ids.filter((_, place) => {
    const one = configurations[place];
    return one && !one.search && isInForce(one);
  });
  return (
    <Paper p="md" component="section" aria-label={text.seen.title} miw={0}>
      <Group justify="space-between" align="flex-end" mb="sm">
        <div style={{ flex: '1 1 240px' }}>
          <Title order={2}>{text.seen.title}</Title>
          <Text size="xs" className="quiet">
            {text.seen.lead}
          </Text>
        </div>
        <LateInput
          label={text.seen.user}
          placeholder={text.seen.stranger}
          value={values.user ?? ''}
          onChange={(user) => set({ user })}
        />
      </Group>
      {failed && <ErrorNotice error={failed.error!} onRetry={failed.refetch} />}
      {!isRead && !failed && <Skeleton h={120} role="status" aria-label="Loading" />}
      {isRead && ofLists.length === 0 && <Text size="sm">{text.seen.none}</Text>}
      {isRead && (
        <Stack gap={6} component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
          {ofLists.map((id) => (
            <Standing key={id} name={name} configurationId={id} user={values.user ?? ''} />
          ))}
        </Stack>
      )}
      {data && data.configurationIds.length > mostLists && (
        <Text size="xs" className="quiet" mt="xs">
          {text.seen.some(formatCount(mostLists), formatCount(data.configurationIds.length))}
        </Text>
      )}
      {can('audiences') && (
        <Button
          component={Link}
          href={`${pathTo('audiences/new')}?items=${encodeURIComponent(itemKey(name))}`}
          variant="default"
          size="xs"
          mt="md"
        >
          {text.seen.reach}
        </Button>
      )}
    </Paper>
  );
}

type StandingProps = { name: ItemName; configurationId: string; user: string };

/** Lists of all lines below each other, and what is said of them. */
const columns = {
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 2fr) minmax(0, 3fr)',
  gap: 12,
  alignItems: 'baseline',
} as const;

/** Its place in one list, or the first thing that keeps it out. */
function Standing({ name, configurationId, user }: StandingProps) {
  const { pathTo } = useConsole();
  const values = {
    kind: user ? 'user' : 'stranger',
    visitor: user,
    configurations: writeList([configurationId]),
  };
  const { data, error } = usePreview(readSetup(values, '', configurationId), [], [name]);
  const list = data?.explanations[0];
  const found = list?.items.find(
    ({ itemId, itemType }) => itemId === name.itemId && itemType === name.itemType,
  );
  return (
    <li style={columns}>
      <Link className="row-link" href={`${pathTo('playground')}?${new URLSearchParams(values)}`}>
        <bdi>{configurationId}</bdi>
      </Link>
      {found ? (
        <Badge variant="light" color="green" tt="none">
          {text.seen.inList(found.rank)}
        </Badge>
      ) : (
        <Text size="xs" className="quiet">
          {error ? error.rawMessage : list?.whyNot[0]?.detail}
        </Text>
      )}
    </li>
  );
}
