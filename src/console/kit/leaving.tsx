/** Asks before unsaved changes are left: by a link, the history of the browser, or closing the tab. */

import { useEffect, useState } from 'react';
import { leaveFreely, onAsk, setGuard } from '../service/leaving.ts';
import { t } from '../texts/texts.ts';
import { ConfirmDialog } from './dialog.tsx';

/**
 * @param isUnsaved Whether closing the tab would lose changes. @param isStuck Whether another page would.
 * @param path Page that may be left for its own parts [the present one].
 */
export function useLeaveGuard(isUnsaved: boolean, isStuck = isUnsaved, path?: string): void {
  useEffect(() => {
    if (!isUnsaved) return;
    const refuse = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', refuse);
    return () => window.removeEventListener('beforeunload', refuse);
  }, [isUnsaved]);
  useEffect(() => (isStuck ? setGuard(path ?? location.pathname) : undefined), [isStuck, path]);
}

/** The question; a part of every page. */
export function LeaveDialog() {
  const [leave, setLeave] = useState<() => void>();
  useEffect(() => onAsk((next) => setLeave(() => next)), []);
  const close = () => setLeave(undefined);
  return (
    <ConfirmDialog
      isOpen={leave !== undefined}
      title={t('Leave without saving?')}
      confirm={t('Leave')}
      cancel={t('Stay')}
      onConfirm={() => {
        close();
        leaveFreely();
        leave?.();
      }}
      onClose={close}
    >
      {t('The changes on this page are not saved.')}
    </ConfirmDialog>
  );
}
