import { useMutation } from '@connectrpc/connect-query';
import { Alert, Button, Group, NumberInput, SimpleGrid, Stack } from '@mantine/core';
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { ConfigurationSchema } from '../../../../gen/es/personalisation/v1/configuration_pb.js';
import {
  ConfigurationService,
  type ItemChange,
  type SimulateConfigurationResponse,
} from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { decodeJson } from '../../../formats/codec.ts';
import { formatCount, formatShare } from '../../kit/format.ts';
import { itemKey } from '../../kit/item-names.ts';
import { Empty, ErrorNotice, Hint, Section } from '../../kit/page.tsx';
import { DataTable, FigureTiles } from '../../kit/table.tsx';
import { useConsole } from '../../service/console-context.ts';
import type { Draft } from '../editor/use-draft.ts';
import { QueryChanges } from './query-changes.tsx';
import { ShareBars } from './share-bars.tsx';

const usualRequests = 200;

type SimulationProps = { configurationId: string; draft: Draft };

/** Compares the draft with the live version on recorded requests. */
export default function Simulation({ configurationId, draft }: SimulationProps) {
  const { environment } = useConsole();
  const [requestCount, setRequestCount] = useState(usualRequests);
  const simulate = useMutation(ConfigurationService.method.simulateConfiguration);
  const run = () => {
    const document = { ...draft.document, configuration_id: configurationId };
    const { message } = decodeJson(ConfigurationSchema, document);
    simulate.mutate({ environment: environment.name, draft: message, requestCount });
  };
  return (
    <Stack gap="lg" maw={1240}>
      <Group align="flex-end">
        <NumberInput
          label="Latest requests"
          min={1}
          max={1000}
          allowDecimal={false}
          value={requestCount}
          onChange={(value) => typeof value === 'number' && setRequestCount(value)}
          w={140}
        />
        <Button
          leftSection={<FlaskConical size={15} aria-hidden />}
          loading={simulate.isPending}
          disabled={!draft.document}
          onClick={run}
        >
          Simulate
        </Button>
        <Hint flex="1 1 260px">
          Answers the latest real requests of {environment.name} with the live version and with the draft.
          Publishes nothing; the report contains no personal IDs.
        </Hint>
      </Group>
      {simulate.error && <ErrorNotice error={simulate.error} onRetry={run} />}
      {simulate.data ? (
        <Report report={simulate.data} />
      ) : (
        <Empty icon={FlaskConical} title="No simulation yet">
          Simulate to see the effect of the draft before you publish it.
        </Empty>
      )}
    </Stack>
  );
}

function Report({ report }: { report: SimulateConfigurationResponse }) {
  const { requestCount, listCount, changedListCount, before, after } = report;
  if (requestCount === 0) {
    return (
      <Empty icon={FlaskConical} title="No recorded requests yet">
        The service records a sample of real requests. Send some requests or searches, then try again.
      </Empty>
    );
  }
  return (
    <Stack gap="lg">
      <FigureTiles
        tiles={[
          [formatCount(requestCount), 'Requests simulated'],
          [`${formatCount(changedListCount)} of ${formatCount(listCount)}`, 'Lists that change'],
          [before ? formatShare(before.fillRate) : '–', 'Fill rate before'],
          [after ? formatShare(after.fillRate) : '–', 'Fill rate with the draft'],
        ]}
      />
      {report.queries.length > 0 && <QueryChanges queries={report.queries} />}
      {after?.unmetQuotas.map(({ constraintIndex, listCount: lists, missingCount }) => (
        <Alert key={constraintIndex} color="orange">
          Rule {constraintIndex + 1} is not met in {formatCount(lists)} lists, which lack{' '}
          {formatCount(missingCount)} items in total.
        </Alert>
      ))}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <ItemChanges title="Added items" changes={report.itemsIn} />
        <ItemChanges title="Removed items" changes={report.itemsOut} />
      </SimpleGrid>
      {after && (
        <Section title="Composition of the lists">
          <ShareBars before={before} after={after} />
        </Section>
      )}
    </Stack>
  );
}

const mostShown = 12;

function ItemChanges({ title, changes }: { title: string; changes: ItemChange[] }) {
  return (
    <Section title={title}>
      {changes.length === 0 ? (
        <Hint size="sm">None</Hint>
      ) : (
        <DataTable
          verticalSpacing={5}
          horizontalSpacing={6}
          rows={changes.slice(0, mostShown)}
          keyOf={(change) => itemKey(change)}
          columns={[
            { label: 'Item', cell: (change) => <bdi>{change.title || change.itemId}</bdi> },
            { label: 'Lists before', isNumber: true, cell: ({ beforeCount }) => formatCount(beforeCount) },
            { label: 'With the draft', isNumber: true, cell: ({ afterCount }) => formatCount(afterCount) },
          ]}
        />
      )}
    </Section>
  );
}
