import { Alert, SimpleGrid, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount, formatShare } from '../kit/format.ts';
import { Hint, Section } from '../kit/page.tsx';
import { DataTable } from '../kit/table.tsx';
import { t } from '../texts/texts.ts';
import { Conclusions, isMeasured, mismatch, type Reading } from './conclusions.tsx';
import { Differences } from './differences.tsx';

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
