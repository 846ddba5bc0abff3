import { Anchor, SimpleGrid } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import { Loading, Section } from '../kit/page.tsx';
import { mostPinned, usePathOf, useViews } from '../metrics/saved-views.tsx';
import { t } from '../texts/texts.ts';

const PinnedView = lazy(() => import('../metrics/pinned-view.tsx'));

/** Saved views of the metrics that are pinned. */
export function PinnedViews() {
  const pathOf = usePathOf();
  const pinned = useViews().filter((view) => view.pinned);
  if (pinned.length === 0) return null;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      {pinned.slice(0, mostPinned).map((view) => (
        <Section
          key={view.viewId}
          title={view.title}
          actions={
            <Anchor
              component={Link}
              href={pathOf(view)}
              size="sm"
              aria-label={t('Open {title}', { title: view.title })}
            >
              {t('Open')}
            </Anchor>
          }
        >
          <Suspense fallback={<Loading h={200} />}>
            <PinnedView view={view} />
          </Suspense>
        </Section>
      ))}
    </SimpleGrid>
  );
}
