import { Alert, Box, Group, List, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { MetricDifference } from '../../../gen/es/personalisation/v1/experiment_pb.js';
import type { ReadExperimentResponse } from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import { formatChange, formatCount, formatMean, formatShare } from '../kit/format.ts';
import { metricLabel, metricPhrase } from '../kit/metrics.ts';
import { Hint, Section } from '../kit/page.tsx';
import { DataTable, TablePaper } from '../kit/table.tsx';
import { t } from '../texts/texts.ts';

/** Results of variants compared with the control. @param children Content above the table of metrics. */
export function Results({ reading, children }: { reading: Reading; children?: ReactNode }) {
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Variants reading={reading} />
        <Conclusions reading={reading} />
      </SimpleGrid>
      {children}
      {reading.differences.some(isMeasured) && <Differences reading={reading} />}
    </Stack>
  );
}

function Variants({ reading: { arms, sampleRatio, crossedDeviceCount } }: { reading: Reading }) {
  const all = arms.reduce((sum, { deviceCount }) => sum + Number(deviceCount), 0);
  const shareOf = (count: bigint) => formatShare(all === 0 ? 0 : Number(count) / all);
  return (
    <Section title={t('Variants')}>
      <DataTable
        horizontalSpacing={6}
        verticalSpacing={6}
        rows={arms}
        keyOf={({ name }) => name}
        columns={[
          {
            label: t('Variant'),
            cell: ({ name }, index) => (
              <>
                <bdi>{name}</bdi>{' '}
                {index === 0 && name !== 'control' && <span className="quiet">{t('control')}</span>}
              </>
            ),
          },
          { label: t('Devices'), isNumber: true, cell: (arm) => formatCount(Number(arm.deviceCount)) },
          { label: t('Share'), isNumber: true, cell: (arm) => shareOf(arm.deviceCount) },
          { label: t('Declared share'), isNumber: true, cell: (arm) => formatShare(arm.declaredShare) },
        ]}
      />
      {sampleRatio && all > 0 && (
        <Alert mt="sm" py="xs" color={sampleRatio.mismatch ? 'red' : 'green'}>
          {sampleRatio.mismatch ? mismatch : t('The split of devices matches the declared shares.')}
        </Alert>
      )}
      {crossedDeviceCount > 0n && (
        <Hint mt="xs">
          {t('{count} devices were in several variants and are excluded.', {
            count: formatCount(Number(crossedDeviceCount)),
          })}
        </Hint>
      )}
    </Section>
  );
}

/** Results of a stored experiment, or of a split of the deployment. */
export type Reading = Pick<
  ReadExperimentResponse,
  'arms' | 'differences' | 'crossedDeviceCount' | 'sampleRatio'
>;

/** Whether a difference is worth showing: the event occurred, and not equally often on every device. */
export const isMeasured = ({ controlMean, armMean, smallestDetectable }: MetricDifference): boolean =>
  (controlMean !== 0 || armMean !== 0) && smallestDetectable !== 0;

export const tooFew = t('Not enough devices for an interval yet; each variant needs 100.');

const mostOpen = 3;

