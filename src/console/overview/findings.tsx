import { useQuery } from '@connectrpc/connect-query';
import { Accordion, Badge, Code, Group, Text } from '@mantine/core';
import { type Finding, Severity } from '../../../gen/es/personalisation/v1/diagnosis_pb.js';
import { DiagnosisService } from '../../../gen/es/personalisation/v1/diagnosis_service_pb.js';
import { formatCount } from '../kit/format.ts';
import { CircleCheck } from '../kit/icons.ts';
import { ErrorNotice, Loading, Section } from '../kit/page.tsx';
import { useConsole } from '../service/console-context.ts';

const badges: Partial<Record<Severity, { children: string; color: string }>> = {
  [Severity.FAULT]: { children: 'Fault', color: 'red' },
  [Severity.WARNING]: { children: 'Warning', color: 'orange' },
  [Severity.NOTICE]: { children: 'Notice', color: 'gray' },
};

/** A diagnosis reads many events, so a visit needs one only. */
const freshMs = 300_000;

/** Enough to find faults of one event in a thousand; takes half a second. */
const mostEvents = 50_000;

/** Findings of the health check, worst first, each with advice. */
export function Findings() {
  const { environment } = useConsole();
  const { data, error, refetch } = useQuery(
    DiagnosisService.method.getDiagnosis,
    { environment: environment.name, eventLimit: mostEvents },
    { staleTime: freshMs },
  );
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  const { findings = [], truncated, eventCount = 0 } = data?.diagnosis ?? {};
  const limit = truncated ? ` (newest ${formatCount(eventCount)} events)` : '';
  return (
    <Section title="Issues to fix" lead={`Health check of the last 7 days${limit} and of the catalogue.`}>
      {!data && <Loading h={100} />}
      {data && findings.length === 0 && (
        <Group gap="xs" py="md">
          <CircleCheck size={18} color="var(--up)" aria-hidden />
          <Text size="sm">No issues found.</Text>
        </Group>
      )}
      <Accordion variant="default" chevronPosition="right">
        {findings.map((finding) => (
          <FindingRow key={`${finding.check} ${finding.subject}`} finding={finding} />
        ))}
      </Accordion>
    </Section>
  );
}

function FindingRow({ finding }: { finding: Finding }) {
  return (
    <Accordion.Item value={`${finding.check} ${finding.subject}`}>
      <Accordion.Control px={0}>
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <Badge {...badges[finding.severity]} style={{ flexShrink: 0 }} />
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {finding.description}
          </Text>
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <Text size="sm" fw={500}>
          {finding.hint}
        </Text>
        <Group gap={6} mt="xs">
          {finding.examples.map((example) => (
            <Code key={example} style={{ overflowWrap: 'anywhere' }}>
              {example}
            </Code>
          ))}
        </Group>
      </Accordion.Panel>
    </Accordion.Item>
  );
}
