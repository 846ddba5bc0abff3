import { useMutation } from '@connectrpc/connect-query';
import { Alert, Button, Group, NumberInput, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import {
  ConfigurationService,
  type SimulateConfigurationResponse,
} from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { toMessage } from '../../grammar/message.ts';
import { Empty } from '../../kit/empty.tsx';
import { ErrorNotice } from '../../kit/error-notice.tsx';
import { formatCount, formatShare } from '../../kit/format.ts';
import { useConsole } from '../../service/console-context.ts';
import type { Draft } from '../editor/use-draft.ts';
import { ItemChanges } from './item-changes.tsx';
import { QueryChanges } from './query-changes.tsx';
import { ShareBars } from './share-bars.tsx';

const usualRequests = 200;

type SimulationProps = { configurationId: string; draft: Draft };

/** Tries the draft on real requests beside what is in force. */
export default function Simulation({ configurationId, draft }: SimulationProps) {
  const { environment } = useConsole();
  const [requestCount, setRequestCount] = useState(usualRequests);
  const simulate = useMutation(ConfigurationService.method.simulateConfiguration);
  const run = () => {
    if (!draft.document) return;
    const message = toMessage({ ...draft.document, configuration_id: configurationId });
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
        <Text size="xs" className="quiet" flex="1 1 260px">
          The latest real requests of {environment.name} are answered with what is in force and with the
          draft. Nothing is published, and no id of a person is in the report.
        </Text>
      </Group>
      {simulate.error && <ErrorNotice error={simulate.error} onRetry={run} />}
      {simulate.data ? (
        <Report report={simulate.data} />
      ) : (
        <Empty icon={FlaskConical} title="Nothing was simulated yet">
          See what would change, in how many lists, before anybody else does.
        </Empty>
      )}
    </Stack>
  );
}

function Report({ report }: { report: SimulateConfigurationResponse }) {
  const { requestCount, listCount, changedListCount, before, after } = report;
  if (requestCount === 0) {
    return (
      <Empty icon={FlaskConical} title="No request is kept yet">
        The service keeps a sample of real requests. Ask it for a recommendation or two, or search for
        something, then try again.
      </Empty>
    );
  }
  const figures = [
    { label: 'Requests tried', value: formatCount(requestCount) },
    { label: 'Lists that change', value: `${formatCount(changedListCount)} of ${formatCount(listCount)}` },
    { label: 'Filled before', value: before ? formatShare(before.fillRate) : '–' },
    { label: 'Filled with the draft', value: after ? formatShare(after.fillRate) : '–' },
  ];
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        {figures.map(({ label, value }) => (
          <Paper key={label} p="sm">
            <Text size="xs" className="quiet">
              {label}
            </Text>
            <Text fz={20} fw={600} className="numbers">
              {value}
            </Text>
          </Paper>
        ))}
      </SimpleGrid>
      {report.queries.length > 0 && <QueryChanges queries={report.queries} />}
      {after?.unmetQuotas.map(({ constraintIndex, listCount: lists, missingCount }) => (
        <Alert key={constraintIndex} color="orange" variant="light">
          Rule {constraintIndex + 1} is not met in {formatCount(lists)} lists; {formatCount(missingCount)}{' '}
          items are lacking in all of them.
        </Alert>
      ))}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <ItemChanges title="Items that come in" changes={report.itemsIn} />
        <ItemChanges title="Items that go" changes={report.itemsOut} />
      </SimpleGrid>
      {after && (
        <Paper p="md">
          <Title order={2} mb="sm">
            What the lists are made of
          </Title>
          <ShareBars before={before} after={after} />
        </Paper>
      )}
    </Stack>
  );
}