/** The result in sentences: proven differences, then open ones. */
function Conclusions({ reading }: { reading: Reading }) {
  const measured = reading.differences.filter((one) => one.interval !== undefined && isMeasured(one));
  const proven = measured.filter(({ significant }) => significant);
  const open = measured.filter(({ significant }) => !significant);
  return (
    <Section title={t('Conclusions')}>
      {reading.sampleRatio?.mismatch && (
        <Text size="sm" c="var(--down)" mb="xs">
          {mismatch}
        </Text>
      )}
      {measured.length === 0 && <Text size="sm">{tooFew}</Text>}
      <List size="sm" spacing={6}>
        {[...proven.map(provenWords), ...open.slice(0, mostOpen).map(openWords)].map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
      </List>
      <Hint mt="sm">
        {t(
          'Choose the deciding metric before the test. Among many metrics, one may differ by chance; a difference that is not proven may still exist.',
        )}
      </Hint>
    </Section>
  );
}

const mismatch = t(
  'The split of devices does not match the declared shares. Fix assignment or tracking before you trust any difference.',
);

/** A change relative to the control variant; absolute if the control has none. */
const sizeWords = (value: number, { controlMean }: MetricDifference): string =>
  controlMean === 0 ? formatMean(value) : formatChange(value / Math.abs(controlMean));

function provenWords(difference: MetricDifference): string {
  const { arm, metric, interval } = difference;
  const [low, high] = [sizeWords(interval!.low, difference), sizeWords(interval!.high, difference)];
  return t('Significant difference in {metric} for {variant}: {low} to {high}, compared with control.', {
    metric: metricPhrase(metric),
    variant: arm,
    low,
    high,
  });
}

function openWords(difference: MetricDifference): string {
  const { arm, metric, smallestDetectable = 0 } = difference;
  const size = sizeWords(smallestDetectable, difference).replace('+', '');
  return t(
    'No significant difference in {metric} for {variant} yet. With this traffic we could detect a change of {size} or more (80 % power).',
    { metric: metricPhrase(metric), variant: arm, size },
  );
}

/** Wider intervals end at the edge: one of few events would make all others invisible. */
const mostReach = 2;

/** Metrics of each variant, with intervals drawn around zero difference. */
function Differences({ reading: { differences } }: { reading: Reading }) {
  const ends = differences.flatMap(({ interval, controlMean }) =>
    interval && controlMean !== 0 ? [interval.low / controlMean, interval.high / controlMean] : [],
  );
  const reach = Math.min(Math.max(...ends.map(Math.abs), 0.01), mostReach);
  return (
    <TablePaper>
      <DataTable
        aria-label={t('Metrics')}
        rows={differences.filter(isMeasured)}
        keyOf={({ arm, metric }) => arm + metric}
        columns={[
          {
            label: t('Metric per device'),
            cell: ({ metric, arm }) => (
              <>
                {metricLabel(metric)}
                <Hint hiddenFrom="sm">
                  <bdi>{arm}</bdi>
                </Hint>
              </>
            ),
          },
          { label: t('Variant'), from: 'sm', cell: ({ arm }) => <bdi>{arm}</bdi> },
          {
            label: t('Control mean'),
            isNumber: true,
            from: 'sm',
            cell: (one) => formatMean(one.controlMean),
          },
          { label: t('Variant mean'), isNumber: true, from: 'sm', cell: (one) => formatMean(one.armMean) },
          {
            label: t('Difference'),
            isNumber: true,
            cell: ({ relativeDifference, significant }) => (
              <Text span size="sm" fw={significant ? 600 : 400}>
                {relativeDifference === undefined ? '–' : formatChange(relativeDifference)}
              </Text>
            ),
          },
          {
            label: t('Interval'),
            width: '32%',
            note: <Axis reach={reach} />,
            cell: (one) => <IntervalBar difference={one} reach={reach} />,
          },
        ]}
      />
    </TablePaper>
  );
}

/** Of an interval at most, in pixels. */
const width = 240;

/** Scale of the intervals below. */
const Axis = ({ reach }: { reach: number }) => (
  <Group
    justify="space-between"
    gap={0}
    wrap="nowrap"
    maw={width}
    visibleFrom="sm"
    fw={400}
    fz={11}
    className="numbers quiet"
  >
    {[-reach, 0, reach].map((value) => (
      <span key={value}>{formatChange(value)}</span>
    ))}
  </Group>
);

/** Puts a text below a place of its box, 0 to 1, and never outside the box. */
const under = (place: number) =>
  ({ position: 'relative', left: `${100 * place}%`, transform: `translateX(${-100 * place}%)` }) as const;

/** @param reach End of the widest interval, relative to control. */
function IntervalBar({ difference, reach }: { difference: MetricDifference; reach: number }) {
  const { interval, controlMean, relativeDifference = 0, significant } = difference;
  if (!interval) return <span className="quiet">{t('not enough devices')}</span>;
  /** Without events in control, the interval is absolute. */
  if (controlMean === 0)
    return t('{low} to {high}', { low: formatMean(interval.low), high: formatMean(interval.high) });
  const x = (value: number) =>
    width / 2 + (Math.min(Math.max(value, -reach), reach) / reach) * (width / 2 - 4);
  const [low, high] = [interval.low / controlMean, interval.high / controlMean];
  const color = differenceColor(significant, relativeDifference);
  const words = t('{low} to {high}', { low: formatChange(low), high: formatChange(high) });
  return (
    <>
      <svg
        viewBox={`0 0 ${width} 20`}
        width="100%"
        height={20}
        style={{ maxWidth: width, display: 'block' }}
        aria-hidden
      >
        <line x1={width / 2} x2={width / 2} y1={0} y2={20} stroke="var(--line)" />
        <line x1={x(low)} x2={x(high)} y1={10} y2={10} stroke={color} strokeWidth={3} strokeLinecap="round" />
        <circle cx={x(relativeDifference)} cy={10} r={4} fill={color} />
      </svg>
      <Box maw={width}>
        <Hint className="numbers" w="fit-content" style={under((x(low) + x(high)) / 2 / width)}>
          {words}
        </Hint>
      </Box>
    </>
  );
}

export function differenceColor(isSignificant: boolean, difference: number): string {
  if (!isSignificant) return 'var(--quiet)';
  return difference > 0 ? 'var(--up)' : 'var(--down)';
}
