import { useQuery } from '@connectrpc/connect-query';
import { Accordion, Badge, Code, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { CircleCheck } from 'lucide-react';
import { type Finding, Severity } from '../../../gen/es/personalisation/v1/diagnosis_pb.js';
import { DiagnosisService } from '../../../gen/es/personalisation/v1/diagnosis_service_pb.js';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatCount } from '../kit/format.ts';
import { useConsole } from '../service/console-context.ts';
import { text } from './text.ts';

const marks: Partial<Record<Severity, { label: string; color: string }>> = {
  [Severity.FAULT]: { label: 'Fault', color: 'red' },
  [Severity.WARNING]: { label: 'Warning', color: 'orange' },
  [Severity.NOTICE]: { label: 'Notice', color: 'gray' },
};

/** A diagnosis reads many events, so it is made once a visit and not again and again. */
const freshMs = 300_000;

/** Enough to see what goes wrong in one of a thousand; half a second of reading. */
const mostEvents = 50_000;

/** What the doctor found, the worst first, each with what to do about it. */
export function Findings() {
  const { environment } = useConsole();
  const { data, error, refetch } = useQuery(
    DiagnosisService.method.getDiagnosis,
    { environment: environment.name, eventLimit: mostEvents },
    { staleTime: freshMs },
  );
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  const findings = data?.diagnosis?.findings ?? [];
  return (
    <Paper p="md" component="section" aria-label={text.findings} miw={0}>
      <Title order={2}>{text.findings}</Title>
      <Text size="xs" className="quiet" mb="sm">
        {data?.diagnosis?.truncated
          ? text.findingsLeadNewest(formatCount(data.diagnosis.eventCount))
          : text.findingsLead}
      </Text>
      {!data && (
        <Stack gap="xs">
          <Skeleton h={44} />
          <Skeleton h={44} />
        </Stack>
      )}
      {data && findings.length === 0 && (
        <Group gap="xs" py="md">
          <CircleCheck size={18} color="var(--up)" aria-hidden />
          <Text size="sm">{text.noFindings}</Text>
        </Group>
      )}
      <Accordion variant="default" chevronPosition="right">
        {findings.map((finding) => (
          <FindingRow key={`${finding.check} ${finding.subject}`} finding={finding} />
        ))}
      </Accordion>
    </Paper>
  );
}

function FindingRow({ finding }: { finding: Finding }) {
  const mark = marks[finding.severity];
  return (
    <Accordion.Item value={`${finding.check} ${finding.subject}`}>
      <Accordion.Control px={0}>
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <Badge color={mark?.color} variant="light" tt="none" style={{ flexShrink: 0 }}>
            {mark?.label}
          </Badge>
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
