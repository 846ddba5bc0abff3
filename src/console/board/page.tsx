import { ErrorNotice, PageFrame, PageSkeleton } from '../kit/page.tsx';
import { useRuleSets } from '../kit/rule-sets.ts';
import { useAddress } from '../service/address.ts';
import { t } from '../texts/texts.ts';
import { BoardOf } from './board.tsx';
import { Choices } from './choices.tsx';
import { readView, type ViewKey } from './view.ts';

/** A list, the results of a query, or a category, to arrange by hand. */
export function Page() {
  const { values, set } = useAddress<ViewKey>();
  const { data, error, refetch } = useRuleSets();
  if (!data) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <PageSkeleton />;
  const view = readView(values, data);
  return (
    <PageFrame
      title={t('Merchandising')}
      lead={t(
        'Drag items to a position, pin, hide, boost or bury them. Changes go to the draft of the rule set.',
      )}
      isWide
    >
      <Choices view={view} summaries={data} onChange={set} />
      <BoardOf key={view.configurationId} view={view} />
    </PageFrame>
  );
}
